#!/bin/sh
# usage: hang.sh MOTET COMPILER
# A program that hangs until its watchdog resets it. What led there is written after the reset, though the watchdog goes on
# with its shortest period then; or, built with -DMOTET_WATCHDOG, in the watchdog's interrupt before it.
. "$(dirname "$0")/../lib/core.sh"
here=$(dirname "$0")
motet=$1 compiler=$2

build() { # OPTION...
    "$motet" cc --when-full wait --board uno-flash -- "$compiler" -mmcu=atmega328p -Os -std=gnu11 -Wall -Wextra -Werror "$@" -o "$work/hang.elf" "$here/hang.c"
}
replay() { # MILLISECONDS: of its life, from the start
    "$motet" run "$work/hang.elf" --board uno-flash --for "$1ms" --quiet --save-flash "$work/flash" </dev/null &&
        "$motet" replay "$work/flash" --elf "$work/hang.elf" --board uno-flash --part 0 >"$work/said" 2>&1
}
fail() {
    echo "hang.sh: $1"
    cat "$work/said"
    exit 1
}

build || exit 1
replay 1800 || fail 'no replay after the reset'
grep -q 'the node was reset after event' "$work/said" || fail 'the log does not go up to the reset'
interrupts=$(sed -n 's/.* events, \([0-9]*\) of them interrupts.*/\1/p' "$work/said")
[ "$interrupts" -ge 40 ] || fail 'interrupts while the program hung are missing'

build -DMOTET_WATCHDOG || exit 1
for time in $(seq 1000 50 2000); do
    replay "$time" || fail "no replay after $time ms"
    grep -q 'the log ends after .* at __vectors+0x18' "$work/said" && exit 0 # vector 6
done
fail 'the watchdog has not had the log written before the reset'
