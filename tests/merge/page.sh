#!/bin/sh
# usage: page.sh ELF (with MOTET set)
# The page in a browser: see page.py.
. "$(dirname "$0")/../lib/expect.sh"
command -v chromium >"$work/chromium" || { echo "chromium is not installed"; exit 77; }
motet run --quiet "$1" --board micaz --topology line:5:10m --medium disk:15m --boot 1s --for 20s \
    --log-interface "collection.c,route.c=$work/%id.ilog"
expect_status 0
motet merge --html "$work/page.html" --json "$work"/[0-4].ilog
expect_status 0
cp "$work/out" "$work/story"
timeout 60 python3 "$(dirname "$0")/page.py" "$work/page.html" "$work/story" ${PICTURE:+"$PICTURE"} >"$work/out" 2>"$work/err" ||
    fail "page.py"
finish
