"""numpy for whoever works odds, loaded when the first odds are worked: most of an evening no table asks for any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["Array", "Floats", "Ints", "NDArray", "np"]

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
else:

    class _Late:
        """Has what numpy has; the first thing asked for brings all of it."""

        def __getattr__(self, name: str) -> Any:
            """Load numpy; from now on nothing of it is asked for here."""
            import numpy

            vars(self).update(vars(numpy))
            return getattr(numpy, name)

    np = _Late()
    Array = Floats = Ints = NDArray = Any
