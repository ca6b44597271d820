#!/bin/sh
# usage: report.sh MOTET COMPILER SIZE
# The report says what recording costs: what it says of the whole is what the programs' sizes say, of objects what is in them,
# and as JSON it can be read.
. "$(dirname "$0")/../lib/core.sh"
set -eu
motet=$1 compiler=$2 size=$3
source=$(cd "$(dirname "$0")/../record" && pwd)/app.c
flash() { "$size" "$1" | awk 'NR == 2 { print $1 + $2 }'; }
options="-mmcu=atmega128 -Os -std=gnu11"

# shellcheck disable=SC2086
{
    "$compiler" $options -o "$work/plain.elf" "$source"
    "$motet" cc --board micaz --report "$work/text" -- "$compiler" $options -o "$work/app.elf" "$source"
    "$motet" cc --board micaz --report "$work/json" --json -- "$compiler" $options -c -o "$work/app.o" "$source"
    "$motet" cc --board micaz --report "$work/json" --json -- "$compiler" $options -o "$work/two.elf" "$work/app.o"
}
added=$(($(flash "$work/app.elf") - $(flash "$work/plain.elf")))
grep -q "recording adds $added and" "$work/text" || { cat "$work/text"; echo "not $added bytes"; exit 1; }
grep -q "cycles, at most: a read of 8 bits [1-9]" "$work/text"
grep -q "interrupts are off for at most 200 us" "$work/text"
grep -q "when more happens than can be written: a gap" "$work/text"
python3 - "$work/json" "$added" <<'P'
import json, sys
file, program = [json.loads(line) for line in open(sys.argv[1])]
added = int(sys.argv[2])
assert file["sites"] and all(s["register"] and s["class"] and s["bits"] and s["why"] for s in file["sites"]), file
assert program["added"]["flash"] == file["flash"] + program["recorder"]["flash"], program
assert abs(program["added"]["flash"] - added) < 200, (program, added)  # library routines are not counted
assert program["unknown"] == 0 and program["cycles"]["read8"] > 0, program
assert program["when_full"] == "gap" and program["interrupts_off_us"] == 200, program
P
# With stamps no step is counted, and the timer is named.
# shellcheck disable=SC2086
"$motet" cc --board micaz --stamp timer3 --report "$work/stamps" -- "$compiler" $options -DF_CPU=7372800UL -o "$work/stamps.elf" "$(dirname "$source")/stamps.c"
grep -q " 0 steps" "$work/stamps"
grep -q "positions are cycles of timer3" "$work/stamps"
! grep -q "a step of the count" "$work/stamps"
if command -v clang-19 >/dev/null && [ -d /usr/msp430/include ]; then
    msp430="clang-19 --target=msp430 -mmcu=msp430f1611 -Os -std=gnu11 -isystem $(dirname "$source")/../../target/msp430/include -isystem /usr/msp430/include"
    # shellcheck disable=SC2086
    {
        "$motet" cc --board telosb --stamp timera --report "$work/stamps430" -- $msp430 -c -o "$work/stamps430.o" "$(dirname "$source")/stamps430.c"
        "$motet" cc --board telosb --stamp timera --recorder --report "$work/stamps430" -- $msp430 -c -o "$work/recorder430.o"
    }
    grep -q " 0 steps" "$work/stamps430"
    grep -q "positions are cycles of timera" "$work/stamps430"
    ! grep -q "a step of the count" "$work/stamps430"
fi
# An object that was compiled without --report says nothing, and the report says that.
# shellcheck disable=SC2086
{
    "$motet" cc --board micaz -- "$compiler" $options -c -o "$work/app.o" "$source"
    "$motet" cc --board micaz --report - -- "$compiler" $options -o "$work/two.elf" "$work/app.o" | grep -q "not known of 1 objects"
}
