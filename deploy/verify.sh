# Sourced by lib.sh: the only door for a package. It is copied, its signature checked by openssl, unpacked by a user without
# rights, and every file compared with the signed list, in this order; each later step happens only after the one before it.
# shellcheck shell=bash disable=SC2034,SC2154

KEYS=$ETC/keys.d                      # public halves of the keys that this box trusts
TRUST=/var/lib/table-companion-trust  # the highest serial that was taken; the key of what is built here
BUILDER=companion-build               # the user as whom everything of a package runs, until it is the running version
BIGGEST_ZIP=$((400 << 20))            # bytes that a packed package may take; with every library it is a quarter of that
STEP_S=${COMPANION_STEP_S:-600}        # seconds that a step of the builder may take; an emulated processor needs more
ALLOW_OLDER=0 ONLINE=0 TRUST_NOW=()
WORK="" PACKAGE="" PYTHON="" SIGNER="" SERIAL=""
PASSED=""                             # what newer packages of a stick were passed over, as the end of a line

# -- a user without rights ------------------------------------------------------------------------------------

# builder_ids: user and group to build as. A folder that stands for / may be that of a machine without that user.
builder_ids() {
  if id -u "$BUILDER" >/dev/null 2>&1; then printf '%s %s\n' "$(id -u "$BUILDER")" "$(id -g "$BUILDER")"
  elif [ -n "$ROOT" ] || [ "$DRY_RUN" = 1 ]; then printf '65534 65534\n'
  else die "the user $BUILDER is missing; run deploy/install again"; fi
}

# as_builder COMMAND...: run it without rights, network (but for ONLINE=1) or root's environment; where the system can, all
# that it started ends with it. Only the folders in and build below WORK are its to write.
as_builder() {
  # The lock is not theirs: what might be left of them must not hold it.
  exec_builder "$@" 9>&-
}

exec_builder() {
  local clean=(env -i "PATH=$PATH" LC_ALL=C.UTF-8 "HOME=$WORK/build" "TMPDIR=$WORK/build/tmp" PYTHONDONTWRITEBYTECODE=1) name uid gid
  if [ "$ONLINE" = 1 ]; then
    for name in PIP_CERT PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_NO_INDEX PIP_DEFAULT_TIMEOUT PIP_RETRIES http_proxy https_proxy no_proxy; do
      if [ -n "${!name:-}" ]; then clean+=("$name=${!name}"); fi
    done
  fi
  if [ "$(id -u)" -ne 0 ]; then
    "${clean[@]}" timeout "$STEP_S" "$@"
    return
  fi
  read -r uid gid < <(builder_ids) || exit 1
  if systemd_runs; then
    local online=(-p PrivateNetwork=yes)
    if [ "$ONLINE" = 1 ]; then online=(); fi
    systemd-run --quiet --wait --pipe --collect --service-type=exec -p User="$uid" -p Group="$gid" "${online[@]}" \
      -p ProtectSystem=strict -p BindPaths="$WORK" -p ProtectHome=yes -p PrivateTmp=yes -p PrivateDevices=yes \
      -p NoNewPrivileges=yes -p CapabilityBoundingSet= -p RestrictSUIDSGID=yes -p RestrictNamespaces=yes -p KillMode=control-group \
      -p ProtectProc=invisible -p MemoryMax=1G -p TasksMax=256 -p RuntimeMaxSec="$STEP_S" -p UMask=0022 "${clean[@]}" "$@"
    return
  fi
  local fence=(unshare --pid --fork --kill-child)
  if [ "$ONLINE" != 1 ]; then fence+=(--net); fi
  if ! "${fence[@]}" true 2>/dev/null; then fence=(); fi
  "${fence[@]}" setpriv --reuid="$uid" --regid="$gid" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
    "${clean[@]}" timeout "$STEP_S" "$@"
}

# open_work: make the folder in which a package is copied, unpacked and built. Root's own, but for what the builder writes;
# it lies where that user can reach it and run programs, beside the versions if that may be.
open_work() {
  local bases=("${TMPDIR:-/tmp}" /var/tmp /tmp) base uid gid
  if [ "$DRY_RUN" != 1 ]; then bases=("$ROOT$OPT" "${bases[@]}"); fi
  for base in "${bases[@]}"; do
    if [ ! -d "$base" ] || [ ! -w "$base" ]; then continue; fi
    WORK=$(mktemp -d "$base/work.XXXXXXXX")
    chmod 0711 "$WORK"
    mkdir -m 0755 "$WORK/package"
    mkdir -m 0700 "$WORK/in" "$WORK/build"
    mkdir -m 0700 "$WORK/build/tmp"
    if [ "$(id -u)" -eq 0 ]; then
      read -r uid gid < <(builder_ids) || exit 1
      chown "$uid:$gid" "$WORK/in" "$WORK/build" "$WORK/build/tmp"
    fi
    # shellcheck disable=SC2016
    if as_builder sh -c 'cd "$1" && printf "#!/bin/sh\n" >try && chmod 0755 try && ./try && rm try' sh "$WORK/build" 2>/dev/null; then
      PACKAGE=$WORK/package
      PYTHON=$(pick_python as_builder)
      return 0
    fi
    rm -rf "$WORK"
  done
  die "no folder was found in which $BUILDER may work; is the disk full, or /tmp closed?"
}

# empty_work: make the working folder as it was before a package that could not be taken.
empty_work() {
  rm -rf "$WORK"/package.zip "$WORK"/package.zip.sig "$WORK"/message "$WORK"/names "$WORK"/taken
  find "$WORK/in" "$WORK/package" -mindepth 1 -delete
  SERIAL="" SIGNER=""
}

# contents COMMAND...: deploy/package.py, as the builder; the program itself comes from root's copy.
contents() { as_builder "$PYTHON" -I -S - "$@" <"$here/package.py"; }

# bring FROM TO: let root have a copy of what the builder made. The builder reads it and root writes it, so no link and no
# program that is left over can lead root elsewhere, or change the copy.
bring() {
  mkdir -p "$2"
  chmod 0700 "$2"
  as_builder tar -C "$1" -cf - . | (umask 022 && tar -C "$2" --no-same-owner --no-same-permissions -xf -) \
    || die "$2: could not be written to its end (disk full?); nothing was changed"
  local odd
  odd=$(find "$2" ! -type f ! -type d ! -type l | head -n 1)
  [ -z "$odd" ] || die "${odd#"$2"/}: neither a file nor a folder; do not use this package"
}

# -- keys -----------------------------------------------------------------------------------------------------

is_public_key() {
  [ -f "$1" ] && [ ! -L "$1" ] && [ "$(stat -c %s "$1")" -le 4096 ] && ! grep -q PRIVATE "$1" \
    && openssl pkey -pubin -in "$1" -noout -text 2>/dev/null | grep -q '^ED25519 Public-Key'
}

# key_words KEY: its name, and eight groups of its sum to compare by eye.
key_words() {
  printf '%s (%s)\n' "$(basename "${1%.pub.pem}" .pem)" \
    "$(openssl pkey -pubin -in "$1" -outform DER | sha256sum | head -c 32 | sed 's/..../& /g; s/ $//')"
}

# keys: the files of the trusted keys; what others may write, and what is no such key, is named and not used.
keys() {
  local key
  for key in "$ROOT$KEYS"/*.pem "${TRUST_NOW[@]}"; do
    if [ ! -e "$key" ]; then continue; fi
    if [ -n "$(find "$key" -maxdepth 0 -type f -user "$(id -u)" ! -perm /022)" ] && is_public_key "$key"; then printf '%s\n' "$key"
    else warn "${key#"$ROOT"}: not used: expected an Ed25519 public key that is root's and that only root may write"; fi
  done
}

# signer FILE SIGNATURE: say which trusted key has signed FILE; fails where none has.
signer() {
  local key
  while IFS= read -r key; do
    if openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in "$1" -sigfile "$2" >/dev/null 2>&1; then
      key_words "$key"
      return 0
    fi
  done < <(keys)
  return 1
}

# trust FILE: take a public key, from now on. Never from a stick: whoever may plug one in must not decide this.
trust() {
  local source name target
  source=$(readlink -f "$1") || die "$1: no such file"
  case $source in
    /media/* | /run/media/* | "$(readlink -f "$ROOT/")"/media/* | "$(readlink -f "$ROOT/")"/run/media/*)
      die "$1: a key is never taken from a stick; copy it to the card first, and compare its groups with those you were told" ;;
  esac
  name=$(basename "$source" .pem)
  case $name in "" | *[!A-Za-z0-9._-]* | .* | -*) die "$1: a key's file is named like maintainer-2026.pem" ;; esac
  is_public_key "$source" || die "$1: expected an Ed25519 public key, as deploy/sign make-key writes it (NAME.pub.pem)"
  [ -z "$(find "$source" -maxdepth 0 -perm /002)" ] || die "$1: everybody may write this file, so nobody knows whose key it is"
  name=${name%.pub}
  target=$ROOT$KEYS/$name.pem
  if [ -f "$target" ] && cmp -s "$source" "$target"; then return 0; fi
  [ ! -e "$target" ] || die "$1: another key is trusted under the name $name; rename the file, or remove ${target#"$ROOT"}"
  if [ "$DRY_RUN" = 1 ]; then TRUST_NOW+=("$source"); fi
  put_file "$KEYS/$name.pem" 0644 <"$source"
  say "trusted from now on: $(key_words "$source")"
}

# -- the package ----------------------------------------------------------------------------------------------

# take SOURCE TARGET BYTES: copy a file that may be anything, from a place that may be anybody's: no link is followed, no
# device waited for, and no more read than BYTES.
take() {
  local source=$1 target=$2 most=$3
  if [ ! -f "$source" ] || [ -L "$source" ]; then die "$source: no such file, or a link to one"; fi
  [ "$(stat -c %s "$source")" -le "$most" ] || die "$source: larger than a package can be ($(numfmt --to=iec "$most"))"
  dd if="$source" of="$target" bs=1M count="$((most / (1 << 20) + 1))" iflag=nofollow,nonblock,fullblock status=none 2>/dev/null \
    || die "$source: could not be read to its end (stick pulled out? disk full?); copy it again"
  chmod 0644 "$target"
}

refused() { die "$1 is not signed by a key that this box trusts$2"; }

# verify_list NAME: the signature of the list of contents in PACKAGE; what it says is read only afterwards.
verify_list() {
  { printf 'table-companion update 1\0'; cat "$PACKAGE/MANIFEST"; } >"$WORK/message"
  SIGNER=$(signer "$WORK/message" "$PACKAGE/MANIFEST.sig") || refused "$1" ": its list of contents was changed, or is another's"
}

# open_package SOURCE: bring a zip (with ZIP.sig beside it) or a folder into PACKAGE, verified; set SIGNER and SERIAL.
open_package() {
  local source=$1 name said file python machine
  name=$(basename "$source")
  case $source in
    *.zip)
      [ -f "$source" ] || die "$source: no such file"
      [ -f "$source.sig" ] || refused "$name" ": $name.sig is missing beside it"
      fits "$(stat -c %s "$source")" "$WORK"
      take "$source.sig" "$WORK/package.zip.sig" 4096
      take "$source" "$WORK/package.zip" "$BIGGEST_ZIP"
      SIGNER=$(signer "$WORK/package.zip" "$WORK/package.zip.sig") \
        || refused "$name" ": it was signed with another key, changed afterwards, or only half copied"
      said=$(contents unpack "$WORK/package.zip" "$WORK/in" "$BIGGEST" 2>&1) \
        || die "$name: ${said##*$'\n'}: not a whole package; copy it again"
      bring "$WORK/in" "$PACKAGE"
      rm -rf "$WORK/package.zip"
      verify_list "$name"
      ;;
    *)
      [ -d "$source" ] || die "$source: expected a .zip or a folder, made with deploy/bundle"
      if [ ! -f "$source/MANIFEST" ] || [ ! -f "$source/MANIFEST.sig" ]; then refused "$name" ": MANIFEST.sig is missing in it"; fi
      for file in MANIFEST MANIFEST.sig; do take "$source/$file" "$PACKAGE/$file" "$((1 << 20))"; done
      verify_list "$name"
      # Only what the list names is taken along: what else lies in the folder is nobody's affair.
      contents tell "$PACKAGE" names >"$WORK/names" || die "$name: its list of contents cannot be read"
      while IFS= read -r file; do
        mkdir -p "$PACKAGE/$(dirname "$file")"
        take "$source/$file" "$PACKAGE/$file" "$BIGGEST_ZIP"
      done <"$WORK/names"
      ;;
  esac
  chmod -R u=rwX,go=rX "$PACKAGE"
  said=$(contents check "$PACKAGE" 2>&1) || die "$name: ${said##*$'\n'}"
  said=$(contents tell "$PACKAGE" serial python machine)
  read -r SERIAL python machine <<<"$said"
  said=$(as_builder "$PYTHON" -I -S -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  case $python/$machine in
    any/any | "$said/$(uname -m)") ;;
    *) die "$name is for Python $python on $machine; this box has Python $said on $(uname -m)" ;;
  esac
  if [ "$SERIAL" -lt "$(highest_serial)" ] && [ "$ALLOW_OLDER" != 1 ]; then
    die "$name is older than what this box has had (serial $SERIAL after $(highest_serial)); as root: companion-update --allow-older PATH"
  fi
}

# highest_serial: of all packages taken so far. Also that of the running version, should the power have gone before it was noted.
highest_serial() {
  local file serial highest=0
  for file in "$ROOT$TRUST/serial" "$ROOT$OPT/current/SERIAL"; do
    serial=$(head -c 20 "$file" 2>/dev/null | tr -d '\n') || true
    case $serial in "" | *[!0-9]* | 0?*) continue ;; esac
    if [ "$serial" -gt "$highest" ]; then highest=$serial; fi
  done
  printf '%s\n' "$highest"
}

# note_taken: remember the serial, and the next keys that a package of a trusted key brings along.
note_taken() {
  local key
  if [ "$SERIAL" -ge "$(highest_serial)" ] && [ "$SERIAL" != "$(cat "$ROOT$TRUST/serial" 2>/dev/null)" ]; then
    put_quietly "$TRUST/serial" 0644 "$SERIAL"
  fi
  for key in "$PACKAGE"/deploy/keys/*.pem; do
    if [ -e "$key" ]; then (trust "$key") || true; fi
  done
}

# put_quietly PATH MODE WORDS: a small file, whole or not at all.
put_quietly() {
  mkdir -p "$ROOT$(dirname "$1")"
  printf '%s\n' "$3" >"$ROOT$1.new"
  chmod "$2" "$ROOT$1.new"
  sync "$ROOT$1.new"
  mv -f "$ROOT$1.new" "$ROOT$1"
}
