#!/bin/sh
# What the image runs: a service by its name, or else a command of the command line.
set -eu
cd "$(dirname "$0")/../.."
case "${1:-}" in
  api | mqtt-ingest | handheld-gateway | console | worker)
    service=$1
    shift
    exec node "services/$service/main.ts" "$@"
    ;;
  *) exec node services/cli/tagtrail.ts "$@" ;;
esac
