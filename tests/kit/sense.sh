# sense: the LEDs show the three highest bits of what lies on the light sensor's channel.
. "$SOURCE/tests/lib/expect.sh"

for board; do
    leds='yellow green red' channel=1 supply=3000
    case $board in
    uno) continue ;; # has one LED
    telosb) leds='blue green red' channel=4 ;;
    nrf52840dk) leds='LED3 LED2 LED1' channel=0 ;;
    cc2538dk) leds='LED3 LED2 LED1' channel=6 supply=3300 ;;
    esac
    printf '0 0.01V\n0.35 %smV\n' $((supply * 11 / 16)) >"$work/light" # 0, then 101 and a half
    motet run --board "$board" --for 1s --quiet --trace leds --analog "$channel=file:$work/light" \
        "$FIRMWARE/sense-$board.elf" </dev/null
    expect_status 0
    set -- $leds
    awk -v high="$1" -v middle="$2" -v low="$3" '
        $1 > 0.01 && $4 == "on" { on[$3] = $1 }
        $1 > 0.01 && $4 == "off" { bad = 1 }
        END { exit bad || middle in on || !(on[high] > 0.35 && on[high] < 0.5 && on[low] > 0.35 && on[low] < 0.5) }
    ' "$work/err" || fail "the LEDs should show 5 between 0.35 and 0.5 s"
done
finish
