# Sourced by deploy/setup.sh and deploy/bundle: pip, whose many words at a failure become one line.
# shellcheck shell=bash

# pip_quietly ARGUMENTS...: run the pip that PIP starts without a word; where it fails, PIP_SAID is why, in one line.
pip_quietly() {
  local said status=0
  said=$("${PIP[@]}" --disable-pip-version-check --no-input "$@" 2>&1) || status=$?
  # Only read by who sources this.
  # shellcheck disable=SC2034
  case $said in
    *'No space left'*) PIP_SAID="no disk space is left" ;;
    *'NewConnectionError'* | *'Failed to establish a new connection'* | *'name resolution'* | *'timed out'* | *'Timeout'* | *'ProxyError'* \
      | *'SSLError'* | *'ConnectionError'* | *'Connection refused'* | *'No matching distribution'*)
      PIP_SAID="the package index cannot be reached, or does not have them" ;;
    *'do not match the hashes'* | *'DO NOT MATCH THE HASHES'*) PIP_SAID="a package does not have the locked checksum" ;;
    *) PIP_SAID=$(grep -v '^ ' <<<"$said" | grep -iE 'error' | tail -n 1 | cut -c1-200) ;;
  esac
  return "$status"
}
