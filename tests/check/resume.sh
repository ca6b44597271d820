# A check goes on where another has ended: with fewer walks, or stopped by Ctrl-C.
. "$SOURCE/tests/lib/expect.sh"
buggy=$FIRMWARE/dip-micaz-dip-payload-checked.elf correct=$FIRMWARE/dip-micaz-checked.elf
check() { motet check --board micaz --nodes 2 --as-found --save "$work/found.motet" "$@"; }

check --walks 1 --resume "$work/state" "$buggy"
expect_status 0
expect_out "no violation in 1 walk "
check --walks 3 --resume "$work/state" "$buggy"
expect_status 0
expect_out "no violation in 3 walks"
expect_out ", 60 s simulated"
check --resume "$work/state" "$buggy"
expect_status 1
grep '^found by' "$work/out" >"$work/resumed"
check "$buggy"
expect_status 1
grep '^found by' "$work/out" | cmp -s - "$work/resumed" || fail "the same walk should be found at one go"
check --resume "$work/state" "$buggy" # and found again, until it is repaired
expect_status 1
check --walks 40 --resume "$work/state" "$correct"
expect_complaint "is of a check of something else"
check --seed 2 --resume "$work/state" "$buggy"
expect_complaint "or with other options"

check --walk pct --resume "$work/state" "$buggy"
expect_complaint "or with other options"

# Nor does a check go on with other properties.
printf 'always("a", each(function(n) return true end))\n' >"$work/property.lua"
check --walks 2 --length 1s --property "$work/property.lua" --resume "$work/judged" "$correct"
expect_status 0
check --walks 3 --length 1s --property "$work/property.lua" --resume "$work/judged" "$correct"
expect_status 0
printf 'always("a", each(function(n) return n.id < 9 end))\n' >"$work/property.lua"
check --walks 3 --length 1s --property "$work/property.lua" --resume "$work/judged" "$correct"
expect_complaint "or with other options"
check --walks 3 --length 1s --resume "$work/judged" "$correct"
expect_complaint "or with other options"

# Stopped: what was done is said, and the rest comes when it goes on.
# --foreground: otherwise the signal comes twice, and the second ends the program at once
timeout --foreground -s INT 2 "$MOTET" check --board micaz --nodes 2 --walks 100000 --resume "$work/stopped" "$correct" \
    >"$work/out" 2>"$work/err"
command="a check that is stopped" status=$?
expect_out "stopped before the end"
expect_no_err
first=$(sed 's/.* //' "$work/stopped")
check --walks $((first + 5)) --resume "$work/stopped" "$correct"
expect_status 0
expect_out "no violation in $((first + 5)) walks"

check --deviations 1 --length 2s --resume "$work/deviations" "$correct"
expect_status 0
grep -q ' 2 0$' "$work/deviations" || fail "one deviation should be done with"
check --deviations 1 --length 2s --resume "$work/deviations" "$correct"
expect_status 0
expect_out "at most 1 deviation"

printf 'nonsense\n' >"$work/nonsense"
check --resume "$work/nonsense" "$correct"
expect_complaint "says nothing of how far"
check --resume "$work/absent/state" --walks 1 --length 1s "$correct"
expect_complaint "cannot write"
finish
