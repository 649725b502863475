# What set-up scripts share; source it after tools/env.sh, with the script's name in $self. A script has functions that bring its parts, and calls one of them.
# shellcheck shell=bash

die() { printf '%s: %s\n' "$self" "$*" >&2; exit 1; }
say() { printf '%s: %s\n' "$self" "$*" >&2; }

# part NAME VERSION PROOF FUNCTION: runs FUNCTION WORKDIR unless the stamp says VERSION and the file PROOF exists.
part() {
  local name=$1 version=$2 proof=$3 build=$4 stamp=$HOTPB_TOOLS/.$1.stamp work
  ready() { [ -e "$proof" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$version" ]; }
  ready && return
  mkdir -p "$HOTPB_TOOLS"
  exec 9>"$HOTPB_TOOLS/.$name.lock"
  if command -v flock >/dev/null 2>&1; then flock 9; fi
  if ! ready; then
    say "bringing $name ($version)"
    rm -f "$stamp"
    work=$(mktemp -d "$HOTPB_TOOLS/.$name.XXXXXX")
    # shellcheck disable=SC2064  # $work is meant as it is now
    trap "rm -rf '$work'" EXIT
    "$build" "$work"
    rm -rf "$work"; trap - EXIT
    [ -e "$proof" ] || die "$name: ended without making ${proof#"$HOTPB_ROOT/"}"
    printf '%s\n' "$version" > "$stamp"
  fi
  exec 9>&-
}

# replace FROM TO: puts a finished folder in place in one step.
replace() { rm -rf "$2"; mv "$1" "$2"; }

pip_() { "$HOTPB_PYTHON" -m pip --disable-pip-version-check --quiet "$@"; }

# missing_packages ROW...: the Debian packages that are not installed. A row is the package, "|" and a shell test for its contents.
missing_packages() {
  local row
  for row; do
    eval "${row#*|}" >/dev/null 2>&1 || printf '%s\n' "${row%%|*}"
  done
}

can_apt() { [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] && command -v apt-get >/dev/null; }

apt_install() {
  say "apt-get install $*"
  export DEBIAN_FRONTEND=noninteractive
  local opts=(-qq -y --no-install-recommends -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)
  # The package lists may be stale or absent: refresh once, only when the first attempt fails.
  apt-get "${opts[@]}" install "$@" >/dev/null 2>&1 \
    || { apt-get -qq -o DPkg::Lock::Timeout=300 update && apt-get "${opts[@]}" install "$@" >/dev/null; } \
    || die "apt-get could not install: $*"
}

install_missing() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  can_apt || die "missing system packages: ${missing[*]} (Debian: sudo apt-get install ${missing[*]})"
  apt_install "${missing[@]}"
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] || die "still missing after apt-get install: ${missing[*]}"
}
