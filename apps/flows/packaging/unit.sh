#!/usr/bin/env bash
# Prints the unit of the package: flows.service, with the package's path of the program and a user of its own, so that files of
# flows keep their owner.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
sed -e '1,2d' -e 's#/usr/local/bin/flows#/usr/bin/flows#' -e 's#^DynamicUser=yes#User=flows\nGroup=flows#' flows.service
