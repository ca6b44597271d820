# Looking changes nothing: every application of the kit on every board, bare and with monitors, ends in the same state.
. "$SOURCE/tests/cli/expect.sh"
compared=0
for elf in "$FIRMWARE"/*-micaz.elf "$FIRMWARE"/*-mica2.elf "$FIRMWARE"/*-iris.elf "$FIRMWARE"/*-telosb.elf \
    "$FIRMWARE"/*-uno.elf; do
    name=$(basename "$elf" .elf)
    app=${name%-*}
    board=${name##*-}
    [ -f "$SOURCE/firmware/apps/$(printf '%s' "$app" | tr - _).c" ] || continue
    nodes=2
    [ "$board" = uno ] && nodes=1
    motet run --board "$board" --nodes $nodes --for 2s --quiet --digest "$elf"
    bare=$(grep digest "$work/err")
    motet run --board "$board" --nodes $nodes --for 2s --quiet --digest --monitor energy --monitor leds --monitor packets \
        --monitor pins --monitor print --monitor serial --monitor sleep --monitor spi --monitor trace:calls=1 "$elf"
    [ -n "$bare" ] && [ "$bare" = "$(grep digest "$work/err")" ] || fail "$name: the digest should be the same"
    compared=$((compared + 1))
done
[ $compared -ge 20 ] || fail "there should be more applications than $compared"
finish
