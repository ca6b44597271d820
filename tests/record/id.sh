#!/bin/sh
# usage: id.sh MOTET FIRMWARE
# A node of a network has variables of its own: its log is replayed with its id, and with no other.
. "$(dirname "$0")/../lib/core.sh"
motet=$1 firmware=$2
replay() { # EXPECTED-STATUS OPTION...
    expected=$1
    shift
    command="replay $*"
    "$motet" replay "$work/flash" --elf "$firmware" --board micaz "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status = "$expected" ] || fail "the status must be $expected"
    [ "$expected" = 0 ] || grep -q "not those of the node that recorded.*--id" "$work/err" || fail "it must say what is missing"
}
"$motet" run "$firmware" --board micaz --nodes 3 --for 20s --quiet --save-flash "2:$work/flash" >"$work/out" 2>&1
replay 1
replay 1 --id 1
replay 0 --id 2
finish
