#!/bin/sh
# After the files are gone. Flows and state in /var/lib/flows stay: they are data, not files of the package.
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
fi
if [ "$1" = purge ] && [ -d /var/lib/flows ]; then
  rmdir --ignore-fail-on-non-empty /var/lib/flows
fi
