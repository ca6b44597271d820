# TinyOS's serial forwarder: programs on the host and a node exchange packets, both directions, several clients.
. "$SOURCE/tests/lib/expect.sh"
command=setup status=- run=
: >"$work/out"
trap '[ -z "$run" ] || kill $run 2>/dev/null; rm -rf "$work"' EXIT

start() { # ARGUMENTS: starts a run and finds its port
    command="motet run $*"
    : >"$work/err"
    "$MOTET" run "$@" </dev/null >"$work/out" 2>"$work/err" &
    run=$!
    port=
    while [ -z "$port" ] && kill -0 $run 2>/dev/null; do
        port=$(sed -n 's/.*serial forwarder at 127.0.0.1 port \([0-9]*\) .*/\1/p' "$work/err")
        [ -n "$port" ] || sleep 0.05
    done
}

client() { # NAME
    timeout 300 python3 "$SOURCE/tests/network/forwarder.py" "$1" "$port" >"$work/client" 2>&1 ||
        fail "the client: $(cat "$work/client")"
}

# One node alone; it ends on request.
for board in micaz $(case " $RADIO_BOARDS " in *" telosb "*) echo telosb ;; esac); do
    line=0
    [ "$board" != telosb ] || line=1
    start --board "$board" --serial "$line=sf:0" "$FIRMWARE/serial-test-$board.elf"
    client echo
    kill -INT $run
    wait $run
    status=$?
    expect_status 0
    expect_err "serial $line: the node has not acknowledged a packet in 5 attempts; it is dropped"
    expect_err "does not speak TinyOS's serial-forwarder protocol"
done

# A base station in a network. The scenario ends the run when the host's packet has arrived by radio.
cat >"$work/base.lua" <<LUA
node{ id = 0, board = "micaz", firmware = "$FIRMWARE/base-station-micaz.elf", set = { node_id = 0 } }
node{ id = 1, board = "micaz", firmware = "$FIRMWARE/radio-count-micaz.elf", x = 10, set = { node_id = 1 } }
every(0.01, function()
    if not led(1, "red") and led(1, "green") and led(1, "yellow") then stop() end
end)
run_for(100000)
at_end(function() check(now() < 100000, "node 1 never showed 6") end)
LUA
start --threads 1 --serial 0:0=sf:localhost:0 "$work/base.lua"
client base
wait $run
status=$?
expect_status 0
expect_err "serial 0 of node 0 has its serial forwarder at"

# A place that is none, and one that is taken.
for bad in sf: sf:x sf:70000 sf:example:9002 sf:1.2.3:5 sf::9002; do
    motet run --board micaz --serial "0=$bad" "$FIRMWARE/serial-test-micaz.elf" </dev/null
    expect_complaint "is not a place for a serial forwarder"
done
start --board micaz --serial 0=sf:127.0.0.1:0 "$FIRMWARE/serial-test-micaz.elf"
motet run --board micaz --serial "0=sf:$port" "$FIRMWARE/serial-test-micaz.elf" </dev/null
expect_complaint "cannot listen on $port for the serial forwarder of serial 0: Address already in use"
kill -INT $run
wait $run
status=$?
expect_status 2
finish
