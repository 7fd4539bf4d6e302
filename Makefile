# `make help` lists the targets. Everything is installed into .venv from the pinned,
# hashed files in requirements/; nothing is installed outside this folder.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
DATA ?=
ARGS ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PIP_ROOT_USER_ACTION := ignore

PIP := $(BIN)/python -m pip install -qq --require-hashes --no-deps
UV_COMPILE := $(VENV)/tools/bin/uv pip compile --quiet --upgrade --generate-hashes --universal \
	--python-version 3.11 --no-header --no-emit-index-url --no-emit-find-links

.DEFAULT_GOAL := help
.PHONY: help setup check format test demo bench bench-search soak verify-histories \
	node-tools requirements clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---- setting up -------------------------------------------------------------

$(BIN)/python:
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Pincite needs Python 3.11 or later; name one with: make PYTHON=/path/to/python")'
	@echo "Making $(VENV) with $$("$(PYTHON)" -V)"
	@"$(PYTHON)" -m venv $(VENV)

# What the product imports, and its build backend.
$(VENV)/.imports: requirements/build.txt requirements/run.txt | $(BIN)/python
	@echo "Installing what Pincite imports"
	@$(PIP) -r requirements/build.txt -r requirements/run.txt </dev/null
	@touch $@

# The product itself, as it stands here: all that `make demo` needs.
$(VENV)/.run: pyproject.toml $(VENV)/.imports
	@$(BIN)/python -m pip install -qq --no-deps --no-build-isolation --editable . </dev/null
	@touch $@

# What the tests and the checks need beside it.
$(VENV)/.dev: requirements/test.txt requirements/check.txt | $(VENV)/.run
	@echo "Installing what the tests and checks import"
	@$(PIP) -r requirements/test.txt -r requirements/check.txt </dev/null
	@touch $@

setup: $(VENV)/.dev ## make .venv with Pincite, its tests and its checks

# Node comes with the tests' Python packages; its tools are pinned by tools/node/package-lock.json.
NPM := PATH="$(CURDIR)/$(BIN):$$PATH" npm --prefix tools/node --silent --ignore-scripts
NODE_TOOLS := tools/node/node_modules/.installed

$(NODE_TOOLS): tools/node/package.json tools/node/package-lock.json tools/node/unpack-browser.mjs | $(VENV)/.dev
	@echo "Installing the Node tools of the tests"
	@$(NPM) ci </dev/null
	@$(BIN)/node tools/node/unpack-browser.mjs
	@touch $@

node-tools: $(NODE_TOOLS) ## install the conformance suite, the MCP Inspector and a browser

requirements: $(VENV)/.dev ## pin the newest versions anew, with hashes and no addresses
	@test -x $(VENV)/tools/bin/uv || { "$(PYTHON)" -m venv $(VENV)/tools && $(VENV)/tools/bin/pip install -qq uv; }
	@for name in run build test check; do \
		$(UV_COMPILE) requirements/$$name.in --output-file requirements/$$name.txt || exit 1; done
	@$(NPM) update --package-lock-only </dev/null
	@$(BIN)/node tools/node/strip-lock.mjs

# ---- checking and testing ---------------------------------------------------

check: $(VENV)/.dev ## format, lint, types, imports, sizes, names, docs
	@$(BIN)/ruff format --check --quiet . || { echo "run: make format"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache --no-logo
	@$(BIN)/pytest -q tests/house tests/contract/test_promises.py

format: $(VENV)/.dev ## format the code and repair what ruff can repair
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

# Many tests wait for processes and disks, so they run side by side; a file stays on one worker.
test: $(VENV)/.dev $(NODE_TOOLS) ## run every test (ARGS="-k stamp" for some, -n 0 one by one)
	@$(BIN)/pytest -n auto --dist loadfile --durations=15 --durations-min=1 $(ARGS)

# ---- trying and measuring ---------------------------------------------------

demo: $(VENV)/.run ## import the sample knowledge base, walk through it, serve it (ONCE=1 ends)
	@$(BIN)/python examples/demo.py $(if $(ONCE),--once) $(ARGS)

bench: $(VENV)/.dev ## measure speed; prints a table and JSON
	@$(BIN)/python -m bench $(ARGS)

bench-search: $(VENV)/.dev ## score judged searches (DATA=FOLDER)
	@$(BIN)/python -m bench.search_quality $(DATA) $(ARGS)

soak: $(VENV)/.dev ## the concurrency and crash tests at full size
	@$(BIN)/python -m bench.soak $(ARGS)

verify-histories: $(VENV)/.dev ## verdicts, merges and replays of real histories (DATA=FOLDER)
	@$(BIN)/python -m bench.histories $(DATA) $(ARGS)
	@$(BIN)/python -m bench.replay $(DATA)

clean: ## remove what was installed and cached here
	@rm -rf $(VENV) tools/node/node_modules build dist .mypy_cache .ruff_cache .hypothesis
