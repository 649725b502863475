#!/usr/bin/env bash
# apps/flows/packaging/check.sh: builds the packages for both architectures, installs the one for this machine, runs the collector
# from it as its user, updates and removes it. It needs root on Debian, and changes the machine: use one that you can spare.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=tools/env.sh
. ../../tools/env.sh
die() { echo "FAILED: apps/flows/packaging/check.sh: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] && command -v dpkg >/dev/null || { echo "apps/flows/packaging/check.sh: this needs root, and dpkg" >&2; exit 2; }
if dpkg -s flows >/dev/null 2>&1 || getent passwd flows >/dev/null || [ -e /etc/flows ]; then
  echo "apps/flows/packaging/check.sh: a package, a user or a folder flows is here already; it must not be touched" >&2; exit 2
fi
./setup packaging
work=$(mktemp -d)
clean() {
  [ -z "${collector-}" ] || kill "$collector" 2>/dev/null || true
  dpkg --purge flows >/dev/null 2>&1 || true
  if getent passwd flows >/dev/null; then userdel flows; fi
  rm -rf "$work" /var/lib/flows
}
trap clean EXIT
version=$(../../tools/version)

for arch in amd64 arm64; do
  GOARCH=$arch CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$work/flows-$arch" .
  packaging/build.sh "$work/flows-$arch" $arch "$work" >/dev/null
  [ "$(dpkg-deb -f "$work/flows_$version-1_$arch.deb" Architecture)" = $arch ] || die "the package for $arch is of another architecture"
done
native=$(dpkg --print-architecture)
deb=$work/flows_$version-1_$native.deb
mkdir "$work/again"
packaging/build.sh "$work/flows-$native" "$native" "$work/again" >/dev/null
cmp "$deb" "$work/again/${deb##*/}" || die "the same files yield another package"

# A Go program is static; the changelog of Debian is not this one; systemctl is guarded, and deb-systemd-helper is not in RPM.
lintian --allow-root --fail-on error,warning \
  --suppress-tags statically-linked-binary,initial-upload-closes-no-bugs,maintainer-script-calls-systemctl "$deb" || die "lintian (above)"

dpkg -i "$deb" >/dev/null
[ "$(flows version | head -1)" ] || die "flows version prints nothing"
getent passwd flows >/dev/null || die "there is no user flows"
for file in flows.conf.yaml flows.yaml prefixes.csv interfaces.csv; do
  grep -qx "/etc/flows/$file" /var/lib/dpkg/info/flows.conffiles || die "$file is no conffile"
done
man -l /usr/share/man/man1/flows.1.gz 2>/dev/null | grep -q 'flows collect' || [ ! -x /usr/bin/man ] || die "the manual page is empty"
verified=$(systemd-analyze verify /usr/lib/systemd/system/flows.service 2>&1) || die "systemd-analyze verify: $verified"
[ -z "$verified" ] || die "systemd-analyze verify: $verified"

# The service's command, with its user and its configuration, into a file instead of Kafka.
install -d -o flows -g flows -m 750 /var/lib/flows
sed -i 's/^output: kafka$/output: file/; s/^# file:$/file: {folder: \/var\/lib\/flows\/out}/; s/^listen: .*/listen: ["127.0.0.1:20559"]/; s/^http: .*/http: 127.0.0.1:0/' \
  /etc/flows/flows.conf.yaml
command=$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/flows.service)
# shellcheck disable=SC2086
setpriv --reuid=flows --regid=flows --clear-groups -- $command 2> "$work/log" &
collector=$!
for _ in $(seq 100); do grep -q collecting "$work/log" && break; sleep 0.1; done
flows generate 127.0.0.1:20559 --count=2000 > "$work/sent.json"
sent=$("$HOTPB_PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["Flows"])' < "$work/sent.json")
sleep 1
kill "$collector"
wait "$collector" || die "the collector ended with $?: $(tail -3 "$work/log")"
collector=
got=$(cat /var/lib/flows/out/*.pb | flows cat - | wc -l)
[ "$got" = "$sent" ] && [ "$got" -gt 1000 ] || die "$got flows of $sent are in the files: $(tail -3 "$work/log")"
[ "$(stat -c %U /var/lib/flows/out)" = flows ] || die "the files are not the user's"

dpkg -i "$deb" >/dev/null
grep -qx 'output: file' /etc/flows/flows.conf.yaml || die "an update has replaced the configuration"
dpkg --remove flows >/dev/null
[ ! -e /usr/bin/flows ] && [ -e /etc/flows/flows.conf.yaml ] || die "after the removal, the program must be gone and the configuration there"
dpkg --purge flows >/dev/null
[ ! -e /etc/flows ] || die "the configuration is left after a purge"
[ -e /var/lib/flows/out ] || die "a purge has removed the flows"
echo "1 passed, 0 failed"
