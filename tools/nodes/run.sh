#!/usr/bin/env bash
# tools/nodes/run.sh MAJOR COMMAND...: runs the command on another supported Node, which tools/setup.sh --nodes installs.
set -euo pipefail
major=$1
shift
case $(uname -m) in
  x86_64) cpu=x64 ;;
  aarch64 | arm64) cpu=arm64 ;;
  *) cpu=$(uname -m) ;;
esac
bin="$(cd "$(dirname "$0")" && pwd)/node_modules/node-$major-$cpu/bin"
if [ ! -x "$bin/node" ]; then
  echo "There is no Node $major for $(uname -sm) in tools/nodes: tools/setup.sh --nodes" >&2
  exit 1
fi
echo "on Node $("$bin/node" --version)"
PATH="$bin:$PATH" exec "$@"
