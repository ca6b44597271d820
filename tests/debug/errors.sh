# What is wrong is said in a sentence, with status 2.
. ./session.sh
try() { timeout 300 "$MOTET" debug "$@" </dev/null >"$work/out" 2>&1; status=$?; last=0; }
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
# Which debugger it is its own name says, not that of a folder.
mkdir "$work/lldb"
echo 'print 6 * 7' >"$work/lldb/commands"
try --exec "avr-gdb -nx -q -batch -x '$work/lldb/commands'" "$FIRMWARE/debug-counter.elf"
expect_status 0
expect '0x00000000 in __vectors'
expect '= 42'
try --help
expect_status 0
expect '--gdb'
finish
