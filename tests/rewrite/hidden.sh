#!/bin/sh
# usage: hidden.sh MOTET EXACT BOARD OPTION...
# Registers read in ways that are easily overlooked (hidden.c), with each OPTION: what is read is recorded, and the replay
# exact; or the program is refused; or, where only the run knows, the replay stops and says so. Never is a value wrong.
# For telosb the support files of the build are in FIRMWARE (environment). CASES are some of the cases.
. "$(dirname "$0")/../lib/core.sh"
here=$(dirname "$0")
motet=$1 exact=$2 board=$3
shift 3
include=$here/../../target
export KEPT="$work"
avr="$here/../lib/kept/avr-gcc -std=gnu11 -mmcu=atmega128 -g -w"
msp430="clang-19 --target=msp430 -std=gnu11 -mmcu=msp430f1611 -mhwmult=16bit -isystem $include/msp430/include -isystem
    /usr/msp430/include -ffunction-sections -fdata-sections -gdwarf-4 -w"

build() { # CASE OPTION
    case $board in
    telosb)
        "$motet" cc --board telosb -- $msp430 "$2" -DCASE="$1" -c -o "$work/program.o" "$here/hidden.c" &&
            { [ -e "$work/recorder.o" ] || "$motet" cc --board telosb --recorder -- $msp430 -Os -c -o "$work/recorder.o"; } &&
            ld.lld-19 --gc-sections -L /usr/msp430/lib/ldscripts/msp430f1611 -T "$include/msp430/link.x" \
                --defsym=motet_build_id=0x5a5a --defsym=placed=0x190 -o "$work/program.elf" "$FIRMWARE/msp430-start.o" \
                "$work/program.o" "$work/recorder.o" "$FIRMWARE/support-16bit/support.a"
        ;;
    *) "$motet" cc --board micaz -- $avr "$2" -DCASE="$1" -Wl,--defsym=placed=0x52 -Wl,--section-start=.ports=0x800052 -o "$work/program.elf" "$here/hidden.c" ;;
    esac
}

# What a case may come to: refused, exact or stopped.
may() { # CASE
    case $1 in
    1 | 2 | 3 | 4 | 5 | 10) echo "refused" ;;
    6) echo "refused stopped" ;; # the compiler may have seen through it
    7 | 8 | 9 | 11) echo "exact" ;;
    12 | 13 | 22) [ "$board" = telosb ] && echo "stopped" || echo "refused" ;; # there, the linker is not called by motet cc
    14 | 15) [ "$board" = telosb ] && echo "exact" || echo "refused" ;;
    16 | 17) [ "$board" = telosb ] && echo "exact" || echo "refused" ;;
    18 | 19) echo "stopped" ;; # the recorder's own frames are on that stack
    20 | 21) echo "exact refused" ;;
    esac
}

[ "$board" = telosb ] && seconds=30 || seconds=3
for option in "$@"; do
    for case in ${CASES:-1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22}; do
        [ "$board$case" != telosb22 ] || continue # ld.lld makes a segment of negative size there
        command="case $case with $option on $board"
        : >"$work/err"
        build "$case" "$option" >"$work/out" 2>&1
        status=$?
        if [ $status = 2 ]; then
            came=refused
        elif [ $status != 0 ]; then
            came="not compiled"
        elif "$exact" -c 40 "$work/program.elf" "$board" "$seconds" 5000 >"$work/out" 2>&1; then
            came=exact
        elif grep -qE "was not recorded|before it is written" "$work/out"; then
            came=stopped
        else
            came="a wrong replay"
        fi
        [ "$case$came" != 13refused ] || grep -q "after the label read_it" "$work/out" || fail "it does not say where"
        case " $(may "$case") " in *" $came "*) ;; *) fail "it came to: $came; expected: $(may "$case")" ;; esac
    done
done
finish
