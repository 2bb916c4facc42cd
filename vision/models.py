"""The model files and their nets, loaded once, run by onnxruntime: in 0.6 of the time that OpenCV takes for them."""

from __future__ import annotations

__all__ = ["Models", "load_models"]

import json
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.text import Say, Typed
from vision.errors import ModelError

_NAMES = ("finder", "pose", "kind", "colour", "read", "stack")
_ERRORS_ONLY = 3
F32 = NDArray[np.float32]


@dataclass(slots=True)
class Models:
    """The six nets and the figures that turn their outputs into confidence. Safe to use from one thread at a time."""

    nets: dict[str, Any]
    """Name to `onnxruntime.InferenceSession`, each with one input."""
    doubt: dict[str, Any]
    """Fitted on held-out renders, see ``vision.confidence``."""
    lock: Lock = field(default_factory=Lock)

    def finder(self, blob: F32) -> F32:
        """Run the finder on (1, 3, h, w); (1, 5, h/4, w/4)."""
        return self._many("finder", blob, ("map",))[0]

    def _many(self, name: str, blob: F32, outputs: tuple[str, ...], most: int = 8) -> list[F32]:
        """Run in pieces, so that memory stays bounded whatever is found; larger ones were no faster."""
        net = self.nets[name]
        (into,) = net.get_inputs()
        with self.lock:
            parts = [
                net.run(list(outputs), {into.name: blob[i : i + most]}) for i in range(0, len(blob), most)
            ]
        return [np.concatenate(group) for group in zip(*parts, strict=True)]

    def pose(self, blob: F32) -> tuple[F32, F32, F32]:
        """Run the pose net on (n, 3, 64, 64)."""
        pose, look, middle = self._many("pose", blob, ("pose", "look", "middle"))
        return pose, look, middle

    def stack(self, middle: F32) -> F32:
        """Run the net that tells dice on dice on the pose net's middle (n, 48, 16, 16)."""
        return self._many("stack", middle, ("stack",))[0]

    def kind(self, middle: F32) -> F32:
        """Run the net that names kinds on the pose net's middle (n, 48, 16, 16)."""
        return self._many("kind", middle, ("kind",))[0]

    def colour(self, blob: F32) -> F32:
        """Run the colour net on (n, 449)."""
        return self._many("colour", blob, ("colour",), 256)[0]

    def read(self, blob: F32) -> tuple[F32, F32, F32]:
        """Run the reading net on (n, 3, 48, 48)."""
        value, up, features = self._many("read", blob, ("value", "up", "features"))
        return value, up, features


_LOADED: dict[str, Models] = {}


def _net(data: bytes) -> Any:
    """Return the session of a model file's bytes; any exception where they are none.

    No arena and no planned memory: 40 MB less for no measurable time. Its threads sleep between two readings.
    """
    import onnxruntime  # loaded with the first photo, not with the app

    options = onnxruntime.SessionOptions()
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = _ERRORS_ONLY
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def load_models(folder: Path | None = None) -> Models:
    """Load the nets, from the package unless a folder is given; the same folder is loaded once.

    Raises:
        ModelError: A file is missing or damaged.
    """
    key = str(folder) if folder else ""
    if key in _LOADED:
        return _LOADED[key]
    base = folder if folder else Path(str(resources.files("vision") / "models"))
    nets = {}
    for name in _NAMES:
        path = base / f"{name}.onnx"
        try:
            nets[name] = _net(path.read_bytes())
        except Exception as error:  # the library's faults have no base of their own
            raise ModelError(
                Say(
                    "{name}: the model cannot be loaded ({why}); install the package again",
                    name=Typed(str(path)),
                    why=Typed(type(error).__name__),
                )
            ) from error
    try:
        doubt = json.loads((base / "confidence.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(
            Say(
                "{name}: missing or damaged; install the package again",
                name=Typed(str(base / "confidence.json")),
            )
        ) from error
    _LOADED[key] = Models(nets, doubt)
    return _LOADED[key]
