##@ Apps: remote-write, a server for Prometheus remote write and OTLP

demo-remote-write: ## write metrics to the server for ten seconds, and query its files by DuckDB: top metrics, a rate, a chart
	@tools/setup check demo-remote-write
	@apps/remote-write/demo.sh

check-remote-write: ## test the server with a real Prometheus: as its sender, killed twice meanwhile, and its receiver beside ours (ten minutes more the first time)
	@tools/setup check check-remote-write
	@apps/remote-write/check-prometheus.sh

.PHONY: demo-remote-write check-remote-write
