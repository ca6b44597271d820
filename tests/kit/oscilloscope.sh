# oscilloscope: one report for each five readings, and the readings are those of the channel.
. "$SOURCE/tests/lib/expect.sh"

for board; do
    channel=1 supply=3000 full=1024 port=0
    case $board in
    uno) channel=0 supply=5000 ;;
    telosb) channel=4 supply=3000 full=4096 port=1 ;;
    nrf52840dk) channel=0 full=4096 ;;
    cc2538dk) channel=6 supply=3300 full=2048 ;;
    esac
    printf '0 %smV\n1.6 %smV\n' $((supply / 4)) $((supply / 2)) >"$work/light"
    motet run --board "$board" --for 5.2s --quiet --serial "$port=file:,$work/answer" \
        --analog "$channel=file:$work/light" "$FIRMWARE/oscilloscope-$board.elf" </dev/null
    expect_status 0
    "$FRAMES" decode <"$work/answer" >"$work/frames"
    quarter=$(printf %04x $((full / 4))) half=$(printf %04x $((full / 2)))
    cat >"$work/expected" <<END
plain 0 00010000$quarter$quarter$quarter$quarter$quarter
plain 0 00010001$quarter$half$half$half$half
plain 0 00010002$half$half$half$half$half
plain 0 00010003$half$half$half$half$half
END
    diff "$work/expected" "$work/frames" || fail "the reports"
done
finish
