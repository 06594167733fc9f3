# Everything runs from a virtual environment in .venv, made on first use and renewed when the pinned versions change.
#
#   make run ARGS="list --json"     arguments for pollux
#   make test PYTHON=python3.13     another interpreter (after `make clean`)

PYTHON ?= python3
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.run
DEV := $(VENV)/.dev
ENGINES := $(VENV)/.engines
PIP := $(BIN)/python -m pip --disable-pip-version-check

# Tests make thousands of small files: in memory, where the system offers it as a folder.
QUICK := $(shell test -w /dev/shm && echo /dev/shm || echo $${TMPDIR:-/tmp})

# Who has no work left takes some from the others, so that no long test runs alone at the end.
PYTEST := TMPDIR=$(QUICK) $(BIN)/pytest -n auto --dist worksteal

# One test after the other: a test that failed because all cores were busy passes here, and any other fails again.
ALONE := TMPDIR=$(QUICK) $(BIN)/pytest -n 0

# Without files of bytecode, each process would compile all tests again.
test quick test-exhaustive: export PYTHONDONTWRITEBYTECODE :=

# Where the large benchmarks make their histories, and leave them for the next time.
LARGE ?= /tmp/pollux-bench

# Where releases of the agents are installed, for the tests in tests/agents.
AGENTS ?= $(HOME)/.cache/pollux-agents

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: run test quick lint bench bench-large bench-growth bench-database bench-first test-exhaustive bench-lake engines test-agents clean help

run: $(RUN) ## Open pollux on this machine's histories, or on the bundled sample where there are none
	@$(BIN)/pollux --or-sample $(ARGS)

test: lint ## Check style, types and layers, then run all tests; AGAIN=1 judges those that fail once more, alone
	$(PYTEST) $(ARGS) || { [ $$? -eq 1 ] && [ -n "$(AGAIN)" ] && $(ALONE) --last-failed --last-failed-no-failures=none; }

quick: $(DEV) ## Run the quick unit tests and the transcripts
	$(PYTEST) -q -m "not slow and not hypothesis" tests/unit tests/cli/test_transcripts.py tests/test_house.py $(ARGS)

lint: $(DEV) ## Check style, types and layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: $(DEV) ## Measure speed and memory (benchmarks/run.py)
	$(BIN)/python -m benchmarks.run $(ARGS)

bench-large: $(DEV) ## Measure the store with 10,000 sessions of 2.5 GB, and whether it finds all there is
	$(BIN)/python -m benchmarks.store $(LARGE) 10000
	$(BIN)/python -m benchmarks.recall $(LARGE)/home-10000 $(LARGE)/cache

bench-growth: $(DEV) ## Measure the store with 1,000 to 50,000 small sessions, and draw how the cost grows
	for count in 1000 3000 10000 50000; do $(BIN)/python -m benchmarks.store $(LARGE) $$count --kilobytes 50; done | tee store.jsonl
	$(BIN)/python -m benchmarks.plot < store.jsonl > docs/pictures/store.svg

bench-database: $(DEV) ## Measure a database of OpenCode with 5,000 sessions of 2 GB
	$(BIN)/python -m benchmarks.database $(LARGE)

bench-first: $(DEV) ## Measure the first commands without a cache, with 1,000 to 50,000 small sessions, and draw how they grow
	$(BIN)/python -m benchmarks.first $(LARGE) 1000 3000 10000 50000 --kilobytes 50 --rounds 1 | tee first.jsonl
	$(BIN)/python -m benchmarks.plot < first.jsonl > docs/pictures/first.svg

bench-lake: $(ENGINES) ## Measure push, load, questions and Spark with 500 to 8,000 sessions, and draw how the cost grows
	$(BIN)/python -m benchmarks.lake $(LARGE) 500 1000 2000 4000 8000 $(ARGS) | tee lake.jsonl
	$(BIN)/python -m benchmarks.plot < lake.jsonl > docs/pictures/lake.svg

engines: $(ENGINES) ## Install the engines that judge lakes: Spark, ClickHouse, Polars, a store like S3 (2 GB)

# What tries a sample otherwise: it reads POLLUX_EXHAUSTIVE, or imports what does (tests/samples.py).
SAMPLED = tests/properties tests/archive tests/index/test_crash.py tests/index/test_first.py tests/lake/push \
	tests/lake/test_racing.py tests/cli/test_midst.py tests/hostile/test_shapes.py tests/hostile/test_slow_texts.py \
	tests/hostile/test_worst_cases.py tests/unit/index/search/direct/test_examine.py tests/unit/writers/test_corpus.py \
	tests/unit/writers/native/test_read_back.py tests/index/test_some_bundles.py tests/index/test_parts.py

test-exhaustive: $(DEV) ## Run the tests of properties, recovery and sudden ends over every case instead of a sample
	POLLUX_EXHAUSTIVE=1 $(PYTEST) $(SAMPLED) $(ARGS)

test-agents: $(DEV) ## Install releases of the agents (3 GB) and let them judge what pollux writes
	$(BIN)/python tests/agents/harness/resume.py install $(AGENTS)
	RESUME_CLIS=$(AGENTS) RESUME_ALL=1 $(PYTEST) tests/agents $(ARGS)

clean: ## Remove the environment and everything else that is made
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -path ./.git -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Running needs less than testing does. Both live in one environment, and either may come first.
# The build backend comes before the rest, pinned like it. So pip need not fetch an unpinned one for the build.
$(RUN) $(DEV): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("pollux needs Python 3.11 or newer." if sys.version_info < (3, 11) else 0)'
	@echo "Setting up $(VENV), to $(if $(filter $@,$(RUN)),run,test) pollux ..."
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(PIP) install -q -c constraints.txt hatchling
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[$(if $(filter $@,$(RUN)),all,dev)]'
	@touch $@ $(if $(filter $@,$(DEV)),$(RUN))

# pyspark is built here too, and its build needs setuptools and wheel. Two engines need other releases of what is here:
# the DuckDB that its reader of Delta tables is made for, and the client of Spark that Sail understands.
$(ENGINES): $(DEV)
	@$(PIP) install -q -c constraints.txt setuptools wheel
	@$(PIP) install -q -c constraints.txt --no-build-isolation -e '.[engines]'
	@$(PIP) install -q --no-deps --upgrade --target $(VENV)/judges/duckdb duckdb==1.5.5 duckdb-extension-delta==1.5.5
	@$(PIP) install -q --no-deps --upgrade --target $(VENV)/judges/sail pysail==0.7.2 pyspark-client==4.1.3 \
		grpcio==1.85.1 grpcio-status==1.85.1 googleapis-common-protos==1.76.0
	@touch $@
