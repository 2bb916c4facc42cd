# Sourced by deploy/run and deploy/test: makes the virtual environment fit the lock file, asking nothing.
# Sets PYTHON (of the environment). Says in one line what is missing and stops with 1 when it cannot go on.
# shellcheck shell=bash disable=SC2154

# shellcheck source=deploy/pip.sh
. "$top/deploy/pip.sh"

say() { printf '%s\n' "$*" >&2; }
stop() { say "companion: $*"; exit 1; }

# as_root COMMAND...: run it with the rights to install system packages, or fail quietly.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then sudo -n "$@"
  else return 1
  fi
}

# need_packages PACKAGE...: install Debian packages that are missing; where it may not, one line says what to ask for.
need_packages() {
  command -v dpkg-query >/dev/null 2>&1 || { say "companion: not a Debian system; make sure you have: $*"; return 0; }
  local missing=() package
  for package in "$@"; do
    # Debian 13 has some libraries under a name of its own: libmtdev1t64 for libmtdev1.
    [[ $(dpkg-query -W -f='${Status}\n' "$package" "${package}t64" 2>/dev/null) == *'ok installed'* ]] || missing+=("$package")
  done
  [ "${#missing[@]}" -eq 0 ] && return 0
  if ! as_root true; then
    say "companion: system packages are missing, and only an administrator may install them: apt-get install ${missing[*]}"
    return 1
  fi
  say "companion: installing system packages: ${missing[*]}"
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  as_root "${apt[@]}" install --no-install-recommends -y "${missing[@]}" >/dev/null 2>&1 && return 0
  as_root "${apt[@]}" update >/dev/null 2>&1 || say "companion: the package lists could not be refreshed (no network?)"
  as_root "${apt[@]}" install --no-install-recommends -y "${missing[@]}" >/dev/null 2>&1 \
    || { say "companion: could not install ${missing[*]} (network? disk space?)"; return 1; }
}

find_python() {
  local candidate
  for candidate in "${COMPANION_PYTHON:-}" python3 python3.13 python3.12 python3.11; do
    if [ -z "$candidate" ] || ! command -v "$candidate" >/dev/null 2>&1; then continue; fi
    "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null || continue
    command -v "$candidate"
    return 0
  done
  return 1
}

# python_packages: the Debian packages without which set_up has no Python to start from, for need_packages.
python_packages() {
  local base
  if ! base=$(find_python); then printf '%s\n' python3 python3-venv
  elif ! "$base" -c 'import ensurepip, venv' 2>/dev/null; then printf '%s\n' python3-venv; fi
}

# set_up KIND LOCK: make .venv (kind "run" or "test") hold exactly what LOCK names.
set_up() {
  local kind=$1 lock=$2 base stamp wanted
  local venv="${COMPANION_VENV:-$top/.venv}"
  PYTHON="$venv/bin/python"
  stamp="$venv/.companion-$kind"
  wanted=$(cat "$lock" "$top/deploy/setup.sh" "$top/deploy/pip.sh" | sha256sum | cut -d' ' -f1)
  if [ -x "$PYTHON" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && "$PYTHON" -c '' 2>/dev/null; then
    point_at_checkout "$venv"
    return 0
  fi
  base=$(find_python) || stop "Python 3.11, 3.12 or 3.13 is needed; this system has $(python3 -V 2>/dev/null | grep . || echo none)"
  "$base" -c 'import ensurepip, venv' 2>/dev/null || stop "python3-venv is needed to set up (apt-get install python3-venv)"
  say "companion: setting up the $kind environment (once, about a minute)"
  if ! mkdir -p "$(dirname "$venv")" || ! [ -w "$(dirname "$venv")" ]; then
    stop "cannot write $(dirname "$venv"); set COMPANION_VENV to a folder you may write"
  fi
  if ! [ -x "$PYTHON" ] || ! "$PYTHON" -c '' 2>/dev/null; then
    "$base" -m venv --clear "$venv" || stop "could not make the virtual environment in $venv"
  fi
  # Build isolation is never needed: everything comes as a wheel.
  PIP=("$PYTHON" -m pip)
  pip_quietly install --quiet --require-hashes --only-binary=:all: -r "$lock" \
    || stop "could not install the locked packages: $PIP_SAID; run again when there is a network and room"
  point_at_checkout "$venv"
  printf '%s' "$wanted" >"$stamp"
}

# set_up_training: make build/train hold what the dice models are made with, and name its Python in COMPANION_TRAIN_PYTHON.
# Returns 1 with one line that says why when it cannot: nothing but the training needs it.
set_up_training() {
  local lock="$top/deploy/requirements-train.lock" venv="${COMPANION_TRAIN_VENV:-$top/build/train}" base="" candidate wanted
  wanted=$(sha256sum <"$lock" | cut -d' ' -f1)
  if [ "$(cat "$venv/.companion-train" 2>/dev/null)" != "$wanted" ] || ! "$venv/bin/python" -c 'import torch' 2>/dev/null; then
    for candidate in "${COMPANION_PYTHON:-}" python3.11 python3; do
      if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c '
import platform, sys
sys.exit(sys.version_info[:2] != (3, 11) or platform.machine() != "x86_64")' 2>/dev/null; then base=$candidate; break; fi
    done
    if [ -z "$base" ]; then
      say "companion: no smoke training: its packages are locked for Python 3.11 on x86-64, which is not here"
      return 1
    fi
    say "companion: setting up the training environment (once, some minutes)"
    PIP=("$venv/bin/python" -m pip)
    if ! "$base" -m venv --clear "$venv" >/dev/null 2>&1 \
      || ! pip_quietly install --quiet --require-hashes --only-binary=:all: -r "$lock"; then
      rm -rf "$venv"
      say "companion: no smoke training: its packages could not be installed (no network, no disk space, or pip does not find the" \
        "CPU build of torch; see vision/training/README.md)"
      return 1
    fi
    printf '%s' "$wanted" >"$venv/.companion-train"
  fi
  export COMPANION_TRAIN_PYTHON="$venv/bin/python"
}

# point_at_checkout VENV: programs of the environment find this checkout from any folder, also after it was moved.
point_at_checkout() {
  local site
  for site in "$1"/lib/python3*/site-packages; do printf '%s\n' "$top" >"$site/table-companion-checkout.pth"; done
}
