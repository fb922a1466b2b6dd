#!/usr/bin/env bash
# Runs tests (pytest's arguments) with the lowest version of each dependency that pyproject.toml allows.  Needs uv.
set -eu
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
uv venv -q --seed --python "${PYTHON:-3.11}" "$place/env"
install() { uv pip install -q --python "$place/env/bin/python" "$@"; }
install --only-binary :all: --resolution lowest-direct -r pyproject.toml --extra mcp --extra acp
uv pip freeze -q --python "$place/env/bin/python" >"$place/lowest.txt"
install --constraint "$place/lowest.txt" --group dev
install --no-deps -e .
"$place/env/bin/python" -m pip check
"$place/env/bin/python" -m pytest -q -m "not slow" "$@"
