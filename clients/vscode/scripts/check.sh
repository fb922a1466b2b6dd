#!/usr/bin/env bash
# The extension's types, lint and unit tests.  Says so where npm is missing; what npm brings is fetched once for each lock file.
set -eu
cd "$(dirname "$0")/.."
mkdir -p out
exec 9>out/.lock
if command -v flock >/dev/null; then flock 9; fi  # tests make a package, too
modules=there
. scripts/modules.sh || modules=
exec 9>&-
if [ -z "$modules" ]; then
  echo "lint: clients/vscode is not checked: there is no npm" >&2
  exit 0
fi
npm run --silent check
npm test --silent
