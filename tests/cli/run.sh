# Ordinary runs: what goes where, how they end, and with which status.
. "$SOURCE/tests/lib/expect.sh"

motet run "$FIRMWARE/cli-hello.elf" </dev/null
expect_status 0
[ "$(cat "$work/out")" = hello ] || fail "standard output should be what the firmware sent and nothing else"
expect_err "the firmware ended the run with status 0"

motet run --quiet "$FIRMWARE/cli-hello.elf" </dev/null
expect_status 0
expect_no_err

motet run "$FIRMWARE/cli-status.elf" </dev/null
expect_status 3
expect_err "the firmware ended the run with status 7"

motet run --for 1s "$FIRMWARE/cli-forever.elf" </dev/null
expect_status 0
[ "$(grep -c '^line$' "$work/out")" -eq 10 ] || fail "there should be ten lines in a second"
expect_err "time limit reached; 1.00000"

motet run --for 1s --until-exit "$FIRMWARE/cli-forever.elf" </dev/null
expect_status 3
expect_err "the firmware had not ended the run when the time was over"

# Times mean the same however they are written.
for time in 0.5s 500ms 500000us @8000000 .5 500000000ns; do
    motet run --for "$time" --json --quiet "$FIRMWARE/cli-forever.elf" </dev/null
    tail -n 1 "$work/out" | jq -e '.nodes[0].ticks | . >= 8000000 and . < 8000010' >"$work/jq" || fail "$time should be 8000000 ticks"
done
motet run --for 1s --clock 8MHz --json "$FIRMWARE/cli-forever.elf" </dev/null
tail -n 1 "$work/out" | jq -e '.nodes[0] | .hz == 8000000 and .ticks >= 8000000 and .ticks < 8000010' >"$work/jq" || fail "8 MHz"

# Asleep for good: an end where nothing can come, and no end to the time asked for.
motet run "$FIRMWARE/cli-sleeper-alone.elf" </dev/null
expect_status 0
expect_err "nothing can wake it"
motet run --for 1h --json "$FIRMWARE/cli-sleeper-alone.elf" </dev/null
expect_status 0
tail -n 1 "$work/out" | jq -e '.exit_reason == "time" and .time >= 3600' >"$work/jq" || fail "an hour of sleep"

# Ctrl-C ends a run cleanly.
: >"$work/out"
"$MOTET" run --json "$FIRMWARE/cli-forever.elf" </dev/null >"$work/out" 2>"$work/err" &
run=$!
command="motet run, interrupted"
while [ ! -s "$work/out" ] && kill -0 $run 2>/dev/null; do sleep 0.05; done
kill -INT $run
wait $run
status=$?
expect_status 0
expect_err "motet: interrupted; "
tail -n 1 "$work/out" | jq -e '.exit_reason == "interrupted"' >"$work/jq" || fail "the line of JSON after an interrupt"

# A reader that closes the pipe ends the run; a full disk is an error.
command="motet run | head"
status=$(timeout 300 sh -c '{ "$MOTET" run "$FIRMWARE/cli-forever.elf" </dev/null; echo $? >&3; } | head -n 1 >/dev/null' 3>&1 2>"$work/err")
: >"$work/out"
[ "$status" -eq 141 ] || fail "a closed pipe should end the run like any other program's"
expect_no_err
command="motet run >/dev/full"
"$MOTET" run --for 1s "$FIRMWARE/cli-forever.elf" </dev/null >/dev/full 2>"$work/err"
status=$?
expect_complaint "cannot write the output of serial 0: No space left on device"
command="motet boards >/dev/full"
"$MOTET" boards >/dev/full 2>"$work/err"
status=$?
expect_complaint "cannot write to standard output: No space left on device"
command="motet run >&-"
"$MOTET" run --for 1s "$FIRMWARE/cli-forever.elf" </dev/null >&- 2>"$work/err"
status=$?
expect_complaint "cannot write the output of serial 0"
motet run --quiet "$FIRMWARE/cli-hello.elf" <&-
expect_status 0
expect_out hello

# The interface for firmware that knows where it is.
motet run "$FIRMWARE/cli-console.elf" </dev/null
expect_status 3
expect_err "the firmware ended the run with status 5"
[ "$(tr "\n" ";" <"$work/out")" = "console one;port;console two;" ] || fail "console and port should come out in order"
motet run --serial "console=file:,$work/console" "$FIRMWARE/cli-console.elf" </dev/null
[ "$(cat "$work/out")" = port ] || fail "only the port should be left on standard output"
[ "$(cat "$work/console")" = "console one
console two" ] || fail "the console should be in its file"

# A board has the fuses that it is programmed with, a bare chip those it is shipped with; options come before both.
for board in micaz:0xd9 mica2:0xd9 iris:0xd9 atmega128:0x99; do
    elf=$FIRMWARE/radio-micaz-send.elf
    [ $board != iris:0xd9 ] || elf=$FIRMWARE/radio-iris-send.elf
    motet info --board ${board%:*} "$elf"
    expect_out "fuses           extended 0xff, high ${board#*:}, low 0xff"
done
finish
