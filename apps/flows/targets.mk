##@ Apps: flows, a collector of NetFlow, IPFIX and sFlow

demo-flows: ## send NetFlow, IPFIX and sFlow through the collector and Kafka into ClickHouse by one schema file, and query the top talkers
	@apps/flows/demo.sh

check-flows: ## acceptance test of flows: live exporters, a real broker that is killed, ClickHouse, the page in Chromium (five minutes; a part: TEST=Broker)
	@[ -n "$(TEST)" ] || apps/flows/check-page.sh
	@apps/flows/check.sh $(TEST)

.PHONY: demo-flows check-flows
