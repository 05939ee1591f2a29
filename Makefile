# Every word a contributor needs. A fresh machine has Python 3.11+ and git; the rest comes from requirements.lock.
#
#   make run        create .venv, install, start everything: RUN_HOME=.tradewind DAGS=examples
#   make lint       format, lint, types, import contracts
#   make check      the same, and unit + property + architecture tests
#   make test       everything this machine can run
#   make bench      the benchmark table
#   make simulate   SEEDS=10000 FIRST=1: the deterministic simulation over many seeds
#   make format     rewrite the sources as `make check` wants them
#   make lock       resolve requirements.lock again from pyproject.toml
#   make clean      remove the environment and every cache

PYTHON ?= python3
SEEDS ?= 10000
FIRST ?= 1
WORKERS ?= auto
TESTS ?= tests
RUN_HOME ?= .tradewind
DAGS ?= examples

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SOURCES := src tests benchmarks examples
# The installer is pinned by the same lock as everything else.
UV_VERSION = $(shell sed -n 's/^uv==\([^ ]*\).*/\1/p' requirements.lock)

.PHONY: run lint check test bench simulate format lock clean install
.DEFAULT_GOAL := check

install: $(STAMP)

$(STAMP): pyproject.toml requirements.lock
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv==$(UV_VERSION)"
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --compile-bytecode -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

run: $(STAMP)
	@$(BIN)/tradewind standalone --home $(RUN_HOME) --dags-folder $(DAGS)

lint: $(STAMP)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint
	TRADEWIND_TEST_REQUIRE= $(BIN)/pytest -n $(WORKERS) --dist loadfile $(wildcard tests/unit tests/property tests/architecture)

# By file: whole deployments are started for the tests of a file, and need not be started by each worker.
test: $(STAMP)
	$(BIN)/pytest -n $(WORKERS) --dist loadfile $(TESTS)

bench: $(STAMP)
	$(BIN)/python -m benchmarks

simulate: $(STAMP)
	$(BIN)/python -m tests.simulation --seeds $(SEEDS) --first $(FIRST)

format: $(STAMP)
	$(BIN)/ruff check --fix-only $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

# No registry host, URL or machine path may enter the lock: see docs/decisions/0002-lock-file-without-hosts.md.
lock: $(STAMP)
	$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header --no-emit-index-url \
	    --no-emit-find-links --python-version 3.11 --all-extras --group dev --output-file requirements.lock pyproject.toml
	@! grep -nE '://|^--|@ ' requirements.lock

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find $(SOURCES) -name __pycache__ -type d -prune -exec rm -rf {} +
