# Two commands on a fresh machine: make demo, make test. Both need python3 (3.11 or newer), make and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

TRANSLATE := .venv-translate

# Workers of pytest. Types are checked beside them.
WORKERS ?= auto

.PHONY: demo paper native test unit test-all test-smoke test-spark test-translate lint bench spark-demo attack reports clean

demo: $(VENV)/.installed  ## what repeats what in the bundled sample, and why; writes out/demo/report.html
	$(BIN)/infostream-dedup demo --out out/demo
	@echo "before these commands: . $(BIN)/activate"

native:  ## compiles the kernels for this machine; after an edit of one
	$(BIN)/python native/kernel_compiler.py

test: $(VENV)/.installed-dev  ## linters and types beside unit, property and pin tests: minutes
	$(MAKE) --no-print-directory -j 2 lint unit

unit: $(VENV)/.installed-dev
	$(BIN)/pytest -q -n $(WORKERS) -m "not slow and not translate"

test-all: $(VENV)/.installed-dev lint  ## every test: processes, kills, attacks, browsers, Spark, 200 new cases a property
	$(BIN)/pip install --quiet -e '.[queue,semantic,spark,traces]' playwright
	HYPOTHESIS_PROFILE=thorough $(BIN)/pytest -n $(WORKERS) -m "not translate"

test-smoke: $(VENV)/.installed-dev  ## a few tests of what "make test" leaves out; those of Spark where it is installed
	$(BIN)/pytest -q -n $(WORKERS) -m smoke

test-spark: $(VENV)/.installed-dev  ## Spark in one process; needs Java 17 or newer
	$(BIN)/pip install --quiet -e '.[spark]'
	$(BIN)/pytest tests/spark

test-translate: $(TRANSLATE)/.installed  ## beside the genuine argostranslate (1.5 GB); writes a part of reports/cross-language.md
	$(TRANSLATE)/bin/python reports/make_translate_report.py

lint: $(VENV)/.installed-dev  ## style, imports, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	if [ -e .git ]; then $(BIN)/python tools/measure_house.py --check; fi
	$(BIN)/mypy

attack: $(VENV)/.installed-dev  ## kills, cuts, full disks, power loss, flipped bits, soak; writes reports/robustness.md
	$(BIN)/python -m benchmarks.attack

bench: $(VENV)/.installed-dev  ## speed and memory, as ratios against others in the same run; writes reports/speed.md
	$(BIN)/pip install --quiet -e '.[bench]'
	$(BIN)/python -m benchmarks

spark-demo: $(VENV)/.installed-dev  ## a Spark cluster on loopback: the same numbers as one process; needs Java 17
	$(BIN)/pip install --quiet -e '.[spark]'
	$(BIN)/python -m benchmarks.spark_demo

paper: $(VENV)/.installed-dev  ## the papers' tables and figures redone on what is there: reports/paper.html, reports/examples
	$(BIN)/python reports/make_paper.py

reports: $(VENV)/.installed-dev  ## the figures in reports/, from the labelled corpora beside the project
	$(BIN)/python reports/make_quality.py
	$(BIN)/python reports/make_comparison.py
	$(BIN)/python reports/make_verdicts.py
	$(BIN)/python reports/make_confirmed.py
	$(BIN)/python reports/make_pivot.py
	$(BIN)/python reports/make_criteria.py
	$(BIN)/python reports/make_passages.py
	$(BIN)/python reports/make_stream.py
	$(BIN)/python reports/make_word_order.py
	$(BIN)/python reports/make_coverage.py
	$(BIN)/python reports/make_readings.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; ok = sys.version_info >= (3, 11); sys.exit(0 if ok else f"infostream-dedup needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}. Say make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet -e '.[report,service]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet -e '.[dev]'
	@touch $@ $(VENV)/.installed

# torch is pinned, because the newest one, which argostranslate would take, brings gigabytes for graphics cards.
$(TRANSLATE)/.installed: pyproject.toml
	$(PYTHON) -m venv $(TRANSLATE)
	$(TRANSLATE)/bin/pip install --quiet torch==2.13.0 -e '.[translate]' pytest hypothesis
	@touch $@

clean:
	rm -rf $(VENV) $(TRANSLATE) out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
