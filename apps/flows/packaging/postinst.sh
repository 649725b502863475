#!/bin/sh
# After the files are there: the user flows, and if the collector runs already, the new program.
set -e
if command -v systemd-sysusers >/dev/null; then
  systemd-sysusers flows.conf
else
  getent group flows >/dev/null || groupadd --system flows
  getent passwd flows >/dev/null || useradd --system --gid flows --home-dir /var/lib/flows --no-create-home --shell /usr/sbin/nologin flows
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart flows.service || true
fi
# dpkg passes the old version of an update; rpm passes 1 for the first package.
if [ "$1" = 1 ] || { [ "$1" = configure ] && [ -z "$2" ]; }; then
  echo "flows: set the output in /etc/flows/flows.conf.yaml, then: systemctl enable --now flows"
fi
