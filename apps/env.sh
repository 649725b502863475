# Source this instead of tools/env.sh from scripts that use parts of apps/setup.
# shellcheck source=tools/env.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/env.sh"
# Spark (apps/setup spark).
export SPARK="$HOTPB_TOOLS/spark"
# A real Prometheus (apps/setup prometheus).
export PROMETHEUS="$HOTPB_TOOLS/prometheus/prometheus"
# A server of S3's API (apps/setup s3).
export GOFAKES3="$HOTPB_TOOLS/s3/gofakes3"
