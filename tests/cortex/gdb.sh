# gdb-multiarch through the real protocol, forward and backward, out of a handler.
. "$SOURCE/tests/cortex/cortex.lib"
compile "$work/hello.elf" "$here/hello.c"
"$MOTET" debug --board nrf52840dk --gdb :0 --serial 0=null "$work/hello.elf" >"$work/server" 2>&1 &
server=$!
for wait in 1 2 3 4 5 6 7 8 9 10; do
    port=$(sed -n 's/.*remote [^:]*:\([0-9]*\).*/\1/p' "$work/server")
    [ -z "$port" ] || break
    sleep 0.$wait
done
command="gdb-multiarch at port $port"
timeout 120 gdb-multiarch -q -batch -ex 'set pagination off' -ex "target remote :$port" -ex 'break on_irq' -ex continue -ex bt \
    -ex continue -ex continue -ex 'p blinks' -ex reverse-continue -ex 'p blinks' -ex 'p/x $xpsr & 0x1ff' -ex stepi \
    -ex reverse-stepi -ex 'p $pc' -ex kill "$work/hello.elf" >"$work/out" 2>"$work/err"
status=$?
kill $server 2>/dev/null
expect_out "Breakpoint 1, on_irq"
expect_out "<signal handler called>"
expect_out "main () at"
expect_out '$1 = 2'
expect_out '$2 = 1'
expect_out '$3 = 0x1b'
expect_out '<on_irq>'
finish
