# A network whose nodes log an interface to their flash memories: run, collected, each component replayed, and merged.
# NODES and TIME say how many, and for how long.
. "$SOURCE/tests/lib/expect.sh"
[ -e "$FIRMWARE/logged-collect-micaz-flash.elf" ] || { echo "skipped: there is no libclang"; exit 0; }
nodes=${NODES:-6} time=${TIME:-40s}

collected() { # BOARD FIRMWARE ID FLASH
    motet collect --elf "$2" --board "$1" --id "$3" --output "$work/$3.ilog" --json "$4"
    expect_status 0
    cp "$work/out" "$work/collected"
    jq -e '.missing == 0 and .interrupts == 0' "$work/out" >/dev/null || fail "$2: node $3 should have all pages"
    motet replay --board "$1" --elf "$2" --json "$work/$3.ilog"
    jq -e '.differs == false and .events > 300 and (.end | startswith("the log ends"))' "$work/out" >/dev/null ||
        fail "$2: the log of node $3 should be exact"
}

for board in micaz telosb; do
    elf=$FIRMWARE/logged-collect-$board-flash.elf
    [ -e "$elf" ] || continue
    rm -f "$work"/*.ilog "$work"/flash-*
    motet run --quiet --board $board --nodes "$nodes" --for "$time" --serial "$([ $board = micaz ] && echo 0 || echo 1)=null" \
        --save-flash "$work/flash-%id" "$elf"
    expect_status 0
    for id in $(seq 0 $((nodes - 1))); do collected $board "$elf" "$id" "$work/flash-$id"; done
    motet merge --json "$work"/*.ilog
    jq -es '([.[] | select(.kind == "receive")] | length) > 20' "$work/out" >/dev/null || fail "$board: the merged logs should have receives"
done

# clang keeps one byte of variables that have two values: each is known nevertheless, in a logged firmware and in any other.
for variable in paused looped; do
    for elf in logged-collect-telosb-flash collect-telosb; do
        [ -e "$FIRMWARE/$elf.elf" ] || continue
        motet run --quiet --board telosb --for 1ms --serial 1=null --plot $variable "$FIRMWARE/$elf.elf"
        expect_status 0
    done
done

# The same node started again: its log goes on after what is there.
elf=$FIRMWARE/logged-collect-micaz-flash.elf
motet run --quiet --board micaz --nodes 3 --for 20s --serial 0=null --save-flash "$work/first-%id" "$elf"
motet run --quiet --board micaz --nodes 3 --for 20s --serial 0=null --flash "$work/first-%id" --save-flash "$work/again-%id" "$elf"
collected micaz "$elf" 1 "$work/again-1"
jq -e '.starts == 2' "$work/collected" >/dev/null || fail "the log should have both starts"
finish
