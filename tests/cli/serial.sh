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
