#!/bin/sh
# usage: threads.sh MOTET COMPILER
# Threads with stacks of their own replay: what they come to is what they came to, from the beginning on. (record-exact knows of
# one stack only.) The assembly that switches them is warned of.
set -u
here=$(dirname "$0") motet=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$1"
    exit 1
}
"$motet" cc --board micaz -- "$compiler" -mmcu=atmega128 -std=gnu11 -Os -gdwarf-4 -Wall -Wextra -o "$work/threads.elf" "$here/threads.c" \
    2>"$work/said" || fail "$(cat "$work/said")"
grep -q "threads.c:.*warning: inline assembly that switches stacks reads through a pointer ('ld')" "$work/said" ||
    fail "no warning: $(cat "$work/said")"
"$motet" run "$work/threads.elf" --board micaz --for 2s --quiet --script "$here/threads.lua" --keep-flash "$work/flash" >"$work/truth" 2>&1 ||
    fail "the run failed"
"$motet" replay "$work/flash" --elf "$work/threads.elf" --board micaz --script "$here/threads.lua" >"$work/replayed" 2>&1 ||
    fail "$(tail -1 "$work/replayed")"
grep -q "the log ends after" "$work/replayed" || fail "$(tail -1 "$work/replayed")"
grep '^[0-9a-f]* [0-9a-f]*$' "$work/replayed" >"$work/is"
lines=$(wc -l <"$work/is")
[ "$lines" -gt 5000 ] || fail "only $lines sums were replayed"
grep '^[0-9a-f]* [0-9a-f]*$' "$work/truth" | head -n "$lines" | cmp - "$work/is"
