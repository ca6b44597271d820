#!/bin/sh
# usage: large.sh MOTET
# One file as nesC makes it, of 30,000 lines and 1,400 functions.
set -u
motet=$1 here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
"$here/large" 94 > app.c || exit 1
[ "$(wc -l < app.c)" -gt 30000 ] || { echo "too short"; exit 1; }
"$motet" slice app.c --board micaz --invariant 'M5P.step0: M5P.count < 100' --json > out || exit 1
functions=$(jq .functions out)
[ "$functions" -ge 1390 ] || { echo "only $functions functions"; exit 1; }
[ "$(jq .forwarding out)" -ge 180 ] || { echo "forwarding functions are not left out"; exit 1; }
echo "$functions functions"
