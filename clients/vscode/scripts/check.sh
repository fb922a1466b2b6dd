#!/usr/bin/env bash
# The extension's types, lint and unit tests.  Says so where npm is missing; what npm brings is fetched once for each lock file.
set -eu
cd "$(dirname "$0")/.."
rig="${XDG_CACHE_HOME:-$HOME/.cache}/palimpsest/vscode/bin"
[ -x "$rig/node" ] && PATH="$rig:$PATH"
if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
  echo "lint: clients/vscode is not checked: there is no npm" >&2
  exit 0
fi
stamp=node_modules/.made-from
wanted=$(sha256sum <package-lock.json)
if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
  npm ci --no-audit --no-fund --no-update-notifier --loglevel=error
  printf '%s' "$wanted" >"$stamp"
fi
npm run --silent check
npm test --silent
