#!/bin/sh
# usage: cc.sh MOTET EXACT COMPILER SOURCE CODEC
# Builds a firmware with motet cc, without what it does not use (which must not cost it its build id), and compares its life with the replay of its log.
. "$(dirname "$0")/../lib/core.sh"
"$1" cc --board micaz --codec "$5" -- "$3" -mmcu=atmega128 -Os -std=gnu11 -Wall -Werror -ffunction-sections -Wl,--gc-sections -o "$work/app.elf" "$4" &&
    "$2" "$work/app.elf" micaz 4 100000
