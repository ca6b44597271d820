# A node that logs the interface of a component itself (motet cc --log-interface), and writes it to its serial port: what
# was collected is replayed without a deviation, also after overflows, and has the events that probes see in the same run.
. "$SOURCE/tests/lib/expect.sh"
[ -e "$FIRMWARE/logged-collect-micaz-Os.elf" ] || { echo "skipped: there is no libclang"; exit 0; }

port() { case $1 in micaz) echo 0 ;; telosb) echo 1 ;; esac; }

logged() { # BOARD FIRMWARE NODES TIME
    rm -f "$work"/serial-*
    motet run --quiet --board "$1" --nodes "$3" --for "$4" --serial "$(port "$1")=file:,$work/serial-%id" "$2"
    expect_status 0
}

collected() { # BOARD FIRMWARE ID
    motet collect --elf "$2" --board "$1" --id "$3" --output "$work/$3.ilog" --json "$work/serial-$3"
    expect_status 0
    cp "$work/out" "$work/collected"
    jq -e '.missing == 0 and .starts == 1 and .interrupts == 0' "$work/out" >/dev/null || fail "$2: node $3 should have all pages"
}

replayed() { # BOARD FIRMWARE ID LEAST
    motet replay --board "$1" --elf "$2" --json "$work/$3.ilog"
    expect_status 0
    jq -e ".differs == false and .events >= $4 and (.end | startswith(\"the log ends\"))" "$work/out" >/dev/null ||
        fail "$2: the log of node $3 should be exact, with at least $4 events"
}

for board in micaz telosb; do
    for level in O0 Os O2 O3; do
        elf=$FIRMWARE/logged-collect-$board-$level.elf
        [ -e "$elf" ] || continue
        logged $board "$elf" 5 40s
        for id in 1 4; do
            collected $board "$elf" $id
            jq -e '.lost > 0' "$work/collected" >/dev/null || fail "$elf: the first seconds should be too much for the buffer"
            replayed $board "$elf" $id 700
        done
    done
    elf=$FIRMWARE/logged-dissemination-$board.elf
    [ -e "$elf" ] || continue
    logged $board "$elf" 3 30s
    for id in 0 2; do
        collected $board "$elf" $id
        replayed $board "$elf" $id 100
    done
done

# What probes see of the same run. The node logs reads where its source has them, not where others changed something.
calls() {
    jq -r 'select(.function and ((.function | startswith("motet_seen")) or .function == "motet_look" | not)) |
        [.event, (.function | sub("^motet_out_"; "")), [.parameters[]?.value], .result] | tostring'
}
for board in micaz telosb; do
    elf=$FIRMWARE/logged-collect-$board-large.elf
    [ -e "$elf" ] || continue
    rm -f "$work"/serial-*
    motet run --quiet --board $board --nodes 3 --for 30s --serial "$(port $board)=file:,$work/serial-%id" \
        --monitor "interface:of=collection.c,of=route.c,of=link.c,format=jsonl,file=$work/probes-%id" "$elf"
    collected $board "$elf" 1
    jq -e '.lost == 0' "$work/collected" >/dev/null || fail "$elf: all events should have room"
    motet collect --elf "$elf" --board $board --id 1 --output "$work/1.ilog" --events "$work/serial-1"
    calls <"$work/out" >"$work/node"
    calls <"$work/probes-1" >"$work/probes"
    lines=$(wc -l <"$work/node")
    [ "$lines" -gt 150 ] || fail "$elf: the node should have logged more than $lines calls"
    head -n "$lines" "$work/probes" | cmp - "$work/node" || fail "$elf: probes see other calls than the node logs"
    replayed $board "$elf" 1 300
done

# Nodes' own logs are merged like those of probes.
logged micaz "$FIRMWARE/logged-collect-micaz-Os.elf" 5 40s
for id in 1 2 3 4; do collected micaz "$FIRMWARE/logged-collect-micaz-Os.elf" $id; done
motet merge --json "$work/1.ilog" "$work/2.ilog" "$work/3.ilog" "$work/4.ilog"
jq -es '[.[] | select(.kind == "receive")] | length > 10' "$work/out" >/dev/null || fail "the merged logs should have receives"

# Another firmware's log, no log at all, and a firmware that logs nothing.
motet collect --elf "$FIRMWARE/logged-collect-micaz-O3.elf" --board micaz --output "$work/x.ilog" "$work/serial-1"
expect_complaint "was written by another firmware than"
head -c 5000 /dev/zero >"$work/zero"
motet collect --elf "$FIRMWARE/logged-collect-micaz-Os.elf" --board micaz --output "$work/x.ilog" "$work/zero"
expect_complaint "has no page of an interface log"
motet collect --elf "$FIRMWARE/collect-micaz.elf" --board micaz --output "$work/x.ilog" "$work/serial-1"
expect_complaint "logs no interface; build it with motet cc --log-interface"
motet replay --board micaz --elf "$FIRMWARE/logged-collect-micaz-O3.elf" "$work/1.ilog"
expect_complaint "but the interface log was made by build"

# A line that lost bytes: pages that are damaged are left out, and the log goes on where logging begins anew.
head -c 3000 "$work/serial-1" >"$work/serial-9" && tail -c +3100 "$work/serial-1" >>"$work/serial-9"
motet collect --elf "$FIRMWARE/logged-collect-micaz-Os.elf" --board micaz --id 9 --output "$work/9.ilog" --json "$work/serial-9"
jq -e '.missing > 0' "$work/out" >/dev/null || fail "pages should be missing"
replayed micaz "$FIRMWARE/logged-collect-micaz-Os.elf" 9 20
finish
