#!/usr/bin/env bash
# The tour of README.md, as it stands there, against a platform of its own: twice, in each shell that is there.
#
#   tools/tour.sh [SHELL...]     (bash, and zsh where it is installed, when none is named)
#
# It fails when a command fails, a reply is an error that the tour does not want to show, or a file is left in the checkout.
set -euo pipefail
cd "$(dirname "$0")/.."
shells=("$@")
[ ${#shells[@]} -gt 0 ] || { shells=(bash); command -v zsh >/dev/null && shells+=(zsh); }

work=$(mktemp -d)
trap 'kill "${platform:-}" 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
awk '/^```bash$/ { shown = 1; next } /^```$/ { shown = 0 } shown' README.md > "$work/tour"
before=$(git status --porcelain)

node tools/build.mjs
export PLINTH_DATA_FOLDER=$work/data PLINTH_PORT=0 TMPDIR=$work
node dist/apps/platform/src/main.js > "$work/log" 2>&1 & platform=$!
until grep -q '^ready' "$work/log"; do kill -0 "$platform" || { cat "$work/log"; exit 1; }; sleep 0.2; done
API=$(sed -n 's/^ready \([^ ]*\).*/\1/p' "$work/log") KEY=$(cat "$PLINTH_DATA_FOLDER/admin-api-key")
export API KEY

for shell in "${shells[@]}"; do
  for run in first second; do
    SECONDS=0
    if ! timeout 900 "$shell" -eu "$work/tour" > "$work/output" 2>&1; then
      cat "$work/output"
      echo "the $run run of the tour in $shell ended early" >&2
      exit 1
    fi
    # Errors that the tour shows on purpose are in the words of an engine or of SCIM.
    if grep '^{"error":' "$work/output" | grep '"requestId":'; then
      echo "the $run run of the tour in $shell met an error" >&2
      exit 1
    fi
    echo "tour: $run run in $shell, $(wc -l < "$work/output") lines, $SECONDS s"
  done
done
[ "$(git status --porcelain)" = "$before" ] || { git status --short; echo 'the tour left files in the checkout' >&2; exit 1; }
