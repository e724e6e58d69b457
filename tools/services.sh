#!/usr/bin/env bash
# The example of "All services on one machine" in docs/operations.md, as it stands there: npm run services, what is asked of it, its
# end. It fails when a command fails, and when a process is left.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'kill "${services:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
awk '/^```bash$/ { shown = 1; next } /^```$/ { shown = 0 } shown' docs/operations.md > "$work/example"

node tools/build.mjs
export PLINTH_DATA_FOLDER=$work/data PLINTH_PORT=0
node dist/apps/platform/src/services/main.js > "$work/log" 2>&1 & services=$!
until grep -q '^ready' "$work/log"; do kill -0 "$services" || { cat "$work/log"; exit 1; }; sleep 0.2; done
API=$(sed -n 's/^ready \([^ ]*\).*/\1/p' "$work/log") KEY=$(cat "$PLINTH_DATA_FOLDER/admin-api-key")
export API KEY

bash -eu "$work/example" || { tail -50 "$work/log"; exit 1; }
children=$(pgrep -P "$services")
SECONDS=0
kill -INT "$services"
wait "$services" || { tail -20 "$work/log"; exit 1; }
# One that only waits to be noted by whoever inherited it has ended.
is_left() { case "$(ps -o stat= -p "$1")" in '' | Z*) return 1 ;; esac; }
for child in $children; do ! is_left "$child" || { ps -o args= -p "$child"; echo 'was left' >&2; exit 1; }; done
echo "services: the example ran, and $(wc -w <<< "$children") processes ended in $SECONDS s"
