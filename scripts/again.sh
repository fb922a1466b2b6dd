#!/usr/bin/env bash
# Runs a pytest command; where few tests failed, those once more, alone.  For `make test-all`, which starts thousands of
# processes on machines that stand still for seconds: what fails here too has failed.
set -eu
cd "$(dirname "$0")/.."
"$@" && exit 0
failed=$(.venv/bin/python -c '
import json, pathlib
print(len(json.loads(pathlib.Path(".pytest_cache/v/cache/lastfailed").read_text())))')
if [ "$failed" -gt 5 ]; then exit 1; fi
printf '\n%s failed and run once more, alone. If they pass now, look above why they did not at first.\n\n' "$failed" >&2
exec .venv/bin/python -m pytest --last-failed --last-failed-no-failures none
