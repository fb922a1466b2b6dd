#!/usr/bin/env bash
# Builds the server's wheel from this tree into a folder, in place of an older one, and prints its path.
set -eu
into=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
.venv/bin/python -m pip --disable-pip-version-check -q wheel --no-deps -w "$made" . >&2
rm -f "$into"/palimpsest*.whl
mv "$made"/palimpsest_lsp-*.whl "$into"
ls "$into"/palimpsest_lsp-*.whl
