# Attention, measured. `make` lists what there is to do.

PYTHON ?= python3
PORT ?= 8000
PY := .venv/bin/python
NODE := $(shell command -v node 2>/dev/null)

# One thread: more only spin-wait on networks this small, and many times slower on a busy machine.
export OMP_NUM_THREADS := 1
export JUPYTER_PREFER_ENV_PATH := 1
export PYDEVD_DISABLE_FILE_VALIDATION := 1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help venv book serve test lint format unit js book-test nbval browser browser-setup \
        execute stamp weigh screenshots experiments bench lock clean distclean

help: ## list what there is to do
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

venv: ## make or update the environment in .venv
	@$(PYTHON) book/environment.py

book: venv ## execute what has changed and build the book
	@$(PY) book/build.py

serve: book ## serve the book on this machine (PORT=8000)
	@$(PY) book/serve.py $(PORT)

test: lint unit js book book-test nbval browser ## everything below, book included; what CI runs
	@echo "make test: all passed"

lint: venv ## ruff and mypy
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

format: venv ## let ruff lay out code and chapters
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

unit: venv ## unit tests of the package and of the build
	$(PY) -m pytest tests -m "not browser and not book" -n 2 --durations 5

js: venv ## unit tests of the live figures' JavaScript
	$(or $(NODE),$$(echo .venv/lib/python*/site-packages/playwright/driver/node)) --test tests/js/*.test.mjs

book-test: book ## check the chapters and the built pages
	$(PY) -m pytest tests -m book

nbval: book ## run every chapter twice, comparing outputs; the second time on a busy machine
	$(PY) tests/nbval_twice.py

browser: book browser-setup ## open every page in Chromium, with the network blocked
	CHROMIUM="$$($(PY) book/browser.py)" $(PY) -m pytest tests -m browser -n 2 --dist worksteal

browser-setup: venv ## install Chromium, if there is none
	@$(PY) book/browser.py

execute: venv ## execute chapters in place, to be committed (CHAPTER=chapters/NN_name.ipynb for one)
	@$(PY) book/execute.py $(CHAPTER)

stamp: venv ## write the first cell, with the repository's address, into all chapters
	@$(PY) book/_ext/book_bootstrap.py

weigh: book browser-setup ## what each page loads, gzipped, before and after the build's finish
	@$(PY) book/weigh.py

screenshots: book browser-setup ## every page wide and narrow, light and dark, in _build/screenshots
	@$(PY) book/screenshots.py

experiments: venv ## run the sweeps whose results the chapters show (long)
	@for script in $(filter-out %/common.py,$(wildcard experiments/*.py)); do \
	  echo "$$script"; $(PY) "$$script" || exit 1; done

bench: venv ## run the benchmarks
	@for script in $(filter-out %/common.py,$(wildcard benchmarks/*.py)); do \
	  echo "$$script"; $(PY) "$$script" || exit 1; done

lock: ## freeze requirements.txt with everything it needs into requirements.lock
	$(PYTHON) -m venv --clear _build/lock
	_build/lock/bin/python -m pip install -q -r requirements.txt
	@{ sed -n 1p requirements.lock; _build/lock/bin/python -m pip freeze --all | grep -v '^pip==' \
	  | sed 's/+cpu$$//'; } > _build/new.lock
	mv _build/new.lock requirements.lock
	rm -r _build/lock

clean: ## remove the built book and its cache
	rm -rf _build

distclean: clean ## remove the environment too
	rm -rf .venv .venv.lock
