#!/bin/sh
# usage: busy.sh MOTET EXACT COMPILER
# A node that never comes to rest, with and without checkpoints: when the flash is full its log ends, and what is there is not
# overwritten, for without its beginning none of it could be replayed.
. "$(dirname "$0")/../lib/core.sh"
here=$(dirname "$0")
motet=$1 exact=$2 compiler=$3
for option in -DMOTET_CHECKPOINT -DMOTET_NO_CHECKPOINT; do
    "$motet" cc --board micaz --codec plain -- "$compiler" -mmcu=atmega128 -Os -std=gnu11 $option -DMOTET_FLASH_PAGES=64 -o "$work/busy.elf" "$here/busy.c" &&
        "$motet" run "$work/busy.elf" --board micaz --for 3s --quiet --save-flash "$work/flash" &&
        "$motet" collect "$work/flash" --output "$work/log" >"$work/said" 2>&1 &&
        grep -q 'from the start, [456][0-9] pages' "$work/said" && ! grep -q 'overwritten' "$work/said" || {
        echo "busy.sh: $option:"
        cat "$work/said"
        exit 1
    }
    "$exact" "$work/busy.elf" micaz 3 20000 || exit 1
done
