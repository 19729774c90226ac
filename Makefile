# Every target first creates .venv where it is missing and installs what constraints.txt names.
# Needed on the machine: make, git and Python 3.11 or newer.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# The targets of one call run in the order in which they are named, even with -j.
.NOTPARALLEL:

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed-by-make
# More arguments for pytest, such as PYTEST_ARGS="--slow" or PYTEST_ARGS="-k deals".
PYTEST_ARGS ?=

.PHONY: help
help:  ## Show this list
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1|\2/p' Makefile | while IFS='|' read -r name text; do \
		printf '%-10s %s\n' "$$name" "$$text"; done

.PHONY: demo
demo: $(STAMP)  ## Train for minutes, evaluate, render; the results are in runs/demo
	$(BIN)/python scripts/demo.py

.PHONY: test
test: $(STAMP)  ## Run the test suite
	$(BIN)/python -m pytest -n auto $(PYTEST_ARGS)

.PHONY: check
check: format lint types test  ## Check format, lint and types, and run the test suite

.PHONY: fmt
fmt: $(STAMP)  ## Format the code and sort its imports
	$(BIN)/ruff check --select I --fix --quiet
	$(BIN)/ruff format

.PHONY: format
format: $(STAMP)  ## Check that the code is formatted
	$(BIN)/ruff format --check

.PHONY: lint
lint: $(STAMP)  ## Look for mistakes and bad habits
	$(BIN)/ruff check

.PHONY: types
types: $(STAMP)  ## Check the types
	$(BIN)/mypy

.PHONY: bench
bench: $(STAMP)  ## Measure steps a second, beside peers, and where training spends its time
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/training.py

.PHONY: boards
boards: $(STAMP)  ## Write the tables and plots of results anew, from results/*.json
	$(BIN)/python scripts/boards.py

.PHONY: screenshots
screenshots: $(STAMP)  ## Take the pictures of the pages anew, in a Chromium on the path
	$(BIN)/python scripts/screenshots.py

.PHONY: verify
verify: $(STAMP)  ## Replay every recorded win by the engine and by the oracle
	$(BIN)/qv verify results/*.json

.PHONY: install
install: $(STAMP)  ## Only create .venv and install

.PHONY: clean
clean:  ## Remove .venv and all caches; runs/ stays
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is written last, so that an installation that failed is done again. Without a terminal
# pip says only what goes wrong; on one it shows its progress.
$(STAMP): pyproject.toml constraints.txt
	@rm -f $@
	@for python in python3.11 python3 python3.12 python3.13 python; do \
		"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
		python=; \
	done; \
	test -n "$$python" || { echo "qv-env needs Python 3.11 or newer on the PATH." >&2; exit 1; }; \
	echo "Setting up $(VENV) with $$("$$python" --version); the first time takes some minutes."; \
	"$$python" -m venv $(VENV)
	$(BIN)/python -m pip install $$(test -t 2 || echo --quiet) --disable-pip-version-check \
		-c constraints.txt -e ".[all]"
	@touch $@
	@echo "$(VENV) is ready."
