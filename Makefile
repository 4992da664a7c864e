# Everything the project needs is made here; `make` alone lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PYTHON ?= $(shell command -v python3 || command -v python)
VENV ?= .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.acp-notebook-ready
NODE := $(VENV)/.acp-notebook-node
JS_SOURCES := $(shell find js -name node_modules -prune -o -type f -print 2>/dev/null)
BUNDLE := acp_notebook/static/widget.js
PYTEST := $(PY) -m pytest

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

# --- setting up ----------------------------------------------------------------------------------

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "Python 3.10 or newer is needed; name one with make PYTHON=/path/to/python"; exit 1; }
	@# Debian keeps a part of the venv module in a package of its own.
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); [ "$$(id -u)" = 0 ] && apt-get update -q && apt-get install -q -y python3-venv && $(PYTHON) -m venv $(VENV); } \
	  || { echo "Python has no complete venv module: install python3-venv"; rm -rf $(VENV); exit 1; }

# The bundle is built by its own rule, so the install leaves it alone.
$(READY): pyproject.toml | $(VENV)/bin/python
	ACP_NOTEBOOK_SKIP_JS=1 $(PY) -m pip install --disable-pip-version-check --quiet --editable '.[dev]'
	touch $@

$(NODE): hatch_build.py $(READY)
	@need=$$($(PY) hatch_build.py --requires); if [ -n "$$need" ]; then $(PY) -m pip install --disable-pip-version-check --quiet "$$need"; fi
	@touch $@

$(BUNDLE): $(JS_SOURCES) hatch_build.py $(NODE)
	$(PY) hatch_build.py
	@touch $@

js/node_modules/.package-lock.json: js/package-lock.json $(NODE)
	$(PY) hatch_build.py npm ci --no-audit --no-fund
	@touch $@

.PHONY: setup
setup: $(READY) $(BUNDLE) ## Make .venv, install everything, build the bundle

.PHONY: chromium
chromium: $(READY) ## Find or install the browser that the tests drive
	@$(PY) tests/browser/chromium.py --install

# --- using it ------------------------------------------------------------------------------------

.PHONY: demo
demo: $(READY) $(BUNDLE) ## Open JupyterLab on the quickstart (HEADLESS=1 runs the notebook instead)
ifdef HEADLESS
	$(PY) scripts/run_notebook.py notebooks/quickstart.ipynb --output build/quickstart.ipynb
else
	$(PY) -m jupyterlab --ServerApp.root_dir=notebooks quickstart.ipynb $(LAB_ARGS)
endif

# --- checking ------------------------------------------------------------------------------------

.PHONY: test
test: lint js py browser kernel ## Everything: linters, types, both languages, browser and kernels

.PHONY: lint
lint: $(READY) js/node_modules/.package-lock.json ## ruff, mypy, tsc and the linter for TypeScript
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) hatch_build.py npm run check
	$(PY) hatch_build.py npm run lint

.PHONY: js
js: $(BUNDLE) js/node_modules/.package-lock.json ## Build the bundle and run vitest
	$(PY) hatch_build.py npm test

.PHONY: py
py: $(READY) $(BUNDLE) ## The tests that need neither a browser nor other kernels
	$(PYTEST) -m "not browser and not kernel"

.PHONY: browser
browser: $(READY) $(BUNDLE) chromium ## The tests in real front ends
	$(PYTEST) -m browser

.PHONY: kernel
kernel: $(READY) $(BUNDLE) ## The tests on several versions of ipykernel, each in its own environment
	$(PYTEST) -m kernel

AGENTS ?= pyd opencode gemini codex claude22 kimicode fast

.PHONY: agents
agents: $(READY) ## Install real agents (AGENTS="pyd opencode") and run each against a scripted model
	$(PY) -m scripts.agents.run $(AGENTS) --page

.PHONY: bench
bench: $(READY) $(BUNDLE) chromium ## Measure everything, one table and build/bench.json (QUICK=1: a tenth of it)
	$(PY) benchmarks/all.py $(if $(QUICK),--quick) $(BENCH)

.PHONY: shots
shots: $(READY) $(BUNDLE) chromium ## Take the README's screenshots in JupyterLab
	$(PY) scripts/screenshots.py

.PHONY: format
format: $(READY) ## Let ruff format the Python files
	$(PY) -m ruff check --fix --select I .
	$(PY) -m ruff format .

.PHONY: dist
dist: $(READY) ## Build sdist and wheel into dist/
	$(PY) -m pip install --disable-pip-version-check --quiet build
	$(PY) -m build

.PHONY: clean
clean: ## Remove what was built, not the environments
	rm -rf build dist acp_notebook/static js/coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
