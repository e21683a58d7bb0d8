# `make demo` and `make test` need only Python >= 3.11 and a C++20 compiler; they set up .venv by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# PyTorch's build for CPUs, not gigabytes of CUDA; set TORCH= where pip's own index has one.
TORCH ?= --extra-index-url https://download.pytorch.org/whl/cpu
# Warnings of the C++ compiler are errors where WERROR=ON, as in .ci/run; other compilers warn of other things.
WERROR ?= OFF
# Each interpreter that tests and examples start would compile the package anew: half a second of the processor.
unexport PYTHONDONTWRITEBYTECODE
SOURCES := $(shell find cpp CMakeLists.txt pyproject.toml -type f)

.PHONY: demo test test-thorough test-python build-cpp test-cpp test-threads test-sanitized attack attack-at-size \
	attack-command-line lint types docs wheel stubs clean

demo: $(VENV)/.installed
	$(BIN)/treewright demo

# A third of the random problems and crossings of options; test-thorough runs all.
test: export TREEWRIGHT_SLICE = 1
test test-thorough: test-python
	$(MAKE) test-cpp

test-python: $(VENV)/.installed-test
	$(BIN)/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder

lint: $(VENV)/.installed-test
	$(BIN)/ruff check src tests benchmarks examples tools docs/conf.py docs/_ext
	$(BIN)/ruff format --check src tests benchmarks examples tools docs/conf.py docs/_ext
	@find cpp tests/cpp -name '*.[ch]pp' | xargs $(BIN)/clang-format --dry-run --Werror

types: $(VENV)/.installed-test
	$(BIN)/mypy

# The site in build/docs; every example runs, and a warning (a dead link, a docstring that renders badly) is an error.
docs: $(VENV)/.installed-docs
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -q -b html -d build/doctrees docs build/docs
	$(BIN)/python tools/check_site.py build/docs

# A source archive, the wheel that it builds, and a first session with that wheel in an environment of its own.
wheel: $(VENV)/.installed-wheel
	$(BIN)/python tools/release.py --config-settings=cmake.define.TREEWRIGHT_WERROR=$(WERROR)

# C++ tests under the address and undefined-behaviour sanitizers.
build-cpp: $(VENV)/.installed
	$(BIN)/cmake -S . -B build/sanitized -DCMAKE_BUILD_TYPE=Debug -DTREEWRIGHT_WERROR=$(WERROR) >/dev/null
	$(BIN)/cmake --build build/sanitized -j 2

test-cpp: build-cpp
	$(BIN)/ctest --test-dir build/sanitized --output-on-failure -j 2

# The C++ tests of searches with several threads under the thread sanitizer.
THREADED := test_ranked_search test_additive_search test_group_search test_binary_threads test_leaf_threads \
	test_level_threads test_ranked_set_threads
test-threads: $(VENV)/.installed-test
	$(BIN)/cmake -S . -B build/threads -DCMAKE_BUILD_TYPE=Debug -DTREEWRIGHT_SANITIZERS=thread >/dev/null
	$(BIN)/cmake --build build/threads -j 2 --target $(THREADED)
	$(BIN)/ctest --test-dir build/threads --output-on-failure -j 2 -R "^($(shell echo $(THREADED) | tr ' ' '|'))$$"

# The Python tests that face the compiled core (or SANITIZED="tests/..."), with a core of their own under the same sanitizers.
SANITIZED ?= tests/attack tests/laws $(addprefix tests/unit/,binarize bornagain latent lines near_optimal search shards \
  tree test_core_arguments.py test_core_tree_arguments.py)
test-sanitized: $(VENV)/.installed-test
	tools/test_sanitized.sh $(SANITIZED)

# Random problems with fresh seeds (or SEED=...) on all cores, against an oracle; each mismatch is printed as a script.
SECONDS ?= 60
attack: $(VENV)/.installed-test
	PYTHONPATH=tests $(BIN)/python -m attack --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# The command line beside Python: the same options, files of every form, and what `verify` says of the answer.
attack-command-line: $(VENV)/.installed-test
	PYTHONPATH=tests $(BIN)/python -m attack.command_line --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# The same at size, where no oracle reaches: the same problem asked in two ways, and engines beside each other.
attack-at-size: $(VENV)/.installed-test
	PYTHONPATH=tests $(BIN)/python -m attack.at_size --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# Type hints of the compiled core; a test compares them, so a changed signature is a change that was meant.
stubs: $(VENV)/.installed
	$(BIN)/python -m nanobind.stubgen -q -m treewright._core -o src/treewright/_core.pyi

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

# Editable: Python files are used in place, a changed C++ file re-installs.
$(VENV)/.installed: $(VENV)/.created $(SOURCES)
	$(BIN)/python -m pip install --quiet "scikit-build-core>=1.0,<2" "nanobind>=2.9,<4" "cmake>=3.18,<5" "ninja>=1.10,<2"
	$(BIN)/python -m pip install --quiet --no-build-isolation --config-settings=cmake.define.TREEWRIGHT_WERROR=$(WERROR) --editable '.[files]'
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --retries 0 --no-deps "torch==2.13.0" $(TORCH)
	$(BIN)/python -m pip install --quiet --group test --group lint
	touch $@

$(VENV)/.installed-docs: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

$(VENV)/.installed-wheel: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group wheel
	touch $@

clean:
	rm -rf $(VENV) build
