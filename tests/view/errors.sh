#!/bin/sh
# usage: errors.sh BEACON SENSOR (with MOTET set)
# What can be wrong with a report or a view is one sentence and status 2, and nothing is left: no file, no server.
. "$(dirname "$0")/../lib/expect.sh"
beacon=$1 sensor=$2
left() { # WHAT: no temporary folder and no server is left
    for folder in /tmp/motet-view-*; do
        [ ! -e "$folder/run.motet" ] || [ ! "$folder" -nt "$work/begin" ] || fail "$1 leaves $folder"
    done
}
: >"$work/begin"

for verb in report view; do
    motet $verb
    expect_complaint "$verb needs FILE"
    motet $verb "$work/nowhere.elf"
    expect_complaint "nowhere.elf"
    printf 'no saved run' >"$work/broken.motet"
    motet $verb "$work/broken.motet"
    expect_complaint "broken.motet"
    motet $verb "$sensor" "$beacon"
    expect_complaint "one file at a time"
    motet $verb --board uno --for 1s --variable nowhere "$sensor"
    expect_complaint "nowhere"
    motet $verb --board uno --for 1s --nodez 3 "$sensor"
    expect_complaint "did you mean --nodes"
    printf 'no log' >"$work/no.log"
    motet $verb "$work/no.log" --elf "$beacon"
    expect_complaint "no.log"
    motet $verb 1:"$work/no.log" 2:"$work/no.log" --elf "$beacon"
    expect_complaint "--time"
    left $verb
done
[ ! -e report.html ] || fail "a report is left where there was nothing to report"

motet run --quiet --board uno --for 1s --serial 0=null --save "$work/run.motet" "$sensor"
expect_status 0
size=$(wc -c <"$work/run.motet")
for part in 1 2 3; do # cut at three places
    head -c $((size * part / 4)) "$work/run.motet" >"$work/cut.motet"
    motet report "$work/cut.motet" -o "$work/cut.html"
    expect_complaint "cut.motet"
    [ ! -e "$work/cut.html" ] || fail "a report of a file that was cut"
done
motet report "$work/run.motet" -o /nowhere/report.html
expect_complaint "cannot write to /nowhere/report.html"
echo before >"$work/old.html"
motet report "$work/cut.motet" -o "$work/old.html"
expect_status 2
[ "$(cat "$work/old.html")" = before ] || fail "what was there is gone although there was nothing to write"

motet view "$work/run.motet" --browser /nowhere/browser
expect_complaint "/nowhere/browser is not there"
motet view "$work/run.motet" --port 70000
expect_complaint "--port"
python3 - "$work/port" <<'END' &
import socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
with open(sys.argv[1] + ".new", "w") as f:
    f.write(str(s.getsockname()[1]))
import os
os.rename(sys.argv[1] + ".new", sys.argv[1])
time.sleep(60)
END
holder=$!
until [ -s "$work/port" ]; do sleep 0.05; done
PATIENCE=20 motet view "$work/run.motet" --port "$(cat "$work/port")"
if grep -q "cannot be served" "$work/err"; then
    expect_complaint "libmicrohttpd" # this build has no server
else
    expect_complaint "cannot listen on port $(cat "$work/port")"
fi
kill $holder
left "a port in use"
finish
