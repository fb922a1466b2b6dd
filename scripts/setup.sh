#!/usr/bin/env bash
# Makes .venv at the root with all that running needs; `setup.sh dev` installs what testing needs as well, which takes as
# long again.  Nothing is compiled, and nothing installed twice: a stamp says where and what .venv was made from.
set -eu
cd "$(dirname "$0")/.."
group=${1:-}
here=$(pwd -P)
stamp=.venv/.made-from${group:+-$group}
wanted="$here $(cat pyproject.toml scripts/setup.sh | sha256sum)"
say() { printf 'setup: %s\n' "$*" >&2; }

if .venv/bin/python -c '' 2>/dev/null; then
  if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then exit 0; fi
  if [ -L .venv ] && [ -f .venv/.made-from ]; then
    case $(cat .venv/.made-from) in "$here "*) ;; *) say ".venv is another clone's, and used as it is"; exit 0 ;; esac
  fi
fi
[ -w . ] || { say "you may not write to $here, and .venv is made in it: clone it elsewhere"; exit 1; }

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

if ! .venv/bin/python -m pip --version >/dev/null 2>&1 || ! { [ -L .venv ] || grep -qF "$here/.venv" .venv/bin/activate; }; then
  [ ! -L .venv ] || { say ".venv is a link to what is no environment with pip: remove the link"; exit 1; }
  "$python" -m venv --clear .venv # killed halfway, moved, copied, or its Python is gone
fi
say "installing into .venv"
pip() { .venv/bin/python -m pip --disable-pip-version-check -q "$@"; }
if [ -z "$group" ]; then
  pip install --no-compile -e . # what is used is compiled when it is used
else
  pip install --upgrade 'pip>=25.1' # knows --group
  pip install -e '.[mcp,acp]' --group "$group"
fi
printf '%s' "$wanted" | tee .venv/.made-from > "$stamp"
