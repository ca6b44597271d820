#!/bin/sh
# usage: own_part.sh MOTET EXACT FIRMWARE
# An application has the first sector of the flash, the log a part after it: what the application wrote is there, the log
# is found in the image of the whole memory, and its replay is exact.
. "$(dirname "$0")/../lib/core.sh"
motet=$1 exact=$2 elf=$3
cd "$work" || exit 1

try() { # COMMAND...
    command=$*
    "$@" >"$work/out" 2>"$work/err"
    status=$?
}

try "$motet" run "$elf" --board telosb --for 20s --until-exit --quiet --save-flash flash.bin
[ "$status" = 0 ] || fail "the application found other bytes than it wrote"
[ "$(od -An -tx1 -N4 flash.bin | tr -d ' ')" = fffefdfc ] || fail "the application's bytes are not at the beginning of the flash"
[ "$(tail -c +$((1280 * 256 + 1)) flash.bin | tr -d '\377' | wc -c)" = 0 ] || fail "something lies after the log's part"
try "$motet" replay flash.bin --elf "$elf" --board telosb
[ "$status" = 0 ] || fail "the log must be replayed"
try "$exact" "$elf" telosb 3 90000
[ "$status" = 0 ] || fail "the replay must be exact"
finish
