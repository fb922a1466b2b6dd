#!/usr/bin/env bash
# Runs a pytest command; where few tests failed, those once more, alone.  For `make test-all`, which starts thousands of
# processes on machines that stand still for seconds: what fails here too has failed.
set -eu
cd "$(dirname "$0")/.."
noted=.pytest_cache/v/cache/lastfailed
rm -f "$noted" # pytest keeps there what failed in earlier runs of other tests, too
status=0
"$@" || status=$?
if [ "$status" != 1 ]; then exit "$status"; fi # 1 is "tests failed"; after any other status some tests have not run
failed=$(.venv/bin/python -c 'import json, sys; print(len(json.load(open(sys.argv[1]))))' "$noted")
if [ "$failed" -gt 5 ]; then exit 1; fi
printf '\n%s failed and run once more, alone. If they pass now, look above why they did not at first.\n\n' "$failed" >&2
exec .venv/bin/python -m pytest --last-failed --last-failed-no-failures none
