# make demo   the product on a sample workspace     make test   everything CI runs
# make check  the fast part of it                   make help   the rest

PY := .venv/bin/python

TRAIN_PY ?= .venv-train/bin/python
TRIAL := /tmp/palimpsest-trial

.PHONY: help setup demo test check lint types clean evaluate train-smoke
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

## make evaluate  measures the embedded model through llama.cpp (a sample)
evaluate: setup
	cd server && PYTHONPATH=. ../$(PY) -m training.evaluate --quick

## make train-smoke  a trial of all of server/training (its environment: server/training/README.md)
train-smoke:
	rm -rf $(TRIAL) && mkdir -p $(TRIAL)/wheels
	cd server && export PYTHONPATH=. && \
	  $(abspath $(TRAIN_PY)) -m training.data --wheels $(TRIAL)/wheels --out $(TRIAL) --max-modules 60 && \
	  $(abspath $(TRAIN_PY)) -m training.train --data $(TRIAL) --minutes 0.3 --layers 2 --width 64 && \
	  $(abspath $(TRAIN_PY)) -m training.export --checkpoint $(TRIAL)/checkpoint.pt --out $(TRIAL)/trial.gguf && \
	  $(abspath $(TRAIN_PY)) -m training.evaluate --model $(TRIAL)/trial.gguf --quick

## make clean  removes .venv and caches (the built wheel stays in the cache folder)
clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache
