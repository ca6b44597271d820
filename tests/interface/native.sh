# A component's replay as a program of this computer (motet replay --native): everything that the component sends out is
# as in the log that the node made itself, gdb shows it in the user's sources, and the first deviation is named.
. "$SOURCE/tests/lib/expect.sh"
[ -e "$FIRMWARE/logged-collect-micaz-Os.elf" ] || { echo "skipped: there is no libclang"; exit 0; }
command -v gdb >/dev/null || { echo "skipped: there is no gdb"; exit 0; }
port() { case $1 in micaz) echo 0 ;; telosb) echo 1 ;; esac; }
cd "$work" || exit 1

for board in micaz telosb; do
    elf=$FIRMWARE/logged-collect-$board-Os.elf
    [ -e "$elf" ] || continue
    motet run --quiet --board $board --nodes 3 --for 40s --serial "$(port $board)=file:,serial-%id" "$elf"
    motet collect --elf "$elf" --board $board --id 2 --output 2.ilog serial-2
    motet replay --board $board --elf "$elf" 2.ilog
    end=$(sed 's/.*instructions; //' err)

    # To the same end as on the simulated chip, also over the gaps of a log that had too little room.
    mkdir -p keep
    motet replay --board $board --elf "$elf" --native --keep keep --output program 2.ilog
    expect_status 0
    ./program 2>native.err || fail "$board: the native replay ends with another status than 0: $(cat native.err)"
    grep -qF "$end" native.err || fail "$board: the native replay does not end with: $end"
    grep -qE '[1-9][0-9]{2,} values and bytes in [1-9][0-9]+ calls out were as in the log' native.err || fail "$board: nothing was compared"

    # gdb: breakpoints by the names of the source, call chains, variables, structs with pointers.
    gdb -q -batch -ex 'break radio_send' -ex 'break sent' -ex 'run' -ex 'bt' -ex 'print packet.busy' -ex 'print *p' \
        -ex 'print *p->data@3' -ex 'info symbol packet.sent' ./program >gdb.out 2>&1
    grep -qE '^Breakpoint [0-9]+, (0x[0-9a-f]+ in )?sent \(p=0x[0-9a-f]+ <packet>, arrived=(true|false)\) at .*kit/collection\.c:[0-9]+' gdb.out ||
        fail "$board: gdb should stop in sent: $(cat gdb.out)"
    grep -qE 'type = 49 .1.*data = 0x[0-9a-f]+ <queue\+[0-9]+>' gdb.out || fail "$board: the packet should lead into the queue: $(cat gdb.out)"
    grep -q 'motet_in_sent' gdb.out || fail "$board: the packet's callback should be the component's: $(cat gdb.out)"
    gdb -q -batch -ex 'break motet_log_ends' -ex run -ex 'print parent' -ex 'print links[0].address' ./program >gdb.out 2>&1
    grep -qE '^\$1 = [0-9]+$' gdb.out || fail "$board: gdb should show variables where the log ends: $(cat gdb.out)"

    # What the component sends out is compared: another byte, another value, another call, one that is not in the log.
    for what in byte value call missing; do
        python3 "$SOURCE/tests/interface/native.py" keep/feed program other $what || fail "$board: no move for $what"
        chmod +x other
        ./other 2>native.err
        [ $? = 1 ] || fail "$board: another $what should end the program with status 1: $(cat native.err)"
        case $what in
        byte) sentence='differs from the log at event [0-9]+: radio_send: byte [0-9]+ of [a-z_]+ is 0x.. here and 0x.. in the log' ;;
        value) sentence='differs from the log at event [0-9]+: [a-z_]+: parameter [0-9] is [0-9]+ here and [0-9]+ in the log' ;;
        call) sentence='differs from the log at event [0-9]+: the component calls [a-z_]+, and the log has a call of [a-z_]+' ;;
        missing) sentence='differs from the log at event [0-9]+: the component calls [a-z_]+, and the log has the return of' ;;
        esac
        grep -qE "$sentence" native.err || fail "$board: another $what should be named: $(cat native.err)"
    done
done

# A log by probes places reads by instructions of the chip; a firmware that was built without motet cc has no sources.
motet run --quiet --board micaz --nodes 2 --for 5s --log-interface "collection.c,route.c,link.c=probes-%id.ilog" "$FIRMWARE/collect-micaz.elf"
motet replay --board micaz --elf "$FIRMWARE/collect-micaz.elf" --native probes-1.ilog
expect_complaint "was made by probes, which place reads by instructions of the chip"
finish
