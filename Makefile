# make demo   the product on a sample workspace     make test   everything CI runs
# make check  the fast part of it                   make help   the rest

PY := .venv/bin/python

.PHONY: help setup demo test check lint types clean
help:
	@sed -n 's/^# //p;s/^## //p' Makefile

## make setup  makes .venv (the other targets do it by themselves)
setup:
	@scripts/setup.sh

demo: setup
	@.venv/bin/palimpsest demo

test: lint types
	$(PY) -m pytest

check: lint types
	$(PY) -m pytest -m "not slow" -x -q

lint: setup
	.venv/bin/ruff check server tests
	.venv/bin/ruff format --check server tests

types: setup
	.venv/bin/mypy

## make clean  removes .venv and caches (the built wheel stays in the cache folder)
clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache
