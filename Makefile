# Every word a contributor needs. A fresh machine has Python 3.11+ and git; the rest comes from requirements.lock.
#
#   make ui         build the pages of the web application
#   make ui-check   types, lint and tests of the web application
#   make run        create .venv, install, start everything: RUN_HOME=.tradewind DAGS=examples
#   make lint       format, lint, types, import contracts
#   make check      the same, and unit + property + architecture tests
#   make test       everything this machine can run
#   make bench      the benchmark table
#   make screenshots  paint every page into docs/images
#   make simulate   SEEDS=10000 FIRST=1: the deterministic simulation over many seeds
#   make format     rewrite the sources as `make check` wants them
#   make lock       resolve requirements.lock again from pyproject.toml
#   make clean      remove the environment and every cache

PYTHON ?= python3
SEEDS ?= 10000
FIRST ?= 1
# Many tests wait for processes: one more than there are cores keeps these busy.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
TESTS ?= tests
RUN_HOME ?= .tradewind
DAGS ?= examples

# Tests start hundreds of processes. Where Python may not keep what it compiled, each compiles everything again.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SOURCES := src tests benchmarks examples
# The installer is pinned by the same lock as everything else.
UV_VERSION = $(shell sed -n 's/^uv==\([^ ]*\).*/\1/p' requirements.lock)

.PHONY: run ui ui-check ui-packages lint check test bench screenshots simulate format lock clean install
.DEFAULT_GOAL := check

install: $(STAMP)

$(STAMP): pyproject.toml requirements.lock
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv==$(UV_VERSION)"
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --compile-bytecode -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

# Built when they are asked for, so that whoever changes only Python needs no Node. It looks for itself whether there is
# anything to do: by the contents of the sources, of which times say little.
ui: $(STAMP)
	@$(BIN)/python hatch_build.py

# What `ui/package-lock.json` says, from a registry.
ui-packages: $(STAMP)
	@cd ui && PATH="$(CURDIR)/$(BIN):$$PATH" npm install --no-save --prefer-offline --silent

ui-check: ui
	$(BIN)/python -m tests.architecture.openapi_document > ui/openapi.json
	cd ui && PATH="$(CURDIR)/$(BIN):$$PATH" && npm run --silent api && npm run --silent check && npm test

run: $(STAMP) ui
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

# By the tests that look at every page; `docs/pages.md` shows them.
screenshots: $(STAMP)
	TRADEWIND_SCREENSHOTS=1 TRADEWIND_TEST_BROWSER=required $(BIN)/pytest -q -n 0 --basetemp=/tmp/tradewind -k everybody tests/browser/test_every_page.py

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
