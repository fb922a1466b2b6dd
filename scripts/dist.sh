#!/usr/bin/env bash
# Builds what is given to others into a folder (dist): the server's wheel, and VS Code's extension, which carries the
# wheel and install.py.
set -eu
into=$(mkdir -p "${1:-dist}" && cd "${1:-dist}" && pwd)
cd "$(dirname "$0")/.."
wheel=$(scripts/wheel.sh "$into")
echo "$wheel"
shared=$PWD/clients/shared
cd clients/vscode
mkdir -p out
exec 9>out/.lock
flock 9 # tests make a package, too
if ! . scripts/modules.sh; then
  echo "dist: there is no .vsix: building it needs Node.js with npm" >&2
  exit 1
fi
rm -rf server
mkdir server
cp "$wheel" "$shared/install.py" server/
version=$(node -p 'require("./package.json").version')
rm -f "$into"/palimpsest-*.vsix
npm run --silent package -- --out "$into/palimpsest-$version.vsix" >&2
echo "$into/palimpsest-$version.vsix"
