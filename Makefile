# make test    set up .venv, then ruff, pyright and the tests that are not slow: minutes on two cores
# make check   the same with the slow tests, as .ci/run has it: all but the other parameters of sampled tests
# make test-all   the same with every test
# make oldest, make newest   the tests that are not slow on the oldest and on the newest PyTorch that mlc takes, with its
#              Triton, each in a virtual environment of its own: some 3 GB to download
# make demo    set up .venv, then the tour of the compiler
# make docs    the documentation as a site, with the reference, into site
# make lint    ruff and pyright alone
# make browser Chromium and its driver by apt, where root may
# make golden  thirty generated kernels whole, and of every benchmark and example a digest, into tests/golden
# make conformance   torch's own op database against eager, into docs/coverage.md
# make fuzz    FUZZ_SECONDS (600) of each fuzzer from FUZZ_SEED on, and FUZZ_GRAPHS (2,000) random PyTorch programs
# make soak    the long forms of the tests of long-lived processes and of a shared cache, with their figures
# make compare-setup   add XLA and TVM to .venv, for mlc-compare: some 900 MB
# make fusion-agreement   emulated fusion strategies against the real compilers
# make clean   remove what the others made
#
# Needs Python 3.11 or newer, pip and make. PYTHON=... chooses the Python, JOBS=... the
# number of test workers, TESTS=... what pytest is given, CONFORMANCE=..., AGREEMENT=... and GOLDEN=... options of
# those runs.

PYTHON ?= python3
JOBS ?= 2
TESTS ?= tests

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq
TORCH := torch>=2.11,<2.14
OLDEST := torch==2.11.*
NEWEST := torch==2.15.*

# `$(call timed,name,command)`: run the command, then say how long it took.
timed = start=$$(date +%s.%N); { $(2); } || exit 1; \
	printf 'time: %s: %.1f s\n' '$(1)' "$$(echo "$$(date +%s.%N) $$start" | awk '{ print $$1 - $$2 }')"

PYTEST = $(BIN)/python -m pytest -p xdist -n $(JOBS)
QUICK = $(PYTEST) -m 'not slow' $(TESTS)

.PHONY: test check test-all oldest newest demo docs lint browser conformance fuzz soak golden compare-setup fusion-agreement clean
.DEFAULT_GOAL := test

# What one process has compiled the next one loads: tests start many.
unexport PYTHONDONTWRITEBYTECODE

test: lint browser
	@$(QUICK)

check: lint browser
	@$(PYTEST) -m 'not unsampled' $(TESTS)

test-all: lint browser
	@$(PYTEST) $(TESTS)

# Each in a virtual environment of its own.
oldest:
	@$(MAKE) --no-print-directory .quick VENV=$(VENV)-$@ TORCH='$(OLDEST)'

newest:
	@$(MAKE) --no-print-directory .quick VENV=$(VENV)-$@ TORCH='$(NEWEST)'

.PHONY: .quick
.quick: $(STAMP)
	@$(QUICK)

demo: $(STAMP)
	@$(BIN)/python -m examples.demo

# A broken link, or a page that no menu has, is an error.
docs: $(STAMP)
	@$(BIN)/python -c 'import material' 2>/dev/null || $(PIP) --editable '.[docs]'
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# For the test of the page of mlc-compare, which skips where there is none. Only root installs, never for long,
# and a failure is no failure of the build.
browser:
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || { \
	  test "$$(id -u)" = 0 && command -v apt-get >/dev/null && export DEBIAN_FRONTEND=noninteractive && \
	  { timeout 60 apt-get -qq update && \
	    timeout 180 apt-get -qq install -y --no-install-recommends chromium chromium-driver; } >/dev/null 2>&1 ; } || \
	  echo 'notice: no browser: the test of the page of mlc-compare is skipped'

conformance: $(STAMP)
	@$(BIN)/python -m tests.conformance.opinfo --all --jobs $(JOBS) --markdown docs/coverage.md $(CONFORMANCE)

fuzz: $(STAMP)
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-600} $(BIN)/python -m pytest -q tests/fuzz
	@FUZZ_GRAPHS=$${FUZZ_GRAPHS:-2000} $(BIN)/python -m pytest -q tests/unit/test_random_programs.py

soak: $(STAMP)
	@SOAK=1 $(BIN)/python -m pytest -q -s --durations=0 --durations-min=1 tests/unit/test_long_lived.py tests/unit/test_shared_cache.py

compare-setup: $(STAMP)
	@$(PIP) --editable '.[test,compare]'

golden: $(STAMP)
	@$(BIN)/python -m tests.golden_kernels $(GOLDEN)

fusion-agreement: $(STAMP)
	@$(BIN)/python -m benchmarks.fusion_agreement $(AGREEMENT)
	@$(BIN)/python -m benchmarks.fusion_traffic

lint: $(STAMP)
	@$(call timed,ruff,$(BIN)/ruff check . && $(BIN)/ruff format --check --quiet .)
	@if PATH="$(CURDIR)/$(BIN):$$PATH" pyright --version >/dev/null 2>&1; \
	then $(call timed,pyright,$(BIN)/pyright); \
	else echo 'notice: pyright skipped: it needs node, and fetches itself on its first run'; fi

# torch goes first and by itself, in a range of its own: that of pyproject.toml would bring the newest build, and gigabytes
# of CUDA.
$(STAMP): pyproject.toml
	@$(call timed,setup,$(MAKE) --no-print-directory .install)
	@touch $@

.PHONY: .install
.install:
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) '$(TORCH)'
	@$(PIP) --editable '.[test]'

clean:
	rm -rf $(VENV) $(VENV)-oldest $(VENV)-newest build dist site *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
