# serial-test: packets come back and are acknowledged, bad ones are not; its own are sent again until acknowledged; and
# the two bugs of the receiver (docs/kit.md) show, each where it should, while the correct build is free of them.
. "$SOURCE/tests/lib/expect.sh"

talk() { # FIRMWARE TIME; standard input: what the host sends
    "$FRAMES" encode >"$work/line"
    motet run --board "$board" --for "$2" --quiet --serial "$port=file:$work/line,$work/answer" "$FIRMWARE/$1.elf" </dev/null
    expect_status 0
    "$FRAMES" decode <"$work/answer" >"$work/frames"
}

expect_frames() { # standard input: what the host receives; answers may come a little before or after other frames
    sort -s -k 1,1 >"$work/expected"
    sort -s -k 1,1 "$work/frames" | diff "$work/expected" - >"$work/diff" || fail "frames: $(cat "$work/diff")"
}

for board; do
    port=0 second=6000 # flags that take a little longer than one
    [ "$board" != telosb ] || port=1 second=12000
    case $board in nrf52840dk | cc2538dk) second=12000 ;; esac
    for variant in "" -checked; do
        talk "serial-test-$board$variant" 2.5s <<END
idle 100
acknowledged 5 0102037e7d04
acknowledged 200 aa
idle 200
acknowledged 7 -
plain 0 7d7e7d
idle 200
bad plain 0 1122
bad acknowledged 8 3344
short 3
idle 1
short 500
acknowledged 9 55
plain 0 66
idle 200
acknowledged 10 $(printf '%0128d' 7)
idle 300
acknowledged 11 $(printf '%0130d' 7)
plain 0 77
idle $second
ack 0 -
END
        expect_frames <<END
ack 5 -
plain 0 0102037e7d04
ack 200 -
plain 0 aa
ack 7 -
plain 0 -
plain 0 7d7e7d
ack 9 -
plain 0 55
plain 0 66
ack 10 -
plain 0 $(printf '%0128d' 7)
plain 0 77
$(grep '^acknowledged 0 6300010000$' "$work/frames")
acknowledged 1 6300020001
acknowledged 1 6300020001
acknowledged 1 6300020001
acknowledged 1 6300020001
acknowledged 1 6300020001
END
        grep -q '^acknowledged 0' "$work/frames" || fail "the first counter should come"
    done

    # Two packets in a row: the second comes while the first is still being sent back.
    cat >"$work/pair" <<END
acknowledged 1 aaaaaaaaaaaaaaaaaaaaaaaaaaaa
acknowledged 2 bb
idle 200
acknowledged 3 cc
idle 200
END
    talk "serial-test-$board" 0.5s <"$work/pair"
    [ "$(grep -c ^ack "$work/frames")" -eq 3 ] || fail "all three should be acknowledged"
    talk "serial-test-$board-serial-lock" 0.5s <"$work/pair"
    ! grep -q '^ack 2' "$work/frames" || fail "the reversed lock test should lose the second packet"
    grep -q '^ack 3' "$work/frames" || fail "the third packet comes when nothing is locked"

    # A damaged packet, and then good ones.
    printf '%s\n' 'plain 0 11' 'idle 200' 'bad plain 0 22' 'idle 200' 'plain 0 33' 'idle 200' 'plain 0 44' 'idle 200' \
        >"$work/damaged"
    talk "serial-test-$board" 0.5s <"$work/damaged"
    expect_frames <<END
plain 0 11
plain 0 33
plain 0 44
END
    talk "serial-test-$board-serial-unlock" 0.5s <"$work/damaged"
    expect_frames <<END
plain 0 11
END

    # Noise does not stop the receiver.
    awk 'BEGIN { srand(1); for (i = 0; i < 3000; i++) printf "%c", 1 + int(rand() * 127) }' >"$work/noise"
    printf 'idle 400\nacknowledged 77 1234\nidle 400\n' | "$FRAMES" encode | cat "$work/noise" - >"$work/line"
    motet run --board "$board" --for 0.9s --quiet --serial "$port=file:$work/line,$work/answer" \
        "$FIRMWARE/serial-test-$board-checked.elf" </dev/null
    expect_status 0
    "$FRAMES" decode <"$work/answer" >"$work/frames"
    expect_frames <<END
ack 77 -
plain 0 1234
END
done
finish
