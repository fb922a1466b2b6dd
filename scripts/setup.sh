#!/usr/bin/env bash
# Makes .venv at the root with all that running needs; `setup.sh dev` installs what testing needs as well, which takes as
# long again.  Nothing is compiled, and nothing installed twice: a stamp says what .venv was made from.
set -eu
cd "$(dirname "$0")/.."
group=${1:-}
stamp=.venv/.made-from${group:+-$group}
wanted=$(cat pyproject.toml scripts/setup.sh | sha256sum)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then exit 0; fi

say() { printf 'setup: %s\n' "$*" >&2; }

debian() { # install Debian packages where that is possible
  if ! command -v apt-get >/dev/null; then say "please install: $*"; return 1; fi
  as_root=""
  [ "$(id -u)" = 0 ] || as_root=sudo
  say "installing $*"
  $as_root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "$@" >&2
}

python=${PYTHON:-$(command -v python3.11 || command -v python3 || true)}
[ -n "$python" ] || { debian python3 python3-venv && python=$(command -v python3); }
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { say "Python 3.11 or newer is needed; set PYTHON"; exit 1; }
"$python" -c 'import ensurepip, venv' 2>/dev/null || debian python3-venv

[ -x .venv/bin/python ] || "$python" -m venv .venv
say "installing into .venv"
pip() { .venv/bin/python -m pip --disable-pip-version-check -q "$@"; }
if [ -z "$group" ]; then
  pip install -e .
else
  pip install --upgrade 'pip>=25.1' # knows --group
  pip install -e '.[mcp,acp]' --group "$group"
fi
printf '%s' "$wanted" | tee .venv/.made-from > "$stamp"
