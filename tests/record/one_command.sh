#!/bin/sh
# usage: one_command.sh MOTET SOURCE BUILD
# A firmware that records, built by one command that compiles and links, on both instruction sets; its log is replayed.
set -u
motet=$1 source=$2 build=$3
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
. "$source/scripts/levels-cases"
for board in micaz telosb; do
    describe blink $board
    "$motet" cc --board $board -- $(compiler $board app.elf $(sources blink $board)) > said 2>&1 || { cat said; echo "FAILED: motet cc on $board"; exit 1; }
    "$motet" run app.elf --board $board --for 200s --quiet --serial 0=null --serial 1=null --save-flash flash > said 2>&1 || { cat said; exit 1; }
    "$motet" replay flash --elf app.elf --board $board > said 2>&1 && grep -q "the log ends" said || { cat said; echo "FAILED: motet replay on $board"; exit 1; }
done
