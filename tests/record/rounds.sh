#!/bin/sh
# usage: rounds.sh MOTET EXACT BOARD [all]
# Loops that count once in several rounds (rounds.c), interrupted at every instruction: the replay is exact. With `all` at each level, with
# each codec and other moments; SOAK_SEED chooses which.
# For telosb the support files of the build are in FIRMWARE (environment).
. "$(dirname "$0")/../lib/core.sh"
here=$(dirname "$0")
motet=$1 exact=$2 board=$3 all=${4-}
target=$here/../../target
msp430="clang-19 --target=msp430 -std=gnu11 -mmcu=msp430f1611 -mhwmult=16bit -isystem $target/msp430/include -isystem
    /usr/msp430/include -ffunction-sections -fdata-sections"

# shellcheck disable=SC2086
build() { # SEED OPTION...: through motet cc with these
    seed=$1
    shift
    if [ "$board" = telosb ]; then
        "$motet" cc --board telosb "$@" -- $msp430 -gdwarf-4 $level -DSEED="$seed" -c -o "$work/program.o" "$here/rounds.c" &&
            "$motet" cc --board telosb "$@" --recorder -- $msp430 -Os -c -o "$work/recorder.o" &&
            ld.lld-19 --gc-sections -L /usr/msp430/lib/ldscripts/msp430f1611 -T "$target/msp430/link.x" --defsym=motet_build_id="$seed" \
                -o "$work/recorded.elf" "$FIRMWARE/msp430-start.o" "$work/program.o" "$work/recorder.o" "$FIRMWARE/support-16bit/support.a"
    else
        "$motet" cc --board "$board" "$@" -- avr-gcc -mmcu=atmega128 -std=gnu11 -gdwarf-4 $level -DSEED="$seed" \
            -o "$work/recorded.elf" "$here/rounds.c"
    fi
}
check() { # LEVEL SEED OPTION...
    level=$1
    shift
    { build "$@" && "$exact" "$work/recorded.elf" "$board" 2 300000; } >"$work/said" 2>&1 || {
        echo "rounds.sh: failed: $board $level, seed $*"
        cat "$work/said"
        failures=$((failures + 1))
    }
}

if [ -z "$all" ]; then
    check -Os 1 --profile small
    check -O2 2 --codec motet
else
    for seed in $("$here/../lib/seeds" 2); do
        for level in -Os -O1 -O2 -O3; do
            check $level "$seed" --profile small --when-full wait
            for codec in motet plain tardis; do
                check $level "$seed" --codec $codec --when-full wait
            done
        done
        check -O0 "$seed" --profile small --when-full wait
    done
fi
finish
