#!/bin/sh
# usage: telosb_echo.sh MOTET FIRMWARE
# What goes to the TelosB's terminal port (USART1) comes back, through standard input and output.
set -eu
printf 'hello, flash.' >"$2.input"
"$1" run "$2" --board sky --for 10s --until-exit --quiet <"$2.input" >"$2.output"
printf 'telosb\nhello, flash.' | diff - "$2.output"
