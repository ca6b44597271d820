#!/bin/sh
# usage: agree.sh MOTET FIRMWARE CHIP PROGRAM
# The firmware's console output on the chip is that of the same program built for this machine.
set -eu
"$1" run "$2" --board "$3" --for 1000s --until-exit --quiet >"$2.output"
"$4" | diff - "$2.output"
