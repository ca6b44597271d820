# Serial ports: standard input and output, files, pseudo-terminals, connections.
. "$SOURCE/tests/lib/expect.sh"
echo=$FIRMWARE/cli-echo.elf

printf 'one two.' >"$work/in"
motet run --quiet "$echo" <"$work/in"
expect_status 0
[ "$(cat "$work/out")" = "> ONE TWO." ] || fail "a file as standard input"
printf 'pipe.' | timeout 300 "$MOTET" run --quiet "$echo" >"$work/out" 2>"$work/err"
status=$? command="printf | motet run"
[ "$(cat "$work/out")" = "> PIPE." ] || fail "a pipe as standard input"

motet run --quiet --serial "0=file:$work/in,$work/sent" "$echo" </dev/null
expect_status 0
expect_no_out
[ "$(cat "$work/sent")" = "> ONE TWO." ] || fail "files for both directions"
motet run --quiet --serial "0=file:$work/in" "$echo" </dev/null
[ "$(cat "$work/out")" = "> ONE TWO." ] || fail "without an output file port 0 goes to standard output"
motet run --quiet --serial 0=null --for 100ms "$echo" <"$work/in"
expect_no_out

# A long input loses nothing, and the same file is the same run.
{ head -c 6000 /dev/zero | tr '\0' x; printf .; } >"$work/long"
motet run --json --quiet --serial "0=file:$work/long,$work/sent" "$echo" </dev/null
[ "$(wc -c <"$work/sent")" -eq 6003 ] || fail "6001 bytes in, with the prompt 6003 out"
first=$(jq -r .digest "$work/out")
motet run --json --quiet --serial "0=file:$work/long,$work/sent" "$echo" </dev/null
[ "$first" = "$(jq -r .digest "$work/out")" ] || fail "the same input should give the same digest"

# Two ports at once.
printf 'to one' >"$work/in0"
printf 'to zero.' >"$work/in1"
motet run --quiet --board mega --serial "0=file:$work/in0,$work/out0" --serial "1=file:$work/in1,$work/out1" \
    "$FIRMWARE/cli-echo1.elf" </dev/null
expect_status 0
[ "$(cat "$work/out0")" = "to zero." ] || fail "port 1 to port 0"
[ "$(cat "$work/out1")" = "to one" ] || fail "port 0 to port 1"

# Input at given times, also while the receiver is off: what comes then is lost, as on a wire.
cat >"$work/times" <<'END'
# time  bytes
10ms    "lost"
30ms    "a\x62c" 64 "\"\\"
        # nothing
@800000 "at 50 ms" 2e
END
motet run --quiet --serial "0=timed:$work/times" --digest "$FIRMWARE/cli-deaf.elf" </dev/null
expect_status 0
[ "$(cat "$work/out")" = 'abcd"\at 50 ms.' ] || fail "timed input"
timed=$(cat "$work/err")
motet run --quiet --serial "0=timed:$work/times,$work/sent" --monitor serial --save "$work/timed.motet" --digest \
    "$FIRMWARE/cli-deaf.elf" </dev/null
[ "$(cat "$work/sent")" = 'abcd"\at 50 ms.' ] || fail "timed input and a file for the output"
[ "$(cat "$work/err")" = "$timed" ] || fail "the same digest with a monitor, and saved"
grep -q "^ *0.0100[0-9]* .*serial 0 in  0x6c 'l'" "$work/out" || fail "the first byte at 10 ms"
grep -q "^ *0.0300[0-9]* .*serial 0 in  0x61 'a'" "$work/out" || fail "the fifth byte at 30 ms"
grep -q "^ *0.0500[0-9]* .*serial 0 in  0x61 'a'" "$work/out" || fail "the last line at 50 ms"
for how in "" --anew; do
    motet open "$work/timed.motet" --at 1000s --json $how
    expect_out "\"digest_now\": \"${timed#motet: digest }\""
done
motet open "$work/timed.motet" --verify
expect_out "digests are equal"
printf 'continue\nquit\n' | timeout 60 "$MOTET" debug --line --serial "0=timed:$work/times,$work/sent" \
    "$FIRMWARE/cli-deaf.elf" >"$work/out" 2>"$work/err"
[ "$(cat "$work/sent")" = 'abcd"\at 50 ms.' ] || fail "timed input under a debugger"

# Waiting for a time is no reason to end a run in which all sleep; a long line loses nothing.
printf '200ms "%s."\n' "$(head -c 3000 /dev/zero | tr '\0' x)" >"$work/times"
motet run --quiet --serial "0=timed:$work/times,$work/sent" "$echo" </dev/null
expect_status 0
[ "$(wc -c <"$work/sent")" -eq 3003 ] || fail "3001 bytes in, with the prompt 3003 out"

# Each node of a network; one that is off hears nothing.
printf '5ms "early"\n50ms "late."\n' >"$work/times"
motet run --quiet --nodes 2 --boot 0:0s --boot 1:20ms --serial "*:0=timed:$work/times,$work/sent-%id" "$echo" </dev/null
expect_status 0
[ "$(cat "$work/sent-0" "$work/sent-1")" = "> EARLYLATE.> LATE." ] || fail "nodes with one timed input"

bad() { # COMPLAINT LINE...
    printf "$2" >"$work/times"
    motet run --serial "0=timed:$work/times,$work/never" "$echo"
    expect_complaint "$work/times$1"
    [ ! -e "$work/never" ] || fail "nothing should be written"
}
bad ", line 1: a line is a time and bytes" '10ms\n'
bad ", line 2: 5ms is before the time of the line above" '10ms "a"\n5ms "b"\n'
bad ", line 1: 'zz' is neither a text" '10ms zz\n'
bad ", line 1: '4' is neither a text" '10ms 4'
bad ", line 1: '412' is neither a text" '10ms 412'
bad ", line 1: the text has no closing quotation mark" '10ms "abc\n'
bad ", line 1: a backslash is followed by" '10ms "\\q"\n'
bad ", line 1: " 'soon "a"\n'
bad ", line 1: a line holds a zero byte" '10ms "a\000"\n'
bad " holds no input" '# nothing\n'
motet run --serial 0=timed:,out "$echo"
expect_complaint "'timed:,out' names no input"
motet run --serial "0=timed:$work/missing" "$echo"
expect_complaint "cannot read $work/missing"
printf '@100 "a"\n' >"$work/times"
motet run --nodes 2 --serial "*:0=timed:$work/times" "$echo"
expect_complaint "nodes have ticks of their own"

# Scenarios: send waits for the receiver, send_now does not.
cat >"$work/now.lua" <<END
node{firmware = "$FIRMWARE/cli-deaf.elf"}
at(0.01, function()
    check(send(0, 0, "waits") == 0, "send should wait")
    check(send_now(0, 0, "lost") == 4, "send_now should not")
end)
at(0.03, function() send_now(0, 0, "heard.") end)
at_end(function() check(output(0) == "heard.", "heard: " .. output(0)) end)
run_for(1)
END
motet run --quiet "$work/now.lua"
expect_status 0

# A pseudo-terminal and a TCP connection, each with a real program at the other end.
connect() { # ENDPOINT PATTERN SOCAT-ADDRESS-PREFIX SOCAT-ADDRESS-SUFFIX
    command="motet run --serial 0=$1"
    : >"$work/err"
    timeout 300 "$MOTET" run --for 600s --realtime --serial "0=$1" "$echo" </dev/null >"$work/out" 2>"$work/err" &
    run=$!
    address=
    while [ -z "$address" ] && kill -0 $run 2>/dev/null; do
        address=$(sed -n "$2" "$work/err")
        [ -n "$address" ] || sleep 0.05
    done
    # The prompt of a pseudo-terminal is gone before a program can have opened it.
    (printf 'round trip.'; sleep 0.5) | timeout 300 socat -t 100 - "$3$address$4" >"$work/got" 2>"$work/socat"
    wait $run
    status=$?
    expect_status 0
    grep -q 'ROUND TRIP\.$' "$work/got" || fail "what came back was: $(cat "$work/got" "$work/socat")"
}
connect pty 's/^motet: serial 0 is //p' '' ',raw,echo=0'
connect tcp:0 's/^motet: serial 0 waits for a connection to 127.0.0.1 port //p' TCP:127.0.0.1: ''

# A client that sends something long and leaves without reading is heard to the end.
command="motet run --serial 0=tcp:0, and a client that goes"
: >"$work/err"
"$MOTET" run --for 200s --until-exit --serial 0=tcp:0 "$echo" </dev/null >"$work/out" 2>"$work/err" &
run=$! port=
while [ -z "$port" ] && kill -0 $run 2>/dev/null; do
    port=$(sed -n 's/^motet: serial 0 waits for a connection to 127.0.0.1 port //p' "$work/err")
    [ -n "$port" ] || sleep 0.05
done
python3 -c 'import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"x" * 60000 + b".")
s.recv(1)' "$port"
wait $run
status=$?
expect_status 0

# Waiting for a connection can be interrupted, and a port that is taken is an error.
: >"$work/first"
"$MOTET" run --serial 0=tcp:0 "$echo" </dev/null >"$work/out" 2>"$work/first" &
run=$!
port=
while [ -z "$port" ] && kill -0 $run 2>/dev/null; do
    port=$(sed -n "s/.*127.0.0.1 port //p" "$work/first")
    sleep 0.05
done
motet run --serial "0=tcp:$port" "$echo" </dev/null
expect_complaint "cannot listen on TCP port $port for serial 0: Address already in use"
kill -INT $run
wait $run
status=$?
command="motet run --serial 0=tcp:0, interrupted"
cp "$work/first" "$work/err"
expect_err "interrupted before a client connected to serial 0"
expect_status 2

# A sleeping firmware waits for its input.
(sleep 0.3; printf x; sleep 0.3) | timeout 300 "$MOTET" run --quiet "$FIRMWARE/cli-sleeper.elf" >"$work/out" 2>"$work/err"
status=$? command="sleep | motet run cli-sleeper"
expect_status 0
[ "$(cat "$work/out")" = "good night
x" ] || fail "the byte should wake it and come back"

finish
