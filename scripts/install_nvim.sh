#!/usr/bin/env bash
# Copies Neovim's plugin, with the server's wheel and install.py, to where Neovim finds it by itself.
set -eu
cd "$(dirname "$0")/.."
place="${XDG_DATA_HOME:-$HOME/.local/share}/nvim/site/pack/palimpsest/start/palimpsest"
mkdir -p "$(dirname "$place")"
new=$(mktemp -d "$place.XXXXXX")
trap 'rm -rf "$new"' EXIT
chmod 755 "$new"
git ls-files -z --cached --others --exclude-standard clients/nvim | while IFS= read -r -d '' file; do
  mkdir -p "$new/$(dirname "${file#clients/nvim/}")"
  cp "$file" "$new/${file#clients/nvim/}"
done
cp clients/shared/install.py "$new/"
scripts/wheel.sh "$new" >/dev/null
if command -v nvim >/dev/null; then
  nvim --headless -u NONE -i NONE -c "helptags $new/doc" -c quit
else
  echo "Neovim is not on PATH: run \`:helptags ALL\` in it once, for \`:help palimpsest\`."
fi
rm -rf "$place"
mv "$new" "$place"
echo "The plugin is in $place."
echo "In Neovim: \`:Palimpsest install\` installs the server, \`:Palimpsest sample\` opens something to try it on."
