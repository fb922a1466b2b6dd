# make demo   the product on a sample workspace     make test   lint, types and tests, in some ten minutes
# make check  the fast part of it                   make help   the rest

PY := .venv/bin/python
#: Hundreds of processes are started, and compiling the same modules in each of them takes longer than running them.
unexport PYTHONDONTWRITEBYTECODE
CHECKED := server tests scripts clients/shared

.PHONY: help setup product demo engine-from-source editors test tests test-all coverage hostile check lint types clean dist docs evaluate figures install-nvim train-smoke test-servers
help:
	@sed -n 's/^# //p;s/^## //p' Makefile

## make setup  makes .venv (the other targets do it by themselves)
setup:
	@scripts/setup.sh dev

product:
	@scripts/setup.sh

#: Without the package index, the demo runs on the small model in the package, without npm's on the llama.cpp that came.
demo: product
	@.venv/bin/palimpsest engine get >.venv/engine-get 2>&1 & .venv/bin/palimpsest model get default; wait; cat .venv/engine-get
	@.venv/bin/palimpsest demo
	@scripts/try_it.sh

## make engine-from-source  llama.cpp built for this machine (minutes, and a C++ compiler), where nothing prebuilt fits
engine-from-source: product
	@command -v "$${CXX:-c++}" || command -v g++ || command -v clang++ || { echo "This needs a C++ compiler." >&2; exit 1; }
	$(PY) -m pip install --force-reinstall --no-deps --no-cache-dir --no-binary llama-cpp-python 'llama-cpp-python>=0.3.36'
	@$(PY) -c 'from palimpsest.libraries.locate import installed; print(f"Built. What `palimpsest engine get` fetched goes before it, unless engine.library is {next(installed()).file}")'

## make editors  the editors that the documents' snippets are run in, and real files of others (part of `make test`; kept in the cache folder)
editors: setup
	@scripts/editors.sh >/dev/null & scripts/nvim_tools.sh >/dev/null & scripts/real_sources.sh >/dev/null & scripts/vscode.sh >/dev/null; wait

#: Three at once on two cores, file by file: most tests wait for a process that starts, and what a file sets up is set up once.
PYTEST := $(PY) -m pytest -n 3 --dist loadfile --no-loadscope-reorder --durations=30 --durations-min=4

#: The packages without processes, and the three stories that every change touches.
CORE := tests/test_*.py $(addprefix tests/, completions context conversations documents edits engine languages next_edits prompt \
	syntax text workspace e2e/test_ask.py e2e/test_completion.py e2e/test_protocol.py)

test: setup editors
	@$(MAKE) --no-print-directory -j3 lint types tests

tests: setup
	$(PYTEST) -m "not slow"

## make test-all  what takes longer: all of the editors, installers, training, storms, benches, properties (PARTS="names" of tests/parts.toml: only those)
test-all: setup editors
	$(PY) scripts/parts.py run $(PARTS) --command "scripts/again.sh $(PYTEST)"

## make test-servers  the real vLLM, in its build for processors (some 4 GB in the cache folder, half an hour; part of nothing else)
test-servers: setup
	$(PY) -m pytest tests/servers --durations=0

## make coverage  what share of the server's code `make test` runs, by folder
coverage: setup editors
	$(PY) -m coverage erase
	$(PY) -m coverage run $(subst $(PY),,$(PYTEST)) -m "not slow"
	$(PY) -m coverage combine -q
	$(PY) scripts/coverage_by_folder.py

check: lint types
	$(PYTEST) -m "not slow" -x -q $(CORE)

## make hostile  what a stranger's repository, client or request must not do (`make test` has it too, without what takes long)
hostile: setup
	$(PYTEST) tests/hostile tests/context/test_ways_outside.py tests/test_git.py tests/test_patterns.py

lint: setup
	.venv/bin/ruff check $(CHECKED)
	.venv/bin/ruff format --check $(CHECKED)
	clients/vscode/scripts/check.sh

types: setup
	.venv/bin/mypy
	.venv/bin/mypy scripts/clients.py scripts/reference.py scripts/parts.py scripts/repository.py scripts/llama_layout.py scripts/measure_library.py \
		clients/shared/install.py

## make dist  dist/: the server's wheel, and the extension for VS Code with the wheel in it
dist: product
	scripts/dist.sh dist

## make install-nvim  the plugin for Neovim, with the server's wheel, to where Neovim finds it
install-nvim: product
	@scripts/install_nvim.sh

## make evaluate  measures the embedded model through llama.cpp (a sample)
evaluate: setup
	cd server && PYTHONPATH=. ../$(PY) -m training.evaluate --quick

## make docs  writes the tables of settings and commands into docs/ and clients/ as the code has them
docs: setup
	$(PY) scripts/reference.py docs/*.md
	$(PY) scripts/clients.py

## make figures  measures again what docs/measurements.md says, with the model in use (hours; ONLY=names for one table)
figures: setup
	$(PY) -m palimpsest model get default || true
	$(PY) -m bench figures $(if $(ONLY),--only $(ONLY))

## make train-smoke  a trial of all of server/training (part of `make test-all`; it makes the environment for it: .venv-train)
train-smoke: setup
	$(PY) -m pytest tests/training/test_smoke.py

## make clean  removes the environments and caches (the built wheel stays in the cache folder)
clean:
	rm -rf .venv .venv-train .mypy_cache .ruff_cache .pytest_cache
