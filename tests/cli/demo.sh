# What `make demo` shows is what it says it shows.
. "$SOURCE/tests/cli/expect.sh"
command=scripts/demo
BUILD=$(dirname "$MOTET") FIRMWARE=$FIRMWARE "$SOURCE/scripts/demo" >"$work/out" 2>"$work/err" </dev/null
status=$?
expect_status 0
expect_no_err
expect_out "board           uno, atmega328p at 16 MHz"
expect_out "a list 20 deep: sum 20"
expect_out " led L off"
expect_out "motet: stack overflow at add_list+0x"
expect_out "main+0x"
expect_out "(exit status 1)"
[ "$(grep '^motet: digest ' "$work/out" | sort | uniq -c | awk '{ print $1 }')" = 2 ] || fail "two equal digests"
finish
