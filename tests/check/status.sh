# A firmware that ends the run with a status other than 0 is an error, wherever and however it is looked for.
. "$SOURCE/tests/lib/expect.sh"
check() { motet check --walks 2 --length 1s --save "$work/found.motet" "$@"; }

for how in "--workers 2" "--deviations 1" "--depth 2"; do
    check --nodes 2 $how "$FIRMWARE/cli-status.elf"
    expect_status 1
    expect_out "the firmware of node 1 has ended with status 7"
done
check --json "$FIRMWARE/cli-status.elf"
expect_status 1
expect_out '"violation": "status"'
motet check --replay "$work/found.motet"
expect_status 1
expect_out "the error is still there"

# Status 0 is none.
check "$FIRMWARE/cli-hello.elf"
expect_status 0
expect_out "no violation in 2 walks"

# Without a file.
motet check --no-save --json "$FIRMWARE/cli-status.elf"
expect_status 1
expect_out '"file": null'
[ ! -e counterexample.motet ] || fail "--no-save should leave no file"
motet check --no-save "$FIRMWARE/cli-status.elf"
expect_status 1
expect_not_in_out "saved in"
finish
