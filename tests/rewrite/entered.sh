#!/bin/sh
# usage: entered.sh MOTET BOARD COMPILER...
# Where a recorded function begins its parameters are known, and its caller is, after each instruction of the step and of the
# prologue.
. "$(dirname "$0")/../lib/core.sh"
here=$(dirname "$0")
motet=$1 board=$2
shift 2
for level in Os O2 O0; do
    command="entered.c -$level"
    "$motet" cc --board "$board" -- "$@" -$level -gdwarf-4 -o "$work/entered.elf" "$here/entered.c" >"$work/out" 2>"$work/err" ||
        fail "it does not compile"
    at=$(nm "$work/entered.elf" | sed -n 's/^0*\([0-9a-f]*\) . entered$/\1/p')
    {
        printf 'break *0x%s\ncontinue\nwhere\n' "$at"
        for i in $(seq 24); do printf 'stepi\nwhere\n'; done
        echo quit
    } | timeout 20 "$motet" debug "$work/entered.elf" --board "$board" --line >"$work/out" 2>"$work/err"
    status=$?
    grep -q "Breakpoint 1, entered (" "$work/out" || fail "it should stop at the first instruction"
    [ $level = O0 ] || grep -q "Breakpoint 1, entered (first=4660, second=3" "$work/out" || fail "its parameters should be known"
    grep -q 'in motet_step_far ()' "$work/out" || fail "it should have a step"
    [ "$(grep -c '^#[0-9].* main () at entered.c:20' "$work/out")" -eq 25 ] || fail "main should be its caller everywhere"
done
finish
