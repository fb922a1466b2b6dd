#!/usr/bin/env bash
# Fetches real source files written by others, in many languages, for the tests that walk over them: Debian's packages
# (unpacked, nothing of the system is changed) and npm's, into the cache folder.  None of it is ever run, or becomes part
# of the project.  Prints that folder.  Fails, saying why, where they cannot be had.
set -eu
home="${XDG_CACHE_HOME:-$HOME/.cache}/palimpsest/real-sources"
debian="golang-github-spf13-cobra-dev golang-github-gorilla-mux-dev librust-semver-dev librust-hashbrown-dev librust-regex-dev
  ruby-rack ruby-thor php-guzzlehttp-psr7 php-symfony-console lua-penlight bash-completion"
npm="@capacitor/android@8.5.2 @capacitor/ios@8.5.2 react-native-screens@4.30.1 edge-js@26.1.0 rxjs@7.8.2 usb@2.14.0
  leveldown@6.1.1 express@5.3.0 bats@1.13.0"
stamp="$home/.made-from"
mkdir -p "$(dirname "$home")"
exec 9>"$home.lock" && flock 9  # two tests may want them at once
wanted=$(sha256sum <"$0")
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then echo "$home"; exit 0; fi

say() { printf 'real-sources: %s\n' "$*" >&2; }
for program in apt-get dpkg npm; do
  command -v "$program" >/dev/null || { say "no $program here"; exit 1; }
done

work="$home.new"
rm -rf "$work"
mkdir -p "$work/archives"
say "fetching packages with sources (once)"
apt() { apt-get -qq -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3 "$@" >&2; }
# shellcheck disable=SC2086
(cd "$work/archives" && { apt download $debian || { apt update && apt download $debian; }; }) || { say "Debian's packages cannot be had: $debian"; exit 1; }
for archive in "$work"/archives/*.deb; do
  name=$(basename "$archive"); mkdir -p "$work/${name%%_*}"
  dpkg -x "$archive" "$work/${name%%_*}"
done
# shellcheck disable=SC2086
(cd "$work/archives" && npm pack --silent $npm >&2) || { say "npm's packages cannot be had: $npm"; exit 1; }
for archive in "$work"/archives/*.tgz; do
  name=$(basename "$archive" .tgz); mkdir -p "$work/$name"
  tar -xzf "$archive" -C "$work/$name" --no-same-owner
done
rm -rf "$work/archives"
printf '%s' "$wanted" >"$work/.made-from"
rm -rf "$home"
mv "$work" "$home"
echo "$home"
