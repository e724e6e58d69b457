#!/bin/sh
# Hands the mounted password files to the server, whose configuration can only read them from the environment.
set -eu
for service in gateway control_plane build_worker runtime workspace embed agents scim; do
  name="NATS_$(echo "$service" | tr '[:lower:]' '[:upper:]')_PASSWORD"
  export "$name='$(cat "/run/secrets/nats_${service}_password")'"
done
exec nats-server --config /etc/nats/nats-server.conf
