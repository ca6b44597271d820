#!/bin/sh
# usage: page.sh BEACON SENSOR (with MOTET set; PICTURES: a folder for screenshots)
# The page in a browser: see page.py.
. "$(dirname "$0")/../lib/expect.sh"
command -v chromium >"$work/chromium" || { echo "chromium is not installed"; exit 77; }
[ -e "$(dirname "$MOTET")/motet_http.so" ] || { echo "this build has no server"; exit 77; }
mkdir -p "${PICTURES:=$work}"
motet run --quiet --board micaz --topology grid:3x3:10m --seed 7 --for 4s --save "$work/run.motet" "$1"
expect_status 0
motet report --board uno --for 4s --variable ticks -o "$work/one.html" "$2"
expect_status 0
MOTET=$MOTET timeout 100 python3 "$(dirname "$0")/page.py" "$work" "$2" "$PICTURES" >"$work/out" 2>"$work/err" || fail "page.py"
finish
