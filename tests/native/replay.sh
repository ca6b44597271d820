#!/bin/bash
# Native replay of recorded runs: the program takes every event of the log, and its variables are the node's.
# usage: replay.sh MOTET FIRMWARE BOARD SECONDS NODES ID
set -u
motet=$1 firmware=$2 board=$3 seconds=$4 nodes=$5 id=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() {
    echo "$1"
    cat native.err
    exit 1
}
"$motet" run "$firmware" --board "$board" --nodes "$nodes" --for "${seconds}s" --save-flash flash-%id.bin --quiet >/dev/null 2>&1
replay="$motet replay flash-$id.bin --elf $firmware --board $board --id $id"
$replay 2>simulated.err || fail "the simulated replay fails"

# The same events to the same end, with all variables compared.
$replay --native --keep . --output program 2>native.err || fail "no native program"
./program >native.out 2>native.err || fail "the native program ends with another status than 0"
end=$(sed 's/.*; //' simulated.err)
grep -qF "$end" native.err || fail "it does not end like the simulated replay: $end"
grep -qE '[1-9][0-9]+ bytes of variables were the node.s at each of [1-9][0-9]* calls' native.err || fail "nothing was compared"

# A debugger shows a handler below the function that it interrupted, in the user's sources.
gdb -q -batch -ex 'break motet_log_ends' -ex run -ex 'bt -3' ./program >gdb.out 2>&1
grep -qE 'in main \(\) at .*task\.c:' gdb.out || fail "gdb shows no main of the kit: $(cat gdb.out)"

# A variable that is another than the node's is found, with its name and both values.
python3 - feed program other <<'PYTHON'
import struct
import sys
feed, program = open(sys.argv[1], "rb").read(), bytearray(open(sys.argv[2], "rb").read())
at = program.find(feed)
changes = [i for i in range(0, len(feed), 16) if struct.unpack_from("<I", feed, i)[0] == 4]
begin = next(i for i in range(0, len(feed), 16) if struct.unpack_from("<I", feed, i)[0] == 6)
later = [i for i in changes if i > begin]
for i in later[len(later) // 2:]:  # all of them: a pointer's byte alone may still be no null
    program[at + i + 8] ^= 0x55
open(sys.argv[3], "wb").write(program)
PYTHON
chmod +x other
./other >other.out 2>native.err
[ $? = 1 ] || fail "a difference was not found"
grep -qE 'differs from the log after [0-9]+ events: .* has 0x.. in byte [0-9]+, on the node 0x' native.err || fail "no variable is named"
