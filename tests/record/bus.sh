#!/bin/sh
# usage: bus.sh MOTET AVR-GCC
# A program that keeps the recorder from the flash memory loses its log, but nothing else: it is not held up.
. "$(dirname "$0")/../lib/core.sh"
set -eu
motet=$1 gcc=$2
"$motet" cc --board uno-flash -- "$gcc" -mmcu=atmega328p -std=gnu11 -Os -Wall -Wextra -Werror -o "$work/bus.elf" \
    "$(dirname "$0")/bus.c"
said=$("$motet" run "$work/bus.elf" --board uno-flash --for 2s --quiet)
[ "$said" = 0123456789 ] || { echo "bus.sh: in two seconds it came to \"$said\", and ought to be through"; exit 1; }
