#!/usr/bin/env bash
# Puts Neovim's plugin, as it is in HEAD, into a repository of its own (FOLDER; made where there is none), as one commit:
# that is what lazy.nvim and vim.pack install.  The server comes from the package index, in the same version.
set -eu
folder=$(mkdir -p "${1:?FOLDER: the repository of the plugin}" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' server/palimpsest/__init__.py)
[ -e "$folder/.git" ] || git init -q -b main "$folder"
git -C "$folder" rm -rqf --ignore-unmatch .
git archive HEAD:clients/nvim | tar -x -C "$folder"
git show HEAD:clients/shared/install.py >"$folder/install.py"
git show HEAD:LICENSE >"$folder/LICENSE"
echo "palimpsest-lsp==$version" >"$folder/server.txt"
# What the README leads to in the whole repository is not in this one.
sed -i.before -E 's#\[([^]]+)\]\(\.\./\.\./[^)]*\)#\1#g' "$folder/README.md"
rm "$folder/README.md.before"
git -C "$folder" add -A
if git -C "$folder" diff --cached --quiet; then echo "There is nothing new."; exit 0; fi
git -C "$folder" -c "user.name=$(git log -1 --format=%an)" -c "user.email=$(git log -1 --format=%ae)" \
  commit -q -m "Palimpsest $version" -m "From $(git rev-parse HEAD)."
echo "$folder is the plugin of $version; push it, with a tag v$version where that is released."
