# Sourced by the installer and its siblings: one place for paths, messages, dry run and the versions folder.
# shellcheck shell=bash disable=SC2034

ROOT=${COMPANION_ROOT:-}           # a folder that stands for / (tests, images); empty on a running system
DRY_RUN=${DRY_RUN:-0}
SERVICE=table-companion
OWNER=companion
OPT=/opt/table-companion           # versions, the link to the running one, these scripts
DATA=/var/lib/table-companion      # games and settings: the only thing worth a backup
ETC=/etc/table-companion           # what this box is like: display, rotation, pin map
CHANGES=0
BIGGEST=$((1 << 30))               # bytes that an unpacked package may take; with every library it is a third of that
LIBRARIES=$((500 << 20))           # bytes that a version takes with every library, and room for pip to work
SPARE=${COMPANION_SPARE:-$((200 << 20))}  # bytes that stay free beside a new version, for the games
SCRATCH="" UNFINISHED=""           # what clear_away removes, however the script ends

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

# as_owner COMMAND...: run as the service's own user where it exists, with nothing of root's environment.
as_owner() {
  if [ -z "$ROOT" ] && [ "$(id -u)" -eq 0 ] && id -u "$OWNER" >/dev/null 2>&1; then
    setpriv --reuid="$OWNER" --regid="$OWNER" --init-groups --reset-env "$@"
  else
    "$@"
  fi
}

# verify_sums FOLDER: every file of SHA256SUMS is there and right, and no wheel is there that is not listed.
verify_sums() {
  local folder=$1 wheel
  [ -f "$folder/SHA256SUMS" ] || die "$folder: SHA256SUMS is missing; make the package again with deploy/bundle"
  (cd "$folder" && sha256sum --check --strict --quiet SHA256SUMS >/dev/null 2>&1) \
    || die "$folder: a checksum is wrong, the file is damaged or was changed; copy it again"
  while IFS= read -r wheel; do
    grep -qF "  ${wheel#./}" "$folder/SHA256SUMS" || die "$folder: ${wheel#./} is not listed in SHA256SUMS; do not use this package"
  done < <(cd "$folder" && find . -name '*.whl')
}

# fits BYTES FOLDER: refuse where so much would leave the disk of FOLDER with less than the games need.
fits() {
  local free
  free=$(df --output=avail -B1 "$2" | tail -n 1)
  [ $((free - $1)) -ge "$SPARE" ] \
    || die "$2: not enough room: $(($1 >> 20)) MB are needed and $((SPARE >> 20)) MB stay free for the games, $((free >> 20)) MB are free; remove something first"
}

# unpack SOURCE FOLDER: bring a zip, a folder or a wheel (with WHEEL.sha256 beside it) into FOLDER, verified.
unpack() {
  local source=$1 folder=$2 name sum python
  case $source in
    *.zip)
      [ -f "$source" ] || die "$source: no such file"
      python=$(pick_python)
      "$python" - "$source" "$folder" "$BIGGEST" <<'PY' || die "$source: not a whole package; copy it again"
import shutil, sys, zipfile, zlib
source, folder, biggest = sys.argv[1], sys.argv[2], int(sys.argv[3])
try:
    with zipfile.ZipFile(source) as archive:
        for info in archive.infolist():
            parts = info.filename.split("/")
            if info.filename.startswith("/") or ".." in parts or "\\" in info.filename:
                sys.exit(f"{info.filename}: a path that leads out of the package")
        size = sum(info.file_size for info in archive.infolist())  # no member gives more than it says
        if size > min(biggest, shutil.disk_usage(folder).free):
            sys.exit(f"it would take {size >> 20} MB unpacked, which is no package or more than there is room for")
        archive.extractall(folder)  # checks every member's own sum
except (OSError, EOFError, ValueError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
    sys.exit(f"{type(error).__name__}: {error}")
PY
      ;;
    *.whl)
      [ -f "$source" ] || die "$source: no such file"
      [ -f "$source.sha256" ] || die "$source: its checksum file $(basename "$source").sha256 is missing beside it"
      name=$(basename "$source")
      sum=$(cut -d' ' -f1 "$source.sha256")
      cp "$source" "$folder/" || die "$source: could not be read to its end (stick pulled out? disk full?); copy it again"
      printf '%s  %s\n' "$sum" "$name" >"$folder/SHA256SUMS"
      ;;
    *)
      [ -d "$source" ] || die "$source: expected a .zip, a .whl or a folder"
      cp -R "$source/." "$folder/" || die "$source: could not be read to its end (stick pulled out? disk full?); copy it again"
      ;;
  esac
  verify_sums "$folder"
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

pick_python() {
  local candidate
  for candidate in "${COMPANION_PYTHON:-}" python3 python3.13 python3.12 python3.11; do
    if [ -z "$candidate" ] || ! command -v "$candidate" >/dev/null 2>&1; then continue; fi
    if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
      command -v "$candidate"
      return 0
    fi
  done
  die "Python 3.11, 3.12 or 3.13 is needed; this system has $(python3 --version 2>&1)"
}

# build_version FOLDER ID: make the version's own environment beside the running one. An unfinished one is begun anew,
# and never left behind.
build_version() {
  local package=$1 id=$2 target wheel lock python current
  target="$ROOT$OPT/versions/$id"
  wheel=$(find_wheel "$package")
  lock="$package/requirements.lock"
  current="$ROOT$OPT/current"
  rm -rf "$target"
  prune
  mkdir -p "$target"
  UNFINISHED=$target
  if [ -d "$current/" ]; then fits "$(du -sb "$current/" | cut -f1)" "$target"
  elif [ -f "$lock" ]; then fits "$LIBRARIES" "$target"; fi
  python=$(pick_python)
  local pip
  if "$python" -m pip --version 2>/dev/null | grep -Eq '^pip (2[3-9]|[3-9][0-9])'; then
    # The system's pip fills an environment that has none: seconds and ten megabytes less.
    "$python" -m venv --without-pip "$target/venv" || die "python3-venv is missing or the disk is full"
    pip=("$python" -m pip --python "$target/venv/bin/python")
  else
    "$python" -m venv "$target/venv" || die "python3-venv is missing or the disk is full"
    pip=("$target/venv/bin/python" -m pip)
  fi
  pip+=(install --no-cache-dir --quiet --disable-pip-version-check --no-input --no-compile)
  if [ -f "$lock" ]; then cp "$lock" "$target/requirements.lock"; fi
  if [ -f "$lock" ] && [ -f "$current/requirements.lock" ] && cmp -s "$lock" "$current/requirements.lock"; then
    # The same libraries as the running version: take them from there, no network needed.
    local from to
    from=$(echo "$current"/venv/lib/python3.*/site-packages)
    to=$(echo "$target"/venv/lib/python3.*/site-packages)
    if [ "$(basename "$(dirname "$from")")" = "$(basename "$(dirname "$to")")" ]; then
      cp -a --reflink=auto "$from/." "$to/"
      "${pip[@]}" --no-deps --force-reinstall "$wheel" || die "the application could not be installed from $wheel"
      finish_version "$package" "$id" "${pip[@]}"
      return 0
    fi
  fi
  local online=()
  if [ -d "$package/wheels" ]; then online=(--no-index --find-links "$package/wheels"); fi
  if [ -f "$lock" ]; then
    "${pip[@]}" "${online[@]}" --require-hashes --only-binary=:all: -r "$lock" \
      || die "the libraries could not be installed; without a network use a package made with deploy/bundle --with-libraries"
    "${pip[@]}" "${online[@]}" --no-deps "$wheel" || die "the application could not be installed from $wheel"
  else
    "${pip[@]}" "${online[@]}" "$wheel" \
      || die "the libraries could not be installed; without a network use a package made with deploy/bundle --with-libraries"
  fi
  finish_version "$package" "$id" "${pip[@]}"
}

# finish_version PACKAGE ID PIP...: what every version needs after its libraries, and the mark that it is whole.
finish_version() {
  local package=$1 id=$2
  shift 2
  local target="$ROOT$OPT/versions/$id"
  add_lgpio "$package" "$target/venv" "$@"
  "$target/venv/bin/python" -m compileall -q "$target/venv/lib" >/dev/null 2>&1 || true
  printf '%s\n' "$id" >"$target/VERSION"
  chmod -R go+rX,go-w "$target"
  : >"$target/.complete"
  UNFINISHED=""
}

# add_lgpio PACKAGE VENV PIP...: the pin library: the system's own (Raspberry Pi OS has it), else its wheel, on a Pi only.
add_lgpio() {
  local package=$1 venv=$2 site library
  shift 2
  site=$(echo "$venv"/lib/python3.*/site-packages)
  if [ -e "$site/lgpio.py" ]; then return 0; fi
  for library in /usr/lib/python3/dist-packages/lgpio.py /usr/lib/python3/dist-packages/_lgpio*.so; do
    if [ -e "$library" ]; then ln -sf "$library" "$site/"; fi
  done
  if [ -e "$site/lgpio.py" ] || [ "$(uname -m)" != aarch64 ]; then return 0; fi
  local online=()
  if [ -d "$package/wheels" ]; then online=(--no-index --find-links "$package/wheels"); fi
  "$@" --only-binary=:all: "${online[@]}" 'lgpio>=0.2.2' 2>/dev/null \
    || warn "the pin library lgpio could not be installed: the buttons on the screen will be used (apt-get install python3-lgpio)"
}

# smoke VERSION_FOLDER: the version draws off-screen, as its own user, on a throw-away data folder, and ends by itself.
smoke() {
  local version=$1 scratch status=0
  scratch=$(mktemp -d)
  chmod 0777 "$scratch"
  (
    cd "$scratch"
    quiet=(env HOME="$scratch" XDG_DATA_HOME="$scratch" XDG_CONFIG_HOME="$scratch" XDG_STATE_HOME="$scratch"
      XDG_CACHE_HOME="$scratch" SDL_VIDEODRIVER=offscreen GPIOZERO_PIN_FACTORY=mock PATH=/usr/bin:/bin)
    help=$(as_owner "${quiet[@]}" "$version/venv/bin/companion" run --help 2>/dev/null || true)
    case $help in
      *--smoke*) how=(run --smoke) ;;
      *) how=(run --demo --pictures "$scratch/pictures") ;;
    esac
    as_owner "${quiet[@]}" timeout 300 "$version/venv/bin/companion" "${how[@]}" >"$scratch/log" 2>&1
  ) || status=$?
  if [ "$status" -ne 0 ]; then
    warn "the new version does not start (exit $status); its last words:"
    tail -n 5 "$scratch/log" >&2
  fi
  rm -rf "$scratch"
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
}

# clear_away: nothing half done stays behind, whatever ended the script.
clear_away() {
  if [ -n "$SCRATCH" ]; then rm -rf "$SCRATCH"; fi
  if [ -n "$UNFINISHED" ]; then rm -rf "$UNFINISHED"; fi
}

# is_older ID OTHER: the version of ID comes before that of OTHER.
is_older() {
  local one=${1%-*} other=${2%-*}
  [ "$one" != "$other" ] && [ "$(printf '%s\n' "$one" "$other" | sort -V | head -n 1)" = "$one" ]
}

# install_package SOURCE: verify, build beside, smoke-start, switch, restart; go back by itself where it fails.
install_package() {
  local source=$1 id before oldest
  if [ "$DRY_RUN" != 1 ]; then alone; fi
  trap clear_away EXIT
  trap 'exit 1' HUP INT TERM
  SCRATCH=$(mktemp -d)
  unpack "$source" "$SCRATCH"
  id=$(version_id "$(find_wheel "$SCRATCH")")
  before=$(running_id) oldest=$(previous_id)
  if [ "$before" = "$id" ]; then say "version $id is installed and running"; return 0; fi
  if [ -n "$before" ] && is_older "$id" "$before"; then
    warn "version $id is older than $before; games played with the newer one may have to wait until you go back to it"
  fi
  if [ "$DRY_RUN" = 1 ]; then
    CHANGES=$((CHANGES + 1))
    say "would build version $id beside ${before:-nothing}, start it off-screen and switch to it"
    return 0
  fi
  if [ ! -f "$ROOT$OPT/versions/$id/.complete" ]; then
    say "build version $id beside ${before:-nothing}"
    build_version "$SCRATCH" "$id"
    CHANGES=$((CHANGES + 1))
  fi
  say "start version $id off-screen"
  if ! smoke "$ROOT$OPT/versions/$id"; then
    rm -rf "$ROOT$OPT/versions/$id"
    die "version $id was not taken; ${before:-nothing} is still the running one"
  fi
  sync  # what the link is about to name must be on the card before it
  switch_to "$id"
  sync
  say "switched to version $id"
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
  prune
}
