#!/bin/sh
# usage: follow.sh ELF (with MOTET set)
# Logs of nine nodes, merged while they come in: see follow.py.
. "$(dirname "$0")/../lib/expect.sh"
motet run --quiet "$1" --board micaz --topology grid:3x3:10m --medium disk:15m --drift 40 --boot 2s --for 40s \
    --log-interface "collection.c,route.c=$work/%id.ilog"
expect_status 0
python3 "$(dirname "$0")/follow.py" "$MOTET" "$work"/[0-8].ilog || fail "follow.py"
motet merge --follow --html "$work/s.html" "$work/0.ilog"
expect_complaint "--follow prints lines"
motet merge --follow --time ticks/32768 "$work/0.ilog"
expect_complaint "--follow takes interface logs as they come"
finish
