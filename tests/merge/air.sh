#!/bin/sh
# usage: air.sh MOTET BOARD ELF
# Frames recognised in recordings are those that were on the air: the sent ones all of them up to the log's end, in order;
# the received ones those that the firmware read. And the order that is made of them has each packet sent before it is
# received.
. "$(dirname "$0")/../lib/core.sh"
motet=$1 board=$2 elf=$3 here=$(dirname "$0")
[ "$board" = telosb ] && port=1 || port=0
for i in 0 1 2 3 4; do
    flashes="${flashes:-} --save-flash $i:$work/$i.flash" logs="${logs:-} $i:$work/$i.flash"
done
"$motet" run --quiet "$elf" --board "$board" --topology line:5:10m --medium disk:15m --loss 0.1 --drift 40 --boot 2s \
    --for "${SECONDS_OF_AIR:-60}s" --script "$here/air.lua" $flashes --serial "0:$port=file:,$work/reports" >"$work/air" 2>&1 ||
    fail "cannot run: $(head -3 "$work/air")"
"$motet" merge $logs --elf "$elf" --board "$board" --time ticks/32768 --json >"$work/out" 2>"$work/err" ||
    fail "merge finds something wrong"

frames() { # NODE KIND: of the merged story
    sed -n "s/.*\"node\": $1, \"event\": [0-9]*, \"kind\": \"$2\",.*\"bytes\": \"\([0-9a-f]*\)\".*/\1/p" "$work/out"
}
total=0
for i in 0 1 2 3 4; do
    for kind in send receive; do
        # The AT86RF230 repeats a frame by itself, which the firmware does not see.
        sed -n "s/^$i: $kind //p" "$work/air" | uniq >"$work/there"
        frames $i $kind | uniq >"$work/here"
        total=$((total + $(wc -l <"$work/here")))
        # Frames that the firmware gave the chip too late for the air: their writes are recognised, and not compared.
        damaged=$(grep -c "^$i: $kind-damaged" "$work/air")
        [ "$damaged" -eq 0 ] || {
            [ "$board" = mica2 ] && [ $((damaged * 5)) -lt $((damaged + $(wc -l <"$work/there"))) ] || fail "$damaged frames are damaged"
            grep -Fxf "$work/there" "$work/here" >"$work/right"
            [ "$(wc -l <"$work/here")" -le $(($(wc -l <"$work/right") + damaged)) ] || fail "$kind: frames that never were"
            mv "$work/right" "$work/here"
        }
        # A recorder makes the driver of the CC1000 miss bytes: what counts is what the driver received.
        if [ "$board$kind" = mica2receive ]; then
            frames $i $kind | sed 's/^.\{14\}//' >"$work/there"
            sed -n "s/^$i: taken //p" "$work/air" >"$work/here"
            # All of it, in order, but for the last, which may be after the log's end. The driver may drop a frame whose
            # bytes it has read, as a whole one comes while it is busy: at most one in fifty.
            awk 'NR == FNR { taken[++n] = $0; next } at < n && $0 == taken[at + 1] { at++; next } { dropped++ }
                END { exit n - at > 1 || dropped * 50 > FNR + 50 }' "$work/here" "$work/there" ||
                fail "node $i: what the driver took is not what is recognised"
            continue
        fi
        # Sent: a prefix. One more may be recognised that never was on the air: the chip refuses to send, and its status says
        # that it sends, since that is an acknowledgement; the firmware takes its frame as sent, too (docs/merging.md).
        # Received: in the same order, and few left out, since filtered frames are not read.
        awk -v kind=$kind 'NR == FNR { air[++n] = $0; there[$0]; next }
            kind == "send" && !($0 in there) && !refused++ { next }
            { at++; while (at <= n && air[at] != $0) { if (kind == "send") exit wrong = 1; skipped++; at++ }
              if (at > n) exit wrong = 1; read++ }
            END { exit wrong || read < (at <= n ? at : n) * 0.8 || read < n * 0.5 }' "$work/there" "$work/here" ||
            fail "$board: node $i, $kind: $(wc -l <"$work/there") on the air, $(wc -l <"$work/here") recognised"
    done
done
[ "$total" -gt 100 ] || fail "only $total frames"
grep -q 'receives have their send' "$work/err" || fail "no summary"
grep -Eq 'of several|several nodes' "$work/err" && fail "a receive is ambiguous"

# In the order that is printed, causes come first.
awk '{ match($0, /"node": [0-9]+, "event": [0-9]+/); done[substr($0, RSTART, RLENGTH)] = 1 }
    match($0, /"cause": {[^}]*}/) { cause = substr($0, RSTART + 10, RLENGTH - 11); causes++
        if (!(cause in done)) { print "too early: " cause; wrong = 1 } }
    END { if (causes < 50) print "only " causes + 0 " causes"; exit wrong || causes < 50 }' "$work/out" >"$work/order" ||
    fail "a receive comes before its send, or there are too few: $(cat "$work/order")"
finish
