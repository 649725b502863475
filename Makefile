# hotpb: the commands of a contributor. Recipes call scripts; the top of each script documents it.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
# Targets share build folders and cores, so make runs one at a time; the tools that they call run in parallel themselves.
.NOTPARALLEL:

TESTEE ?=
LANGUAGE ?=
FUZZ_SECONDS ?= 30
STEPS ?=
SCHEMAS ?= $(if $(HOTPB_DATA),$(HOTPB_DATA)/schemas)
TEST ?=
SET ?=

##@ First

help: ## print this list
	@awk -F ':.*## ' '/^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## run the main job on real input: a /metrics page through C++'s writer, remote write through Rust's pool and Go's view
	@tools/setup check demo
	@tools/setup protoc
	@examples/first-light/demo.sh $(if $(FILE),"$(FILE)")

test: ## run every test that must pass before a commit is shared; ends with a table (without the apps: STEPS=core)
	@tools/test $(STEPS)

quick: ## after a small edit: build and test the rooms that it touches (one language: LANGUAGE=cpp)
	@tools/quick $(LANGUAGE)

demo-trace: ## record the C++ generator at work through shared memory, and query its hottest slices with Perfetto's trace processor (your schema: SET=x.fds)
	@tools/setup check demo-trace
	@examples/tracing/demo.sh $(if $(SET),"$(SET)")

##@ Tests

conformance: ## build the testees, build/conformance/<language>-<face>, and run the official conformance suite against each (one: TESTEE=go-view)
	@tools/setup check
	@tools/setup protoc
	@tools/setup runner
	@tools/testgen
	@tools/each testees.sh $(if $(TESTEE),$(firstword $(subst -, ,$(TESTEE))))
	@conformance/run $(TESTEE)

fuzz: setup ## fuzz every reader and generator, FUZZ_SECONDS=30 for each target
	@tools/vectors/compile
	@tools/each fuzz.sh -- $(FUZZ_SECONDS)

lint: setup ## run the formatters and linters of every language, the house rules and budgets, and the prose rules
	@tools/lint
	@tools/budgets
	@tools/prose/lint
	@tools/each lint.sh

check-all: ## run lint, test, a minute of fuzzing per target, sanitizers, and Miri where it installs (hours)
	@$(MAKE) --no-print-directory lint test
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=60
	@tools/test bench
	@tools/names/run --schemas 40
	@tools/setup machines || echo "SKIPPED: the tests on machines whose packages are missing"
	@tools/each check-all.sh
	@examples/tracing/check.sh
	@examples/rows/check.sh
	@tools/releasing/test.sh --all
	@tools/docs/test --all
	@tools/foreign/test.sh --all
	@tools/weight
	@examples/tracing/demo.sh
	@if [ -n "$(SCHEMAS)" ]; then tools/foreign-schemas $(SCHEMAS); else echo "SKIPPED: foreign schemas: SCHEMAS=DIR names some"; fi

##@ Work

gen: setup ## regenerate all generated code that is committed
	@tools/each gen.sh

bench: setup ## run the benchmark grid and render the report, measure messages of many shapes, and weigh the generated code (some tasks: TASK="rw1-decode …")
	@bench/run $(TASK) > build/bench.jsonl
	@bench/render build/bench.jsonl
	@[ -n "$(TASK)" ] || { bench/peers --make build/peers/made && bench/peers build/peers/made; }
	@[ -n "$(TASK)" ] || tools/weight

weight: setup ## measure generated code beside the stock runtimes' (bytes, compile time, memory), and compare with our budgets
	@tools/weight

docs: ## build the site of the documentation and the API references: build/site/index.html; fails on a broken link
	@tools/docs/build

setup: ## install the pinned tools into build/tools, and generate the code that only tests use (quick the second time)
	@tools/setup all

clean: ## remove everything that was built or installed
	@rm -rf build rust/target

# Each app has targets of its own.
include $(wildcard apps/*/targets.mk)

.PHONY: help demo test quick demo-trace conformance fuzz lint check-all gen bench weight docs setup clean
