# For other scripts here: Node on PATH, the tests' own where there is one, and node_modules as the lock file says.
# Status 1 where there is no npm.
rig="${XDG_CACHE_HOME:-$HOME/.cache}/palimpsest/vscode/bin"
if [ -x "$rig/node" ]; then PATH="$rig:$PATH"; fi
if ! command -v npm >/dev/null || ! command -v node >/dev/null; then return 1; fi
stamp=node_modules/.made-from
wanted=$(sha256sum <package-lock.json)
if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
  if npm ci --no-audit --no-fund --no-update-notifier --loglevel=error >&2; then printf '%s' "$wanted" >"$stamp"; fi
fi
