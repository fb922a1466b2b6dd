#!/usr/bin/env bash
# Puts a shop on a machine.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/lib/colours.sh"
. ./lib/retry.sh

readonly MOST_TRIES=3
declare -A ports=([web]=80 [api]=8080)
target="${1:-staging}"
shift || true

# Says something, in colour.
say() {
  local colour=$1 text
  shift
  text="$*"
  printf '%s%s%s\n' "$colour" "$text" "$RESET"
}

function build_image {
  local name=$1
  local -r tag="${name}:$(git rev-parse --short HEAD)"
  if ! docker build -t "$tag" .; then
    say "$RED" "der Bau von „$name“ ging schief"
    return 1
  fi
  echo "$tag"
}

# Waits until a port answers.
wait_for() {
  local host=$1 port=$2 tries=0
  until nc -z "$host" "$port"; do
    tries=$((tries + 1))
    if ((tries >= MOST_TRIES)); then
      say "$RED" "no answer from $host"
      return 1
    fi
    sleep 1
  done
}

deploy() (
  local service image
  for service in "${!ports[@]}"; do
    image=$(build_image "$service")
    case "$target" in
      production | prod)
        say "$GREEN" "carefully: $image"
        ;;
      *)
        say "$YELLOW" "$image"
        ;;
    esac
    ssh "$target" bash <<REMOTE
docker run -d -p ${ports[$service]}:80 $image
done
REMOTE
    wait_for "$target" "${ports[$service]}"
  done
)

while getopts "t:v" option; do
  case $option in
    t) target=$OPTARG ;;
    v) set -x ;;
  esac
done

read -r answer < <(echo yes)
[[ $answer == yes ]] && deploy "$@" || say "$RED" "not now"
mapfile -t left < <(docker ps --format '{{.Names}}')
for name in "${left[@]}"; do echo "$name"; done
