#!/usr/bin/env bash
# Makes .venv-train at the repository's root: all of .venv, and torch besides (a CPU build, some 200 MB to fetch).
# An argument is the pip requirement of another torch, `torch==2.13.0` for one with CUDA from the package index alone.
set -eu
cd "$(dirname "$0")/../.."
exec 9>.venv/.training.lock && flock 9  # two tests may want it at once
stamp=.venv-train/.made-from
wanted=$(cat server/training/environment.sh server/training/requirements.txt; echo "$@")
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then exit 0; fi
rm -rf .venv-train
.venv/bin/python -m venv .venv-train
.venv/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' \
  > "$(.venv-train/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/product.pth"
.venv-train/bin/python -m pip install -q --disable-pip-version-check --retries 1 ${1:--r server/training/requirements.txt}
printf '%s' "$wanted" > "$stamp"
