#!/bin/sh
# usage: generated.sh MOTET EXACT COMPILER FIRST COUNT
# Generated programs through motet cc: the replay of each must be exact. One that fails is kept.
here=$(dirname "$0")
work=$(mktemp -d)
seed=$4
while [ "$seed" -lt $(($4 + $5)) ]; do
    for optimisation in -Os -O2; do
        "$here/generate" "$seed" >"$work/program.c" &&
            "$1" cc --board micaz -- "$3" -mmcu=atmega128 $optimisation -std=gnu11 -g -w -o "$work/program.elf" "$work/program.c" -lm &&
            "$2" "$work/program.elf" micaz 0.5 2000 >"$work/said" 2>&1 || {
            cat "$work/said"
            echo "generated.sh: seed $seed with $optimisation failed; see $work/program.c"
            exit 1
        }
    done
    seed=$((seed + 1))
done
rm -rf "$work"
