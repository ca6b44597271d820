# The bound of the stack holds: it is what a run takes where the program is forced to its deepest path, and no less than
# what applications of the kit take.
. "$SOURCE/tests/lib/expect.sh"
is() { jq -e "$1" "$work/out" >/dev/null || fail "there should be: $1"; }

observe() { # OPTIONS... FIRMWARE: the deepest of a run
    timeout 300 "$MOTET" run --quiet --json --monitor "stack:file=$work/found" "$@" >/dev/null 2>"$work/err"
    observed=$(jq .deepest "$work/found")
}

# Exact. Saved frames, a table of jumps, a pointer, an interrupt at the bottom.
compared=0
for firmware in "$FIRMWARE"/analysis-deep-*.elf; do
    board=
    aligned=0 # where an interrupt may fill up its frame by a word, the bound has that
    case $firmware in
        *msp430f1611*) board="--board msp430f1611" ;;
        *nrf52840*) board="--board nrf52840dk" aligned=4 ;;
        *cc2538*) board="--board cc2538dk" aligned=4 ;;
    esac
    motet stack $board --json "$firmware"
    expect_status 0
    is '.verdict == "fits" and .doubts == []'
    is '([.chain[].bytes] | add) == .bytes'
    is '[.chain[].function | (. // "") | split(".")[0]] | index("leaf")' # what is above it may be inlined
    is '.chain[-1].interrupt != null or .chain[-2].interrupt != null'
    bound=$(jq '.bytes - ([.chain[] | select(.function == "interrupt_0") | .bytes] | add // 0)' "$work/out") # it ends the run
    observe $board --for 1s "$firmware"
    [ "$bound" = "$observed" ] || [ "$bound" = $((observed + aligned)) ] || fail "${firmware##*/}: the bound is $bound, a run takes $observed"
    compared=$((compared + 1))
done
[ "$compared" -ge 10 ] || fail "there should be firmwares to compare: $compared"
motet stack --json "$FIRMWARE/monitor-nested.elf" # one handler turns interrupts on, another interrupts it
is '.verdict == "fits" and .bytes == 2 + 2 + 5 + 2 + 15 + 2 + 2 + 40'
is '[.chain[-3:][].function] == ["__vector_11", "__vector_7", "inner"]'
is '[.entries[] | select(.interrupts_on != null) | .interrupt] == [null, 11]'

# Never less. Pointers may lead anywhere, so the bound is above.
for app in blink sense oscilloscope serial-test collect dip; do
    for board in mica2 micaz telosb nrf52840dk cc2538dk; do
        firmware=$FIRMWARE/$app-$board.elf
        [ -e "$firmware" ] || continue
        motet stack --board $board --json "$firmware"
        is '[.doubts[] | select(.kind != "recursion" or (.indirect | not))] == []'
        bound=$(jq .bytes "$work/out")
        observe --board $board --nodes 2 --for 2s "$firmware"
        observed=$(jq -s 'map(.deepest) | max' "$work/found")
        [ "$observed" -gt 10 ] && [ "$observed" -le "$bound" ] || fail "$app-$board: the bound is $bound, a run takes $observed"
    done
done
finish
