#!/bin/sh
# usage: compiled.sh MOTET EXACT SOURCE BOARD SECONDS LEAST [--codec CODEC] [--stamp TIMER] [-i LINE] COMPILER-COMMAND...
# -i: with random bytes on that serial line. Compiles SOURCE with motet cc, and has EXACT compare a simulated node's life with the replay of its log.
. "$(dirname "$0")/../lib/core.sh"
set -eu
motet=$1 exact=$2 source=$3 board=$4 seconds=$5 least=$6
shift 6
codec=motet stamp= line=
[ "$1" != --codec ] || { codec=$2 && shift 2; }
[ "$1" != --stamp ] || { stamp=$2 && shift 2; }
[ "$1" != -i ] || { line=$2 && shift 2; }
"$motet" cc --board "$board" --codec "$codec" ${stamp:+--stamp "$stamp"} -- "$@" -o "$work/recorded.elf" "$source"
"$exact" ${line:+-i "$line"} "$work/recorded.elf" "$board" "$seconds" "$least"
