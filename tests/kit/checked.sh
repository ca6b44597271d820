# A failed check of a checked build ends the run.
. "$SOURCE/tests/cli/expect.sh"
for board; do
    motet run --board "$board" --for 1s --json "$FIRMWARE/kit-index-$board.elf" </dev/null
    expect_status 3
    expect_out "a check has failed"
    tail -n 1 "$work/out" | jq -e '.exit_status == 134' >/dev/null || fail "the status should be 134"
done
finish
