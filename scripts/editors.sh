#!/usr/bin/env bash
# Installs the editors that the documents' snippets are for, beside the system's own packages: Neovim, Helix, Emacs with
# lsp-mode, Vim with ALE and llama.vim from Debian's unstable suite, unpacked into the cache folder and run with their own
# C library.  Nothing of the system is changed and nobody need be root.  Prints that folder.  Fails, saying why, where the
# packages cannot be had.
set -eu
home="${XDG_CACHE_HOME:-$HOME/.cache}/palimpsest/editors"
packages="neovim hx emacs-nox elpa-lsp-mode vim vim-ale"
alone="vim-llama.cpp"  # without what it depends on: a llama.cpp of its own
unneeded='^(binutils|emacs-el|gcc-|lib(asan|hwasan|lsan|tsan|ubsan)|lib(c6|gcc.*|crypt)-dev|linux-libc|libcc1)'
stamp="$home/.made-from"
mkdir -p "$(dirname "$home")"
exec 9>"$home.lock" && flock 9  # two tests may want them at once
wanted=$(sha256sum <"$0")
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then echo "$home"; exit 0; fi

say() { printf 'editors: %s\n' "$*" >&2; }

command -v apt-get >/dev/null && command -v dpkg >/dev/null || { say "no apt-get and dpkg here"; exit 1; }
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$keyring" ] || { say "no $keyring here"; exit 1; }
# The machine's own mirror: the first address among its sources that serves Debian itself.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
  sed -n -E 's/^(URIs:|deb( \[[^]]*\])?)[[:space:]]+([^[:space:]]+).*/\3/p' | grep -E '/debian/?$' | head -n 1)
[ -n "$mirror" ] || { say "apt's sources name no mirror of Debian"; exit 1; }

work="$home.new"
rm -rf "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/root" "$work/bin"
: >"$work/status"
echo "deb [signed-by=$keyring] $mirror sid main" >"$work/sources.list"
apt() {
  apt-get -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State="$work" -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status" \
    -o Dir::Cache="$work/cache" -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none \
    -o Acquire::Retries=3 -o Acquire::http::Timeout=60 "$@" >&2
}
say "fetching $packages (once)"
apt update
# shellcheck disable=SC2086
apt -y --no-install-recommends --download-only install $packages
(cd "$work/cache/archives" && apt download $alone)
for archive in "$work"/cache/archives/*.deb; do
  basename "$archive" | grep -qE "$unneeded" || dpkg -x "$archive" "$work/root"
done

# A program of another suite starts through that suite's loader, with that suite's libraries.
start='root=$(cd "$(dirname "$0")/../root" && pwd)
loader=$(ls "$root"/usr/lib*/ld-linux-*.so.* "$root"/usr/lib/*/ld-linux-*.so.* 2>/dev/null | head -n 1)
libraries=$(dirname "$(ls "$root"/usr/lib/*/libc.so.6 | head -n 1)")'
cat >"$work/bin/nvim" <<END
#!/bin/sh
$start
export VIMRUNTIME="\$root/usr/share/nvim/runtime"
export LUA_PATH="\$root/usr/share/lua/5.1/?.lua;\$root/usr/share/lua/5.1/?/init.lua;\$root/usr/share/luajit-2.1/?.lua;;"
export LUA_CPATH="\$libraries/lua/5.1/?.so;;"
exec "\$loader" --library-path "\$libraries" --argv0 "\$0" "\$root/usr/bin/nvim" "\$@"
END
cat >"$work/bin/hx" <<END
#!/bin/sh
$start
export HELIX_RUNTIME="\${HELIX_RUNTIME:-\$(ls -d "\$root"/usr/lib/helix/runtime "\$root"/usr/share/helix/runtime "\$root"/usr/lib/*/helix/runtime 2>/dev/null | head -n 1)}"
program=\$(ls "\$root"/usr/lib/helix/hx "\$root"/usr/bin/hx "\$root"/usr/bin/helix 2>/dev/null | head -n 1)
exec "\$loader" --library-path "\$libraries" --argv0 "\$0" "\$program" "\$@"
END
cat >"$work/bin/emacs" <<END
#!/bin/sh
$start
dump=\$(ls "\$root"/usr/libexec/emacs/*/*/emacs-*.pdmp)
data=\$(ls -d "\$root"/usr/share/emacs/[0-9]*)
export EMACSLOADPATH="\$data/lisp" EMACSDATA="\$data/etc" EMACSDOC="\$data/etc" EMACSPATH="\$(dirname "\$dump")"
program="\$root/usr/bin/emacs-nox"
exec "\$loader" --library-path "\$libraries" --argv0 "\$program" "\$program" --dump-file "\$dump" "\$@"
END
cat >"$work/bin/emacsclient" <<END
#!/bin/sh
$start
exec "\$loader" --library-path "\$libraries" --argv0 "\$0" "\$root/usr/bin/emacsclient.emacs" "\$@"
END
cat >"$work/bin/vim" <<END
#!/bin/sh
$start
export VIMRUNTIME="\$(ls -d "\$root"/usr/share/vim/vim[0-9]*)"
exec "\$loader" --library-path "\$libraries" --argv0 "\$0" "\$root/usr/bin/vim.basic" "\$@"
END
for program in nvim hx emacs emacsclient vim; do
  chmod +x "$work/bin/$program"
  "$work/bin/$program" --version >/dev/null </dev/null || { say "$program does not start"; exit 1; }
done
rm -rf "$work/cache" "$work/lists"
printf '%s' "$wanted" >"$work/.made-from"
rm -rf "$home"
mv "$work" "$home"
echo "$home"
