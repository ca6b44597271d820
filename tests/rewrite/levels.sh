#!/bin/sh
# usage: levels.sh MOTET EXACT BOARD SECONDS SOURCE OPTION...
# Compiles SOURCE with motet cc for a board once with each OPTION (several in one word, separated by commas); the replay of
# each must be exact. In the environment: for telosb the support files of the build (FIRMWARE); a timer for stamps (STAMP).
. "$(dirname "$0")/../lib/core.sh"
here=$(dirname "$0")
motet=$1 exact=$2 board=$3 seconds=$4 source=$5
shift 5

case $board in
micaz) chip=atmega128 ;;
iris) chip=atmega1281 ;;
uno-flash) chip=atmega328p ;;
mega-flash) chip=atmega2560 ;;
esac
case $source in *.cpp) avr="avr-g++ -std=gnu++11 -fno-exceptions -fno-threadsafe-statics" ;; *) avr="avr-gcc -std=gnu11" ;; esac
include=$here/../../target
msp430="clang-19 --target=msp430 -std=gnu11 -mmcu=msp430f1611 -mhwmult=16bit -isystem $include/msp430/include -isystem
    /usr/msp430/include -ffunction-sections -fdata-sections"

build() { # OPTION...
    case $board in
    telosb)
        "$motet" cc --board telosb -- $msp430 -gdwarf-4 -w -I"$include/include" "$@" -c -o "$work/program.o" "$source" &&
            { [ -e "$work/recorder.o" ] || "$motet" cc --board telosb --recorder --when-full wait -- $msp430 -Os -c -o "$work/recorder.o"; } &&
            ld.lld-19 --gc-sections -L /usr/msp430/lib/ldscripts/msp430f1611 -T "$include/msp430/link.x" \
                --defsym=motet_build_id=0x5a5a -o "$work/program.elf" "$FIRMWARE/msp430-start.o" "$work/program.o" \
                "$work/recorder.o" "$FIRMWARE/support-16bit/support.a"
        ;;
    *) "$motet" cc --when-full wait --board "$board" ${STAMP:+--stamp "$STAMP"} -- $avr -mmcu=$chip -g -w -I"$include/include" "$@" -o "$work/program.elf" "$source" -lm ;;
    esac
}

for options in "$@"; do
    if ! build $(echo "$options" | tr , ' ') >"$work/said" 2>&1 ||
        ! "$exact" -c 40 "$work/program.elf" "$board" "$seconds" 5000 >"$work/said" 2>&1; then
        echo "$source for $board with $options:"
        cat "$work/said"
        failures=$((failures + 1))
    fi
    [ -z "${VERBOSE:-}" ] || echo "$options: $(tail -1 "$work/said")"
done
finish
