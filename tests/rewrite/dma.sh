#!/bin/sh
# usage: dma.sh MOTET FIRMWARE
# Firmware whose course depends on what DMA wrote is recorded and replayed to the end of its log.
. "$(dirname "$0")/../lib/core.sh"
set -eu
"$1" run "$2" --board telosb --for 4s --quiet --save-flash "$work/flash"
"$1" replay "$work/flash" --elf "$2" --board telosb --json >"$work/said"
cat "$work/said"
grep -q '"differs": false' "$work/said"
[ "$(sed 's/.*"events": \([0-9]*\).*/\1/' "$work/said")" -ge 1000 ]
