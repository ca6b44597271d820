#!/bin/sh
# usage: nesc.sh MOTET NESC.c AVR-GCC
# Invariants at nesC's places: a task by its name with dots, lines of an .nc file. The traced functions are replayed natively.
set -u
motet=$1 program=$2 gcc=$3
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
for invariant in 'AppP.work.runTask: AppP.rounds < 9' 'AppP.nc:31-46: AppP.rounds < 9'; do
    "$motet" cc --checks-only --invariant "$invariant" --trace-level 2 -- "$gcc" -mmcu=atmega128 -DF_CPU=7372800UL -Os -gdwarf-4 -w -o app.elf "$program" > said 2>&1 &&
        "$motet" run app.elf --board micaz --for 4s --quiet --serial 0=null --monitor traced:format=bytes,file=trace.bin > said 2>&1 &&
        "$motet" replay trace.bin --elf app.elf --board micaz --native > said 2>&1 &&
        grep -q "invariant 1 is violated in AppP__work__runTask (AppP.nc:" said || { echo "FAILED: $invariant"; cat said; exit 1; }
done
"$motet" cc --checks-only --invariant 'AppP.work.runTask: AppP.none < 9' -- "$gcc" -mmcu=atmega128 -w -o no.elf "$program" > said 2>&1
[ $? -eq 2 ] && grep -q "there is no variable 'AppP.none'" said && [ ! -e no.elf ] || { echo "FAILED: an unknown variable"; cat said; exit 1; }
