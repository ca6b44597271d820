# motet graph: Graphviz reads it, and it has the blocks, ways and calls that the code has.
. "$SOURCE/tests/lib/expect.sh"
deep=$FIRMWARE/analysis-deep-atmega328p-O0.elf

# drawn: what Graphviz makes of it, as lines of plain text: node NAME ..., edge FROM TO ...
drawn() {
    dot -Tplain "$work/out" >"$work/plain" 2>"$work/err" || fail "Graphviz should read it"
    expect_no_err
}
edges() { grep -c "^edge $1 $2 " "$work/plain"; }

motet graph --function by_table "$deep"
expect_status 0
expect_no_err
expect_out 'label="by_table"'
first=$(sed -n '/label="by_table"/{n;s/^ *\(b[0-9a-f]*\) .*/\1/p;}' "$work/out")
if command -v dot >/dev/null; then
    drawn
    blocks=$(grep -c '^node b' "$work/plain")
    [ "$blocks" -ge 11 ] || fail "a switch of eight cases should have more blocks than $blocks"
    [ "$(edges "$first" 'b[0-9a-f]*')" -eq 2 ] || fail "a check of the range should lead two ways"
    table=$(sed -n 's/^    \(f[0-9a-f]*\) .*"__tablejump2__".*/\1/p' "$work/out" | head -1)
    [ "$(edges "$table" 'b[0-9a-f]*')" -eq 8 ] || fail "the table should lead to eight cases"
    # Every instruction of the function is in one box: as many as the disassembler prints.
    grep -o '\\l[0-9a-f]*: \|"[0-9a-f]*: ' "$work/out" | grep -o '[0-9a-f]*:' | sort >"$work/ours"
    "$MOTET" disassemble --no-lines --function by_table "$deep" | sed -n 's/^ *\([0-9a-f]*:\)  .*/\1/p' | sort >"$work/theirs"
    cmp -s "$work/ours" "$work/theirs" || fail "all instructions should be drawn once: $(diff "$work/ours" "$work/theirs" | head -3)"

    motet graph --calls "$deep"
    drawn
    for call in "through_pointer by_table" "by_table leaf" "main timer_begin"; do
        [ "$(edges ${call% *} ${call#* })" -eq 1 ] || fail "there should be one arrow $call"
    done
    [ "$(edges main '"a pointer"')" -eq 1 ] || fail "main should call through a pointer"
    [ "$(edges '"a pointer"' through_pointer)" -eq 1 ] || fail "the pointer should lead to through_pointer"
    motet graph --calls --function by_table "$deep"
    drawn
    [ "$(grep -c '^node ' "$work/plain")" -eq 4 ] || fail "by_table, its callers and what it calls should be drawn"

    for firmware in blink-mica2 blink-telosb collect-micaz c-printing-atmega2560-O3 monitor-nested; do
        [ -e "$FIRMWARE/$firmware.elf" ] || continue
        board=
        case $firmware in *mica2) board="--board mica2" ;; *telosb) board="--board telosb" ;; *micaz) board="--board micaz" ;; esac
        for calls in "" --calls; do
            motet graph $board $calls "$FIRMWARE/$firmware.elf"
            expect_status 0
            nop -p "$work/out" 2>"$work/err" || fail "Graphviz should read $firmware" # reads; does not lay out
        done
    done
fi

motet graph --function by_tabel "$deep"
expect_complaint "no function 'by_tabel'; did you mean by_table?"
motet graph "$work/none.elf"
expect_complaint "none.elf"
motet graph
expect_complaint "FILE"
motet graph --board nonsense "$deep"
expect_complaint "there is no board or chip 'nonsense'"
finish
