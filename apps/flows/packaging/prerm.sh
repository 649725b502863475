#!/bin/sh
# Before the files go. In an update (dpkg: upgrade; rpm: 1) the old program runs on until the new one replaces it.
set -e
case $1 in
  remove | 0)
    if [ -d /run/systemd/system ]; then
      systemctl disable --now flows.service || true
    fi
    ;;
esac
