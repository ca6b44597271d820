#!/bin/sh
# usage: unrecorded.sh MOTET BOARD OPTION...
# Code that motet cc has not compiled reads what the log cannot have. The replay of such a program must stop where that is
# used, say what was read where, and end with status 1; and must not stop where nothing depends on it.
# For telosb the support files of the build are in FIRMWARE (environment).
. "$(dirname "$0")/../lib/core.sh"
here=$(dirname "$0")
motet=$1 board=$2
shift 2
include=$here/../../target
avr="avr-gcc -std=gnu11 -mmcu=atmega128 -g"
msp430="clang-19 --target=msp430 -std=gnu11 -mmcu=msp430f1611 -mhwmult=16bit -isystem $include/msp430/include -isystem
    /usr/msp430/include -ffunction-sections -fdata-sections -gdwarf-4"

build() { # CASE OPTION
    case $board in
    telosb)
        $msp430 "$2" -DCASE="$1" -c -o "$work/code.o" "$here/unrecorded_code.c" &&
            "$motet" cc --board telosb -- $msp430 -Os -c -o "$work/program.o" "$here/unrecorded.c" &&
            { [ -e "$work/recorder.o" ] || "$motet" cc --board telosb --recorder -- $msp430 -Os -c -o "$work/recorder.o"; } &&
            ld.lld-19 --gc-sections -L /usr/msp430/lib/ldscripts/msp430f1611 -T "$include/msp430/link.x" \
                --defsym=motet_build_id=0x5a5a -o "$work/program.elf" "$FIRMWARE/msp430-start.o" "$work/program.o" \
                "$work/code.o" "$work/recorder.o" "$FIRMWARE/support-16bit/support.a"
        ;;
    *)
        $avr "$2" -DCASE="$1" -c -o "$work/code.o" "$here/unrecorded_code.c" &&
            "$motet" cc --board micaz --unrecorded -- $avr -Os -o "$work/program.elf" "$here/unrecorded.c" "$work/code.o"
        ;;
    esac
}

# What each case must come to: what the replay says, or nothing where it must go on to the end of the log.
counter="was not recorded: $([ "$board" = telosb ] && echo TBR || echo TCNT0) (0x"
code="unrecorded_code.c:"
says() { # CASE
    case $1 in
    1 | 2 | 3 | 4 | 9) echo "$counter" ;;
    7 | 13) echo "is read at" ;;
    8) echo "left_over is read at" ;;
    11) [ "$board" = telosb ] && echo "$counter" || echo "was not recorded: EEDR (0x3d) at eeprom_read_block" ;;
    12) echo "is written to a device at get" ;;
    esac
}

for option in "$@"; do
    for case in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
        command="case $case with $option on $board"
        build "$case" "$option" >"$work/out" 2>"$work/err" || { fail "it does not build" && continue; }
        "$motet" run "$work/program.elf" --board "$board" --for $([ "$board" = telosb ] && echo 30s || echo 3s) --save-flash "$work/flash" >"$work/out" 2>"$work/err"
        "$motet" replay "$work/flash" --elf "$work/program.elf" --board "$board" >"$work/out" 2>"$work/err"
        status=$?
        expected=$(says "$case")
        if [ -z "$expected" ]; then
            [ $status = 0 ] && grep -q "the log ends" "$work/err" || fail "it must go on to the end of the log"
        elif [ $status != 1 ] || ! grep -qF "$expected" "$work/err"; then
            fail "it must stop and say: $expected"
        elif [ "$case" != 11 ] && ! grep -qE "$code|at memcpy" "$work/err"; then
            fail "it must name the place"
        fi
    done
done
finish
