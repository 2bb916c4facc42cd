# Sourced by the installer and its siblings: one place for paths, messages, dry run and the versions folder.
# shellcheck shell=bash disable=SC2034,SC2154

ROOT=${COMPANION_ROOT:-}           # a folder that stands for / (tests, images); empty on a running system
DRY_RUN=${DRY_RUN:-0}
SERVICE=table-companion
OWNER=companion
# Whoever stands between the program and the phones.
PHONES=companion-phones
OPT=/opt/table-companion           # versions, the link to the running one, these scripts
DATA=/var/lib/table-companion      # games and settings: the only thing worth a backup
ETC=/etc/table-companion           # what this box is like: display, rotation, pin map
# What lies in $OPT/bin of a box; a package carries just these, its installer and its documents.
BOX_SCRIPTS=(start update power-safe uninstall request splash stick addresses lib.sh verify.sh package.py)
CHANGES=0
BIGGEST=$((1 << 30))               # bytes that an unpacked package may take; with every library it is a third of that
LIBRARIES=$((500 << 20))           # bytes that a version takes with every library, and room for pip to work
SPARE=${COMPANION_SPARE:-$((200 << 20))}  # bytes that stay free beside a new version, for the games
UNFINISHED=""                      # what clear_away removes besides WORK, however the script ends

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die() { warn "table-companion: $*"; exit 1; }

# act WORDS... -- COMMAND...: say what happens, then do it, or only say it in a dry run.
act() {
  local words=()
  while [ "$1" != -- ]; do words+=("$1"); shift; done
  shift
  CHANGES=$((CHANGES + 1))
  if [ "$DRY_RUN" = 1 ]; then say "would ${words[*]}"; return 0; fi
  say "${words[*]}"
  "$@"
}

# put_file PATH MODE: write standard input to PATH unless it already holds just that.
put_file() {
  local path="$ROOT$1" mode=$2 new
  new=$(cat; printf x); new=${new%x}
  if [ -f "$path" ] && [ "$(cat "$path"; printf x)" = "${new}x" ]; then return 0; fi
  CHANGES=$((CHANGES + 1))
  if [ "$DRY_RUN" = 1 ]; then say "would write $1"; return 0; fi
  say "write $1"
  mkdir -p "$(dirname "$path")"
  printf '%s' "$new" >"$path.new"
  chmod "$mode" "$path.new"
  mv -f "$path.new" "$path"
}

need_root() { [ -n "$ROOT" ] || [ "$(id -u)" -eq 0 ] || die "run this as root (sudo $0)"; }

systemd_runs() { [ -z "$ROOT" ] && [ -d /run/systemd/system ]; }

# The machine is in power-safe mode: what is written to / is gone after the next start.
root_is_overlay() { [ -z "$ROOT" ] && [ "$(stat -f -c %T / 2>/dev/null)" = overlayfs ] && [ -d /media/root-ro ]; }

# fits BYTES FOLDER: refuse where so much would leave the disk of FOLDER with less than the games need.
fits() {
  local free
  free=$(df --output=avail -B1 "$2" | tail -n 1)
  [ $((free - $1)) -ge "$SPARE" ] \
    || die "$2: not enough room: $(($1 >> 20)) MB are needed and $((SPARE >> 20)) MB stay free for the games, $((free >> 20)) MB are free; remove something first"
}

# find_wheel FOLDER: the one wheel of the application in an unpacked package.
find_wheel() {
  local wheels=("$1"/table_companion-*.whl)
  [ -f "${wheels[0]}" ] || die "no table_companion-*.whl in the package; make it with deploy/bundle"
  [ "${#wheels[@]}" -eq 1 ] || die "more than one application in the package: ${wheels[*]##*/}"
  printf '%s\n' "${wheels[0]}"
}

# version_id WHEEL: a folder name that two different builds never share.
version_id() {
  local name sum
  name=$(basename "$1" .whl)
  sum=$(sha256sum "$1" | cut -c1-8)
  printf '%s-%s\n' "$(printf '%s' "$name" | cut -d- -f2)" "$sum"
}

# pick_python [RUNNER]: the Python to build with, that RUNNER (as_builder) can start too.
pick_python() {
  local candidate
  for candidate in "${COMPANION_PYTHON:-}" python3 python3.13 python3.12 python3.11; do
    if [ -z "$candidate" ] || ! command -v "$candidate" >/dev/null 2>&1; then continue; fi
    "$@" "$candidate" -I -S -c 'import sys; (3, 11) <= sys.version_info[:2] <= (3, 13) and print(sys.executable)' 2>/dev/null | grep . && return 0
  done
  die "Python 3.11, 3.12 or 3.13 is needed; this system has $(python3 --version 2>&1)"
}

# new_venv FOLDER PYTHON...: make an environment, and set PIP to what fills it. The system's pip, or the wheel of one that lies
# there for such ends, fills one that has none: seconds and ten megabytes less, and python3-venv, which wants just its own version
# of python3, need not be there. The new Python starts it, as pip's own --python does after it has started once for nothing.
new_venv() {
  local folder=$1 runner shelf
  shift
  runner=$("$@" -I -c '
import pathlib, pip
runner = pathlib.Path(pip.__file__).with_name("__pip-runner__.py")
print(runner if int(pip.__version__.partition(".")[0]) >= 23 and runner.is_file() else "")' 2>/dev/null || true)
  shelf=$(compgen -G '/usr/share/python-wheels/pip-*.whl' | tail -n 1 || true)
  if [ -n "$shelf" ]; then runner=${runner:-$shelf/pip}; fi
  if [ -n "$runner" ]; then
    "$@" -I -m venv --without-pip "$folder" || return 1
    PIP=("$folder/bin/python" -I "$runner")
  else
    "$@" -I -m venv "$folder" || return 1
    PIP=("$folder/bin/python" -I -m pip)
  fi
}

# build_version ID: make the version's own environment from PACKAGE beside the running one, without rights; root takes a copy
# of it only after it has drawn off-screen. An unfinished one is begun anew, and never left behind.
build_version() {
  local id=$1 target="$ROOT$OPT/versions/$1" made="$WORK/build/version" lock="$PACKAGE/requirements.lock" current="$ROOT$OPT/current"
  local site wheel room=0
  wheel=$(find_wheel "$PACKAGE")
  rm -rf "$target"
  prune
  # Twice: where it is built, and where it goes.
  mkdir -p "$ROOT$OPT/versions"
  if [ -d "$current/" ]; then room=$(du -sb "$current/" | cut -f1)
  elif [ -f "$lock" ]; then room=$LIBRARIES; fi
  if [ "$room" -gt 0 ]; then
    fits "$((room * 2))" "$WORK"
    fits "$room" "$ROOT$OPT/versions"
  fi
  new_venv "$made/venv" as_builder "$PYTHON" || die "python3 is not whole, python3-venv is missing, or the disk is full"
  # shellcheck disable=SC2016
  site=$(as_builder sh -c 'echo "$1"/lib/python3.*/site-packages' sh "$made/venv")
  printf '%s --hash=sha256:%s\n' "$wheel" "$(sha256sum "$wheel" | cut -d' ' -f1)" >"$WORK/wanted"
  if [ -f "$lock" ] && cmp -s "$lock" "$current/requirements.lock" && [ -d "$current/venv/lib/$(basename "$(dirname "$site")")" ]; then
    # The same libraries as the running version: take them from there. Links are the system's own libraries, added anew below.
    tar -C "$current/venv/lib/$(basename "$(dirname "$site")")/site-packages" -cf - . \
      | as_builder tar -C "$site" -xf - || die "the libraries of the running version could not be copied (disk full?)"
    as_builder find "$site" -type l -delete
  else
    contents tell "$PACKAGE" wheels >>"$WORK/wanted"
    if [ -f "$lock" ] && [ ! -d "$PACKAGE/wheels" ]; then
      die "this package holds no libraries, and wants others than the running version has; make it with deploy/bundle --with-libraries"
    fi
  fi
  # Never from a network, never built on the box, and only what the signed list names.
  chmod 0644 "$WORK/wanted"
  as_builder "${PIP[@]}" install --no-cache-dir --quiet --disable-pip-version-check --no-input --no-compile --force-reinstall \
    --no-index --no-deps --only-binary=:all: --require-hashes -r "$WORK/wanted" || die "the application could not be installed from $(basename "$wheel")"
  as_builder "$made/venv/bin/python" -I -m compileall -q -s "$made" -p "${target}" "$made/venv/lib" >/dev/null 2>&1 \
    || warn "not all of the program could be compiled beforehand; its starts take longer"
  say "start version $id off-screen"
  smoke "$made" || die "version $id was not taken; $(running_id | grep . || echo nothing) is still the running one"
  contents place "$made/venv" "$made" "$target"
  UNFINISHED=$target
  mkdir -p "$target"
  bring "$made" "$target"
  refuse_ways_out "$target"
  if [ -f "$lock" ]; then cp "$lock" "$target/requirements.lock"; fi
  add_lgpio "$target/venv"
  printf '%s\n' "$id" >"$target/VERSION"
  printf '%s\n' "$SERIAL" >"$target/SERIAL"
  chmod -R u=rwX,go=rX "$target"
  : >"$target/.complete"
  UNFINISHED=""
}

# refuse_ways_out FOLDER: no link in a version leads out of it, but those of its Python to the system's.
refuse_ways_out() {
  local link real python
  python=$(realpath -m "$PYTHON")
  while IFS= read -r -d '' link; do
    real=$(realpath -m "$link")
    case $real in "$(realpath -m "$1")"/*) continue ;; esac
    case ${link#"$1"/} in venv/bin/python | venv/bin/python3 | venv/bin/python3.1[123]) [ "$real" != "$python" ] || continue ;; esac
    die "${link#"$1"/}: a link that leads out of the version; do not use this package"
  done < <(find "$1" -type l -print0)
}

# add_lgpio VENV: the pin library, where the package brings none: the system's own (Raspberry Pi OS has it).
add_lgpio() {
  local site library
  site=$(echo "$1"/lib/python3.*/site-packages)
  if [ -e "$site/lgpio.py" ]; then return 0; fi
  for library in /usr/lib/python3/dist-packages/lgpio.py /usr/lib/python3/dist-packages/_lgpio*.so; do
    if [ -e "$library" ]; then ln -sf "$library" "$site/"; fi
  done
  if [ ! -e "$site/lgpio.py" ] && [ "$(uname -m)" = aarch64 ]; then
    warn "there is no pin library lgpio: the buttons on the screen will be used (apt-get install python3-lgpio, then install again)"
  fi
}

# smoke VERSION_FOLDER: the version draws off-screen, without rights, on a throw-away data folder, and ends by itself. What it
# says goes into a file in a folder of root's.
smoke() {
  local version=$1 home="$WORK/build/home" how status=0
  local quiet=(env HOME="$home" XDG_DATA_HOME="$home" XDG_CONFIG_HOME="$home" XDG_STATE_HOME="$home" XDG_CACHE_HOME="$home"
    SDL_VIDEODRIVER=offscreen GPIOZERO_PIN_FACTORY=mock PATH=/usr/bin:/bin)
  as_builder mkdir -p "$home"
  # shellcheck disable=SC2016
  local inside=(sh -c 'cd "$0" && exec "$@"' "$home")
  case $(as_builder "${quiet[@]}" "${inside[@]}" "$version/venv/bin/companion" run --help 2>/dev/null || true) in
    *--smoke*) how=(run --smoke) ;;
    *) how=(run --demo --pictures "$home/pictures") ;;
  esac
  as_builder "${quiet[@]}" "${inside[@]}" timeout $((STEP_S / 2)) "$version/venv/bin/companion" "${how[@]}" >"$WORK/log" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then
    warn "the new version does not start (exit $status); its last words:"
    tail -n 5 "$WORK/log" >&2
  fi
  return "$status"
}

# link NAME TARGET: point OPT/NAME at TARGET in one step.
link() {
  ln -sfn "$2" "$ROOT$OPT/$1.new"
  mv -fT "$ROOT$OPT/$1.new" "$ROOT$OPT/$1"
}

running_id() { if [ -L "$ROOT$OPT/current" ]; then basename "$(readlink "$ROOT$OPT/current")"; fi; }
previous_id() { if [ -L "$ROOT$OPT/previous" ]; then basename "$(readlink "$ROOT$OPT/previous")"; fi; }

# switch_to ID: make it the running version and remember the one before.
switch_to() {
  local id=$1 old
  old=$(running_id)
  [ -f "$ROOT$OPT/versions/$id/.complete" ] || die "version $id is not whole; install it again"
  if [ "$old" = "$id" ]; then return 0; fi
  if [ -n "$old" ]; then link previous "versions/$old"; fi
  link current "versions/$id"
}

# prune: keep the running version and the one before it.
prune() {
  local folder id
  for folder in "$ROOT$OPT"/versions/*/; do
    id=$(basename "$folder")
    if [ "$id" != "$(running_id)" ] && [ "$id" != "$(previous_id)" ] && [ -d "$folder" ]; then rm -rf "$folder"; fi
  done
}

# restart_and_wait: start the service anew; success means that it said it is ready and stays so.
restart_and_wait() {
  systemd_runs || return 0
  systemctl is-enabled --quiet "$SERVICE" || return 0
  timeout 90 systemctl restart "$SERVICE" || return 1
  sleep 3
  systemctl is-active --quiet "$SERVICE"
}

# alone: one installation, update or way back at a time, from the screen or by hand; the lock goes with the script.
alone() {
  mkdir -p "$ROOT$OPT"
  exec 9>>"$ROOT$OPT/lock"
  flock --nonblock 9 || die "another installation or update is running; wait until it has ended"
  rm -rf "$ROOT$OPT"/work.*  # what a power cut left
}

# clear_away: nothing half done stays behind, whatever ended the script.
clear_away() {
  if [ -n "$WORK" ]; then rm -rf "$WORK"; fi
  if [ -n "$UNFINISHED" ]; then rm -rf "$UNFINISHED"; fi
}

# is_older ID OTHER: the version of ID comes before that of OTHER.
is_older() {
  local one=${1%-*} other=${2%-*}
  [ "$one" != "$other" ] && [ "$(printf '%s\n' "$one" "$other" | sort -V | head -n 1)" = "$one" ]
}

# start_work: alone from now on, with a folder to work in that goes with the script.
start_work() {
  if [ "$DRY_RUN" != 1 ]; then alone; fi
  trap clear_away EXIT
  trap 'exit 1' HUP INT TERM
  open_work
}

# install_package: build the verified PACKAGE beside, smoke-start, switch, restart; go back by itself where it fails.
install_package() {
  local id before oldest
  id=$(version_id "$(find_wheel "$PACKAGE")")
  before=$(running_id) oldest=$(previous_id)
  if [ "$before" = "$id" ]; then
    if [ "$DRY_RUN" != 1 ]; then note_taken; fi
    say "version $id is installed and running$PASSED"
    return 0
  fi
  if [ -n "$before" ] && is_older "$id" "$before"; then
    warn "version $id is older than $before; games played with the newer one may have to wait until you go back to it"
  fi
  if [ "$DRY_RUN" = 1 ]; then
    CHANGES=$((CHANGES + 1))
    say "would build version $id beside ${before:-nothing}, start it off-screen and switch to it; it is signed by $SIGNER$PASSED"
    return 0
  fi
  if [ ! -f "$ROOT$OPT/versions/$id/.complete" ]; then
    say "build version $id beside ${before:-nothing}"
    build_version "$id"
    CHANGES=$((CHANGES + 1))
  fi
  sync  # what the link is about to name must be on the card before it
  switch_to "$id"
  sync
  CHANGES=$((CHANGES + 1))
  if ! restart_and_wait; then
    warn "version $id does not stay up"
    if [ -n "$before" ]; then
      link current "versions/$before"
      rm -f "$ROOT$OPT/previous"
      if [ -n "$oldest" ]; then link previous "versions/$oldest"; fi
      restart_and_wait || true
      rm -rf "$ROOT$OPT/versions/$id"
      die "went back to version $before; nothing is lost"
    fi
    die "see: journalctl -u $SERVICE"
  fi
  note_taken
  prune
  say "switched to version $id, signed by $SIGNER$PASSED"
}

# shellcheck source=deploy/verify.sh
. "$here/verify.sh"
