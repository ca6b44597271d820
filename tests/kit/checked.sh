# A failed check of a checked build is reported; a run with --fault warn ends where the kit says.
. "$SOURCE/tests/lib/expect.sh"
for board; do
    motet run --board "$board" --for 1s "$FIRMWARE/kit-index-$board.elf" </dev/null
    expect_status 1
    expect_err "index out of bounds at main"
    expect_err "(index.c:7)"
    expect_err "index 4, where 0 to 3 are allowed"
    motet run --board "$board" --for 1s --fault trap=warn --json "$FIRMWARE/kit-index-$board.elf" </dev/null
    expect_status 3
    expect_err "index out of bounds at main"
    expect_out "a check has failed"
    tail -n 1 "$work/out" | jq -e '.exit_status == 134' >/dev/null || fail "the status should be 134"
done
finish
