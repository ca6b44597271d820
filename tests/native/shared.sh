#!/bin/bash
# Native replay of a run in which interrupts come between uses of variables that their handler uses too (shared.c): it
# reaches the end of the log, and these interrupts have their places by such uses.
# usage: shared.sh MOTET FIRMWARE BOARD
set -u
motet=$1 firmware=$2 board=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() {
    echo "$1"
    cat native.err
    exit 1
}
: > native.err
"$motet" run "$firmware" --board "$board" --for 6s --save-flash flash.bin --quiet >/dev/null 2>&1
replay="$motet replay flash.bin --elf $firmware --board $board"
$replay 2>simulated.err || fail "the simulated replay fails: $(cat simulated.err)"
$replay --native --keep . --output program 2>native.err || fail "no native program"
./program >native.out 2>native.err || fail "the native program ends with another status than 0"
grep -qF "$(sed 's/.*; the log/the log/' simulated.err)" native.err || fail "it does not end like the simulated replay"
python3 - feed <<'PYTHON'
import struct
import sys
feed = open(sys.argv[1], "rb").read()
all = [struct.unpack_from("<4I", feed, i) for i in range(0, len(feed), 16)]
interrupts = [r for r in all if r[0] == 5]
placed = [r for r in interrupts if r[1] >> 8]
writes = [r for r in placed if r[3] & 0x80]
torn = [r for r in placed if r[3] >> 24]
print(f"{len(interrupts)} interrupts, {len(placed)} after an access, {len(writes)} after a write, {len(torn)} in one")
sys.exit(len(placed) < 100 or len(writes) < 10 or len(writes) == len(placed) or len(torn) < 5)
PYTHON
[ $? = 0 ] || fail "too few interrupts come between uses: the test tests less than it should"
