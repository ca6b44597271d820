#!/bin/sh
# usage: msp430.sh IR-LIST SOURCE
# The kit for a TelosB, and a handler by number.
set -u
list=$1 source=$2 kit=$2/firmware/kit
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
"$list" "$source/target" msp430f1611 - "$source/firmware/apps/blink.c" $(for file in trap task timer board leds resource adc \
    msp430/telosb; do echo "$kit/$file.c"; done) -- -I"$kit" -DBOARD_TELOSB > out || exit 1
grep -qx 'function toggle blink.c:[0-9]*' out && grep -q '^handler .* telosb.c:' out && grep -qx 'function main task.c:[0-9]*' out ||
    { cat out; exit 1; }
