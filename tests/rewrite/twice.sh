#!/bin/sh
# usage: twice.sh MOTET EXACT COMPILER
# Library routines called several times with the same arguments: exact where the rewriter sees them; where it does not, replay
# ends with a sentence, and is never wrong.
. "$(dirname "$0")/../lib/core.sh"
here=$(dirname "$0")
motet=$1 exact=$2 compiler=$3
build() { # OPTION...
    "$motet" cc --board micaz -- "$compiler" -mmcu=atmega128 -Os -std=gnu11 -fno-builtin "$@" -o "$work/twice.elf" "$here/twice.c"
}
build && "$exact" -c 80 "$work/twice.elf" micaz 6 100000 || exit 1
build -DINDIRECT || exit 1
"$exact" "$work/twice.elf" micaz 3 100000 >"$work/said" 2>&1 || grep -q 'nothing tells in which of several passes' "$work/said" || {
    echo "twice.sh: a replay that cannot know its way is wrong:"
    head -n 5 "$work/said"
    exit 1
}
