# Source this instead of tools/env.sh from scripts that use parts of apps/remote-write/setup.
# shellcheck source=tools/env.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tools/env.sh"
# DuckDB in a Python module: PYTHONPATH="$DUCKDB".
export DUCKDB="$HOTPB_TOOLS/duckdb"
# Spark in a Python module.
export SPARK="$HOTPB_TOOLS/spark"
# A real Prometheus.
export PROMETHEUS="$HOTPB_TOOLS/prometheus/prometheus"
# A server of S3's API.
export GOFAKES3="$HOTPB_TOOLS/s3/gofakes3"
