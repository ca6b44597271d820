# Saved runs: motet run --save and motet open.
. "$SOURCE/tests/lib/expect.sh"
cd "$work" || exit 1

same_digest() { # FILE DIGEST: the saved run ends with it, and gets there again
    motet open "$1" --json
    expect_status 0
    expect_out "\"digest\": \"$2\""
    motet open "$1" --at 1000s --json --threads 3
    expect_out "\"digest_now\": \"$2\""
    motet open "$1" --at 1000s --json --anew --threads 1
    expect_out "\"digest_now\": \"$2\""
    motet open "$1" --verify
    expect_status 0
    expect_out "digests are equal"
}

digest_of() { sed -n 's/^motet: digest //p' "$work/err"; }

# One node: what comes in on a port, pins and voltages are in the saved run, and saving changes nothing.
printf 'hello, you out there\n' >"$work/in"
save_one() { motet run "$FIRMWARE/cli-$1.elf" --serial "0=file:$work/in,$work/heard" --for 1.5s --digest \
    --drive PD2=1@200.7ms --drive PD2=0@0.9s --analog 0=sine:0V:5V:3Hz --quiet $2; }
for firmware in echo watcher; do
    save_one "$firmware" ""
    plain=$(digest_of)
    save_one "$firmware" "--save one.motet"
    expect_status 0
    [ "$(digest_of)" = "$plain" ] || fail "saving should change nothing"
    same_digest "$work/one.motet" "$plain"
done

# Any moment, from a snapshot and from the beginning.
for at in 0s 123.456ms 0.7s @3200017 1.4999s; do
    motet open "$work/one.motet" --at "$at"
    expect_status 0
    cp "$work/out" "$work/first"
    motet open "$work/one.motet" --at "$at" --anew
    cmp -s "$work/out" "$work/first" || fail "at $at it should be the same from snapshots and anew"
done
motet open "$work/one.motet"
expect_out "made by    motet run"
expect_out "nodes      1, atmega328p"
expect_out "1.500000 s, ended by time"
expect_no_err

# It opens elsewhere, without the firmware.
cp "$FIRMWARE/cli-hello.elf" "$work/gone.elf"
motet run "$work/gone.elf" --save "$work/moved.motet" --json --quiet
rm "$work/gone.elf"
digest=$(sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$work/out")
mkdir "$work/elsewhere"
mv "$work/moved.motet" "$work/elsewhere/"
same_digest "$work/elsewhere/moved.motet" "$digest"

# A network, what a scenario does to it included, whatever the threads.
cat >"$work/s.lua" <<END
for i = 0, 3 do
    node{board = "micaz", firmware = "$FIRMWARE/network-cc2420-beacon.elf", x = 10 * i, boot = i / 7, drift = 20 * i}
    drive(i, "PD1", "low")
end
run_for(2)
at(0.4, function() kill(1) link(0, 2, -70) end)
at(0.8, function() boot(1) link_loss(0, 2, 0.5) analog(1, 1, 1.25) end)
at(0.9, function() reset(3) drive(2, "PD1", "high") move(3, 15, 2) end)
every(0.3, function() send(0, 0, "abc") end)
END
motet run "$work/s.lua" --quiet --digest --seed 7 --threads 2
plain=$(digest_of)
motet run "$work/s.lua" --quiet --digest --seed 7 --threads 1 --save "$work/net.motet"
expect_status 0
[ "$(digest_of)" = "$plain" ] || fail "saving should change nothing"
same_digest "$work/net.motet" "$plain"
motet open "$work/net.motet" --scenario
cmp -s "$work/out" "$work/s.lua" || fail "the scenario should be in the saved run"
motet open "$work/net.motet" --at 1.1s --threads 1
cp "$work/out" "$work/first"
motet open "$work/net.motet" --at 1.1s --threads 4 --anew
cmp -s "$work/out" "$work/first" || fail "at 1.1 s it should be the same from snapshots and anew"
motet open "$work/net.motet" --at @5
expect_complaint "nodes have ticks of their own"
motet open "$work/one.motet" --scenario
expect_complaint "made without a scenario"

# A run that ends by a fault is saved up to there.
motet run "$FIRMWARE/cli-status.elf" --save "$work/status.motet" --quiet
expect_status 3
motet open "$work/status.motet"
expect_out "ended by exit"

# Damaged, foreign and newer files are refused.
damage() { # OFFSET: another byte there
    cp "$work/one.motet" "$work/bad.motet"
    printf '\245' | dd of="$work/bad.motet" bs=1 seek="$1" conv=notrunc status=none
}
size=$(wc -c <"$work/one.motet")
for offset in 20 50 100 $((size / 2)) $((size - 3)); do
    damage "$offset"
    motet open "$work/bad.motet"
    expect_complaint "is damaged"
done
for length in 0 7 8 63 64 $((size / 2)) $((size - 1)); do
    head -c "$length" "$work/one.motet" >"$work/bad.motet"
    motet open "$work/bad.motet" --verify
    expect_status 2
    expect_no_out
done
(cat "$work/one.motet"; echo) >"$work/bad.motet"
motet open "$work/bad.motet"
expect_complaint "is damaged"
damage 8
motet open "$work/bad.motet"
expect_complaint "was written by a newer Motet"
motet open "$FIRMWARE/cli-echo.elf"
expect_complaint "is not a saved run"
motet open "$work"
expect_complaint "is not a saved run"
motet open "$work/nothing.motet"
expect_complaint "cannot be opened"

# Older spellings of options are accepted, and shown nowhere.
motet run "$FIRMWARE/cli-hello.elf" --quiet --keep "$work/old.motet"
expect_status 0
motet open "$work/old.motet" --verify
expect_status 0
motet run "$FIRMWARE/cli-hello.elf" --quiet --keep-flash="$work/old.flash"
expect_status 2
expect_err "save-flash: the board has no serial flash memory"
motet run --help
grep -q -e --keep "$work/out" && fail "--help should not show older spellings"
motet run "$FIRMWARE/cli-hello.elf" --kep "$work/x"
expect_complaint "has no option '--kep'"

# What cannot be saved: a sentence, and no file remains.
motet run "$FIRMWARE/cli-hello.elf" --save "$work/no/where.motet"
expect_complaint "cannot be written"
motet run "$FIRMWARE/cli-hello.elf" --save "$work/elsewhere"
expect_complaint "not a plain file"
motet run "$FIRMWARE/cli-echo.elf" --serial 1=null --save "$work/refused.motet"
expect_complaint "has no serial port 1"
motet run "$work/s.lua" --serial 9:0=null --save "$work/refused.motet"
expect_complaint "there is no node 9"
for left in "$work"/refused* "$work"/*.motet.* "$work"/elsewhere/*.motet.*; do
    [ ! -e "$left" ] || fail "$left should not be there"
done
finish
