# What is wrong is said in a sentence, with status 2.
. ./session.sh
try() { timeout 20 "$MOTET" debug "$@" </dev/null >"$work/out" 2>&1; status=$?; last=0; }
try /nonexistent.elf
expect_status 2
expect 'motet: /nonexistent.elf'
try --exec no-such-debugger "$FIRMWARE/debug-counter.elf"
expect_status 2
expect 'motet: cannot start no-such-debugger'
try --gdb 1234 "$FIRMWARE/debug-counter.elf"
expect_status 2
expect "not [HOST]:PORT"
try --gdb :99999 "$FIRMWARE/debug-counter.elf"
expect_status 2
try --exec true "$FIRMWARE/debug-counter.elf"
expect_status 0
try --help
expect_status 0
expect '--gdb'
finish
