#!/usr/bin/env bash
# Installs what the tests need beyond Node and git: nats-server, Chromium for the pages, openssl for a certificate, sshd for git, Python with pandas, dbt. Debian and Ubuntu only;
# elsewhere it says what is missing. Does nothing when everything is there.
#
#   tools/setup.sh --nodes    installs the other supported Node versions as well, as packages of the registry, for tools/nodes/run.sh
set -euo pipefail

if [ "${1:-}" = --nodes ]; then
  npm ci --prefix "$(dirname "$0")/nodes" --no-audit --no-fund
fi

# In an environment of its own.
dbt="${XDG_CACHE_HOME:-$HOME/.cache}/plinth-dbt-1.11.16"

missing=()
# Debian puts servers where the PATH of ordinary users does not lead.
PATH=$PATH:/usr/sbin
command -v nats-server >/dev/null 2>&1 || missing+=(nats-server)
command -v chromium-headless-shell chromium >/dev/null 2>&1 || missing+=(chromium-headless-shell)
/usr/bin/python3 -I -c 'import pandas' >/dev/null 2>&1 || missing+=(python3-pandas)
command -v openssl >/dev/null 2>&1 || missing+=(openssl)
[ -x /usr/sbin/sshd ] || command -v sshd >/dev/null 2>&1 || missing+=(openssh-server)
[ -x "$dbt/bin/dbt" ] || python3 -c 'import ensurepip' >/dev/null 2>&1 || missing+=(python3-venv)

install_missing() {
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "Please install and put on the PATH: ${missing[*]}" >&2
    exit 1
  fi
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1 || ! sudo -n true 2>/dev/null; then
      echo "Please run as root: apt-get install -y ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo -n)
  fi
  echo "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq >/dev/null
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
[ ${#missing[@]} -eq 0 ] || install_missing

# Tests that need it are skipped, and say so, where the registry of Python packages cannot be reached.
if [ ! -x "$dbt/bin/dbt" ]; then
  echo "installing dbt"
  if ! { python3 -m venv "$dbt" && "$dbt/bin/pip" install -q --disable-pip-version-check -r "$(dirname "$0")/dbt/requirements.txt"; }; then
    echo "dbt could not be installed: what needs it is not tested" >&2
    rm -rf "$dbt"
  fi
fi
