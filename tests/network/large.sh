# Ten thousand nodes, sparse: they start and get on within 4 GB.
. "$SOURCE/tests/lib/expect.sh"
ulimit -v 4194304
motet run --board micaz --topology random:10000:4000m --medium disk:50m --for 1500ms --quiet --json "$FIRMWARE/network-cc2420-beacon.elf"
expect_status 0
jq -e '(.nodes | length) == 10000 and .time == 1.5 and .transmissions > 10000 and .faults == 0' "$work/out" >"$work/jq" ||
    fail "each should have sent once or twice"
finish
