# Everything runs in `.venv`, made from the extras that pyproject.toml declares.
#
#   PYTHON=python3.12 make test      another interpreter (the environment is made anew)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# One stamp per interpreter version, so that a change of PYTHON is noticed.
PYTHON_VERSION := $(shell $(PYTHON) -c 'import platform; print(platform.python_version())')
BASE_STAMP := $(VENV)/.stamp-base-$(PYTHON_VERSION)
DEV_STAMP := $(VENV)/.stamp-dev-$(PYTHON_VERSION)
LAB_STAMP := $(VENV)/.stamp-lab-$(PYTHON_VERSION)
DOCS_STAMP := $(VENV)/.stamp-docs-$(PYTHON_VERSION)

# Tests start hundreds of processes, which should not compile every module anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help

.PHONY: help
help: ## show this help
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{ printf "  %-12s %s\n", $$1, $$2 }'

# An environment of another version is made anew; any other one is kept, with what it has.
IS_OURS = $(BIN)/python -c 'import platform; exit(platform.python_version() != "$(PYTHON_VERSION)")'

$(BASE_STAMP): pyproject.toml
	$(IS_OURS) 2> /dev/null || $(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

# Where there is no environment yet, it is made at once and not on top of the other. Modules are
# compiled when they are first imported: few of all those packages are.
$(DEV_STAMP): pyproject.toml
	$(IS_OURS) 2> /dev/null || $(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[dev]'
	touch $(BASE_STAMP) $@

.PHONY: venv
venv: $(DEV_STAMP) ## create the development environment

.PHONY: demo
demo: $(BASE_STAMP) ## compile a GEMM and a softmax, run every level on the CPU, write a page that shows it
	@$(BIN)/python -m tileiras_xdsl.driver.demos

.PHONY: style
style: $(DEV_STAMP) ## ruff: lint and format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

# By one thread: of two, each would look at much of the same.
.PHONY: types
types: $(DEV_STAMP) ## strict type checking of the compiler
	$(BIN)/basedpyright src examples/interop

.PHONY: types-of-tests
types-of-tests: $(DEV_STAMP) ## strict type checking of tests, benchmarks and docs
	$(BIN)/basedpyright tests/pytest benchmarks docs

.PHONY: lint
lint: style types types-of-tests ## ruff and strict type checking of everything

.PHONY: filecheck
filecheck: $(DEV_STAMP) ## run the FileCheck tests
	$(BIN)/lit -v --print-result-after=failed -j 2 tests/filecheck

.PHONY: pytest
pytest: $(DEV_STAMP) ## run the Python tests
	$(BIN)/python -m pytest -n 2 --dist loadgroup

# For the inner loop. Types keep one core busy all the time, the rest the other one.
.PHONY: quick
quick: $(DEV_STAMP) ## style, types, FileCheck, generated pages, and two kernels at every level
	$(MAKE) --no-print-directory style
	$(MAKE) --no-print-directory --jobs=2 types quick-tests

.PHONY: quick-tests
quick-tests: $(DEV_STAMP) validate-kernels
	$(BIN)/python -m pytest -q tests/pytest/docs/test_reference.py tests/pytest/docs/test_modules.py \
	  tests/pytest/docs/test_support.py tests/pytest/docs/test_names.py tests/pytest/test_layering.py
	$(BIN)/lit -v --print-result-after=failed -j 1 tests/filecheck

VALIDATED := matmul_f16_f32 attention_forward

.PHONY: validate-kernels
validate-kernels: $(DEV_STAMP) ## run a GEMM and an attention on the CPU after every stage
	for kernel in $(VALIDATED); do \
	  $(BIN)/tileiras-xdsl tests/corpus/bytecode/13.4/$$kernel.tileirbc --gpu-name=sm_90a \
	    --emit=ptx --validate=quick -o /dev/null || exit 1; \
	done

# What takes a moment comes first. Of the rest no part keeps two cores busy to its end, so the parts
# run side by side; pytest takes longest, and its summary closes the output.
.PHONY: test
test: $(DEV_STAMP) ## run everything that has to pass before a commit
	$(MAKE) --no-print-directory style
	$(MAKE) --no-print-directory --jobs=3 types filecheck pytest

PART ?= all

.PHONY: more
more: $(DEV_STAMP) ## run the tests that `make test` leaves to CI (PART=browser for one part)
	$(MAKE) --no-print-directory --jobs=2 types-of-tests parts

.PHONY: parts
parts: $(DEV_STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadgroup --part=$(PART)

.PHONY: long
long: $(DEV_STAMP) ## run the Python tests that `make test` leaves out
	$(BIN)/python -m pytest -n 2 --dist loadgroup --long -m long

# Newer than what pyproject.toml asks for, in an environment of its own: what is new is noticed, and what breaks.
NEWEST := build/newest

.PHONY: newest
newest: ## run the tests of the front end with the newest cuda-tile and tileiras of PyPI
	$(PYTHON) -m venv --clear $(NEWEST)
	$(NEWEST)/bin/python -m pip install --quiet --no-compile --editable '.[dev]'
	$(NEWEST)/bin/python -m pip install --quiet --no-compile --upgrade cuda-tile nvidia-cuda-tileiras
	$(NEWEST)/bin/python -m pip list | grep -E 'cuda-tile'
	$(NEWEST)/bin/python -m pytest -n 2 tests/pytest/bytecode tests/pytest/corpus tests/pytest/cutile tests/pytest/oracle tests/pytest/test_cutile.py

.PHONY: triton
triton: $(DEV_STAMP) ## test kernels of Triton, which this installs
	$(BIN)/python -m pip install --quiet --editable '.[triton]'
	$(BIN)/python -m pytest -n 2 tests/pytest/triton

# What `make more` takes some of: random programs at every stage, also of products for Blackwell,
# kernels of cuTile beside what their source does as Python, kernels in which order matters, texts in every form, damaged bytecode, and modules that NVIDIA's
# verifier judges as well; programs compiled for this CPU beside the interpreter.
.PHONY: fuzz
fuzz: $(DEV_STAMP) ## run random tests by the thousand (hours)
	$(BIN)/python benchmarks/differential.py --count 2000 --check
	$(BIN)/python benchmarks/random_programs.py --seconds 3600 --jobs 2 --corpus build/random-programs
	$(BIN)/python benchmarks/tensor_core_programs.py --count 1000 --jobs 2 --failures build/tensor-core-programs
	$(BIN)/python benchmarks/cutile_programs.py --count 2000 --jobs 2 --failures build/cutile-programs
	$(BIN)/python benchmarks/cpu_programs.py --count 5000 --jobs 2
	$(BIN)/python benchmarks/ordered_kernels.py --count 2000
	$(BIN)/python benchmarks/order_pairs.py
	TILEIRAS_FUZZ_MODULES=2000 $(BIN)/python -m pytest -n 2 tests/pytest/fuzz/test_round_trip.py
	$(BIN)/python benchmarks/fuzz_inputs.py --seconds 3600 --jobs 2
	$(BIN)/python -m tests.pytest.oracle.differential

.PHONY: prove
prove: $(DEV_STAMP) ## prove all rewrites of integers and write docs/reference/proofs.md anew (minutes)
	$(BIN)/python -m tests.pytest.proofs --write

.PHONY: weight
weight: $(DEV_STAMP) ## how much there is to read, and how much of it a compilation visits
	$(BIN)/python benchmarks/weight.py

.PHONY: format
format: $(DEV_STAMP) ## repair what ruff can repair
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.PHONY: reference
reference: $(BASE_STAMP) ## write docs/reference, docs/images and the tables of docs/support.md anew
	$(BIN)/python docs/generate_modules.py
	$(BIN)/python docs/generate_reference.py
	$(BIN)/python docs/generate_support.py
	$(BIN)/python docs/generate_pictures.py

# Editable, so that notebooks and `make` run the sources of the clone.
$(LAB_STAMP): $(BASE_STAMP)
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[nvidia,notebook]'
	touch $@

.PHONY: lab
lab: $(LAB_STAMP) ## open the notebooks in JupyterLab
	$(BIN)/python -m jupyterlab docs/notebooks

.PHONY: notebooks
notebooks: $(DEV_STAMP) ## execute docs/notebooks and keep what the cells show
	$(BIN)/python docs/run_notebooks.py --write

# Notebooks are executed, with NVIDIA's tools as in tests.
$(DOCS_STAMP): $(DEV_STAMP)
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

.PHONY: docs
docs: $(DOCS_STAMP) ## build/site: guides, reference, API and notebooks as web pages with a search
	$(BIN)/python docs/site/build.py

.PHONY: clean
clean: ## remove the environment, builds and caches
	rm -rf $(VENV) build dist .hypothesis .pytest_cache .ruff_cache
