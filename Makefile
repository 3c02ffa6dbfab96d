# Two commands for a newcomer, each complete by itself: `make run` opens the window, `make test` checks everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed.stamp

# The tests start the program hundreds of times; without its bytecode kept, each start would compile it again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install test check rewritten lint run benchmarks lock schema settings screenshots clean

install: $(STAMP)

$(STAMP): requirements-dev.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "WebRAG Desktop needs Python 3.11 or newer.")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# Each worker has a database server of its own; one more than processors, since many tests wait for processes they
# started. Files in order, since the slowest come first.
WORKERS ?= $(shell python3 -c 'import os; print((os.cpu_count() or 1) + 1)')
test: install
	@$(MAKE) --no-print-directory --jobs=2 lint rewritten
	@echo "Every test now, the slowest first: 20 to 50 minutes on two cores, and little to see at first."
	$(BIN)/python -m pytest --numprocesses=$(WORKERS) --dist=loadfile --no-loadscope-reorder --max-worker-restart=0

# What tells of most mistakes within two minutes: checks, and the tests that need no server, model or window.
check: lint
	$(BIN)/python -m pytest --quiet --numprocesses=$(WORKERS) --dist=loadfile tests/unit

# Beside the checks, which leave a processor idle: the tests' assertions are rewritten and kept once, which each worker
# would do for itself. What is wrong with a test is reported when it is run.
rewritten: install
	-@$(BIN)/python -m pytest --collect-only -qq >/dev/null

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Open the window, installing first where nothing is installed. LINKS="https://… notes.md" adds them.
run: install
	$(BIN)/webrag-desktop $(LINKS)

benchmarks: install
	$(BIN)/python -m benchmarks

# Pin every dependency again, with hashes and without index addresses (needs `uv`).
lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--upgrade -o requirements.txt pyproject.toml
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--constraint requirements.txt --extra dev -o requirements-dev.txt pyproject.toml

# Write webrag_desktop/storage/schema.sql again after adding a migration.
schema: install
	$(BIN)/python -m tests.support.write_schema

# Write blank.env and docs/settings.md again after changing a setting.
settings: install
	$(BIN)/python -m tests.support.write_settings

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist

# Draw the pictures again: the terminal's from real commands, the window's by all tests that take one.
screenshots: install
	$(BIN)/python -m tests.support.terminal_picture
	WEBRAG_SCREENSHOTS=1 $(BIN)/python -m pytest -q tests/gui tests/acceptance
