# `make` or `make help` lists the targets.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.DEFAULT_GOAL := help

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /|/' | awk -F'|' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: $(READY) ## Match real flights against travellers' subscriptions, on Spark
	$(BIN)/penstock demo --output demo-output

test: $(READY) ## Run the tests (a minute and a half)
	$(BIN)/python -m pytest -n auto

test-slow: $(READY) ## Run the slower tests
	$(BIN)/python -m pytest -n auto -m slow

test-spark: $(READY) ## Run the tests that start Spark
	$(BIN)/python -m pytest -m spark

check: $(READY) ## Lint, check formatting, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## Format the code and mend what the linter can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY) ## Run the benchmarks and keep their results
	$(BIN)/python -m benchmarks.micro.parsing
	$(BIN)/python -m benchmarks.micro.intervals
	$(BIN)/python -m benchmarks.micro.rectangles
	$(BIN)/python -m benchmarks.micro.context

bench-peers: $(READY) ## Compare with other event matchers (Java with Maven, Go), as far as they can be had
	$(BIN)/python -m benchmarks.peers.run

lab: $(READY) ## Run the papers' experiments at small scale and gather them into a page
	$(BIN)/penstock lab run all --scale small --output lab-output
	$(BIN)/penstock lab report --output lab-output

lock: $(READY) ## Choose the newest versions of all dependencies and write requirements.lock
	$(BIN)/uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 --upgrade \
	  --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command "make lock" -o requirements.lock

clean: ## Remove the virtual environment and all that was built
	rm -rf $(VENV) demo-output lab-output dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

setup: $(READY) ## Make the virtual environment and install everything into it

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Penstock needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Give one: make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else None'
	@echo "Installing into $(VENV); the first time this takes a few minutes."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(READY)

.PHONY: help demo test test-slow test-spark check format bench bench-peers lab lock clean setup
