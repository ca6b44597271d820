# The table of sizes has a line for each application, and they stay small.
. "$SOURCE/tests/cli/expect.sh"
command=firmware-sizes
"$SOURCE/scripts/firmware-sizes" "$FIRMWARE" >"$work/out" 2>"$work/err"
status=$?
expect_status 0
expect_no_err
awk '$1 == "blink" { split($3, size, "/"); good = size[1] > 500 && size[1] < 4000 && size[2] > 20 && size[2] < 300 }
    END { exit !good }' "$work/out" || fail "blink on micaz should take less than 4000 bytes of flash and 300 of RAM"
finish
