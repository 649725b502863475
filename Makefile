# hotpb: what a contributor types. Recipes call scripts; each script says in its head what it does.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
# Targets share the build folders and the two or more cores; the tools below them run in parallel themselves.
.NOTPARALLEL:

TESTEE ?=
LANGUAGE ?=
FUZZ_SECONDS ?= 30
STEPS ?=
SCHEMAS ?= ../shared/data/schemas
TEST ?=
SET ?=

##@ First

help: ## this list
	@awk -F ':.*## ' '/^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## the main job on real input: a /metrics page through C++'s writer, remote write through Rust's pool and Go's view
	@tools/setup check demo
	@tools/setup protoc
	@examples/first-light/demo.sh $(if $(FILE),"$(FILE)")

test: ## everything that must hold before a commit is shared (own tools included); ends with a table
	@tools/test $(STEPS)

quick: ## after a small edit: builds and tests the rooms it touches (of one language: LANGUAGE=cpp)
	@tools/quick $(LANGUAGE)

demo-flows: ## NetFlow, IPFIX and sFlow through the collector and Kafka into ClickHouse, all by one schema file; top talkers from SQL
	@examples/flows/demo.sh

demo-trace: ## records the C++ generator at work through shared memory, and asks Perfetto's trace processor for its hottest slices (yours: SET=x.fds)
	@tools/setup check demo-trace
	@examples/tracing/demo.sh $(if $(SET),"$(SET)")

##@ Tests, one by one

test-go: setup vectors ## Go: all tests
	@go/test.sh

test-rust: setup vectors ## Rust: all tests
	@rust/test.sh

test-cpp: setup vectors ## C++: all tests
	@cpp/test.sh

test-vectors: setup ## vectors: compile them, check that every sentence of spec/wire.md has one
	@tools/vectors/compile

goldens-check: setup ## golden plans: all three generators give vectors/plans/*.json byte for byte
	@tools/plan-goldens

generated-check: setup ## generated code that is committed equals what the generators write now
	@tools/check-generated

conformance: conformance-testees ## official conformance suite against every testee (one: TESTEE=go-view)
	@conformance/run $(TESTEE)

conformance-testees: setup-runner ## build the testees into build/conformance/<language>-<face>
	@tools/each testees.sh $(if $(TESTEE),$(firstword $(subst -, ,$(TESTEE))))

fuzz: setup vectors ## fuzz every reader and generator, FUZZ_SECONDS=30 for each target
	@tools/each fuzz.sh -- $(FUZZ_SECONDS)

check-flows: ## acceptance of examples/flows: live exporters, a real broker that is killed, ClickHouse, the page in Chromium (about five minutes; some: TEST=Broker)
	@[ -n "$(TEST)" ] || examples/flows/check-page.sh
	@examples/flows/check.sh $(TEST)

check-tracing: ## the long tests of examples/tracing: a thousand producers are killed, 3.6 million events, a minute of hostile memory, sanitizers
	@examples/tracing/check.sh

foreign: setup ## schemas that nobody here wrote (SCHEMAS=DIR of *.fds.gz) through every generator, compiler and reader (an hour)
	@tools/foreign-schemas $(SCHEMAS)

lint: setup ## formatters and linters of every language, the rules of the house, and those of its prose
	@tools/lint
	@tools/prose/lint
	@tools/each lint.sh

check-all: ## lint, test, a minute of fuzzing per target, sanitizers and Miri where there: what takes long
	@$(MAKE) --no-print-directory lint test
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=60
	@tools/names/run --schemas 40
	@tools/setup machines || echo "SKIPPED: the tests on machines whose packages are missing"
	@tools/each check-all.sh
	@examples/tracing/check.sh
	@tools/releasing/test.sh --all
	@if [ -d $(SCHEMAS) ]; then tools/foreign-schemas $(SCHEMAS); else echo "foreign schemas: $(SCHEMAS) is not there; SCHEMAS=DIR names another"; fi

##@ Work

gen: setup ## regenerate all generated code that is committed
	@tools/each gen.sh
	@examples/gen.sh

bench: setup ## run the benchmark grid and render the report, then weigh the generated code (some tasks: TASK="rw1-decode …")
	@bench/run $(TASK) > build/bench.jsonl
	@bench/render build/bench.jsonl
	@[ -n "$(TASK)" ] || tools/weight

weight: setup ## what generated code weighs, beside the stock runtimes': bytes, compile time, memory; and our budgets
	@tools/weight

amalgamate: ## the C++ runtime as one header: build/amalgamated/hotpb.h (and hotpb_wkt.h)
	@cpp/amalgamate.py

setup: ## bring the pinned tools into build/tools, generate the code that only tests use (quick the second time)
	@tools/setup all

clean: ## remove everything that was built or brought
	@rm -rf build rust/target

# Used by the targets above.
setup-runner:
	@tools/setup check
	@tools/setup protoc
	@tools/setup runner
	@tools/testgen

vectors: setup
	@tools/vectors/compile

.PHONY: help demo quick demo-flows demo-trace check-flows check-tracing test test-go test-rust test-cpp test-vectors goldens-check generated-check conformance \
	conformance-testees foreign fuzz lint check-all gen bench weight amalgamate setup clean setup-runner vectors
