#!/bin/sh
# usage: aside.sh MOTET FIRMWARE
# Translation in a thread of its own: a run that goes on beside it, or ends in the middle of it, gives what the loop
# gives, and ends well.
MOTET=$1 firmware=$2
. "$(dirname "$0")/../lib/expect.sh"

digest() { sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$work/out" | head -n 1; }

for seconds in 5 6 20; do
    for engine in loop translate; do
        MOTET_ENGINE=$engine motet run "$firmware" --board atmega328p --for ${seconds}s --json
        expect_status 0
        digest >"$work/digest.$engine"
    done
    [ -s "$work/digest.loop" ] || fail "there is no digest"
    cmp -s "$work/digest.loop" "$work/digest.translate" || fail "the engines differ after $seconds s"
done
finish
