# The table of docs/exit-status.md: each status in it comes from a command here, and motet(1) has the same table.
. "$SOURCE/tests/lib/expect.sh"
cd "$work" || exit 1
hello=$FIRMWARE/cli-hello.elf failing=$FIRMWARE/cli-status.elf overflow=$FIRMWARE/sensor.elf
cat >good.lua <<END
local good = parameter("good", 1)
node { firmware = "$hello", board = "uno" }
run_for(0.01)
at_end(function() check(good == 1, "asked to fail") report("x", 1) end)
END
: >said

ends() { # STATUS VERB ARGUMENTS...: and notes that the table's cell was seen
    wanted=$1
    shift
    motet "$@" </dev/null
    expect_status "$wanted"
    echo "$1 $wanted" >>said
    [ "$wanted" -ne 2 ] || case $(cat err) in "motet: "*) ;; *) fail "there should be a sentence" ;; esac
}
ends 0 run --quiet "$hello"
ends 0 run --quiet --for 1s --board uno "$overflow"
ends 1 run --quiet --board uno "$overflow"
ends 2 run nothing.elf
ends 3 run --quiet "$failing"
ends 3 run --quiet --for 1ms --until-exit --board uno "$overflow"
ends 3 run --quiet --with good=0 good.lua
ends 0 run --quiet good.lua
ends 0 sweep --quiet --seeds 2 good.lua
ends 3 sweep --quiet --seeds 1 --with good=0 good.lua
ends 2 sweep "$hello"
ends 0 check --walks 1 --steady 1ms --length 1ms --board uno "$hello"
ends 1 check --walks 1 --steady 2.9s --length 200ms --board uno --save found.motet "$overflow"
ends 1 check --replay found.motet
ends 2 check --walks no "$hello"
ends 0 open found.motet
ends 0 open --verify found.motet
ends 2 open "$hello"
ends 0 stack "$hello"
ends 1 stack --board uno "$overflow"
ends 2 stack nothing.elf
for verb in boards monitors; do ends 0 $verb; done
for verb in info disassemble; do ends 0 $verb --board uno "$overflow"; ends 2 $verb nothing.elf; done
ends 0 help
ends 2 help nothing
ends 2 nonsense
ends 2 run --nonsense
if [ -e "$FIRMWARE/python-log.elf" ]; then # there is motet cc
    log=$FIRMWARE/python-log.elf
    motet run --quiet --board micaz --for 1s --save-flash flash "$log"
    ends 0 replay flash --elf "$log" --board micaz
    ends 2 replay flash --elf "$overflow" --board micaz
    echo 'assertion("ticks", function(value) return value < 3 end)' >never.lua
    ends 3 replay flash --elf "$log" --board micaz --script never.lua
    ends 0 merge 0:flash --elf "$log" --board micaz
    ends 0 cc --board micaz -- avr-gcc --version
    ends 1 cc --board micaz -- avr-gcc -mmcu=atmega128 nothing.c
    ends 127 cc --board micaz -- /nowhere/avr-gcc -mmcu=atmega128 -c nothing.c
fi

# Ctrl-C ends a run normally, and its file is complete. The file is begun after signals are caught.
command="motet run, interrupted"
"$MOTET" run --quiet --save kept.motet "$FIRMWARE/cli-forever.elf" >out 2>err </dev/null &
child=$!
while kill -0 $child 2>/dev/null && ! ls kept.motet.?????? >/dev/null 2>&1; do sleep 0.05; done
kill -INT $child
wait $child
status=$?
expect_status 0
[ -s kept.motet ] || fail "the file of an interrupted run should be complete"

# The documents.
command=docs/exit-status.md status=-
: >err
sed -n 's/^| `\([a-z]*\)` | \(.*\) |$/\1|\2/p' "$SOURCE/docs/exit-status.md" | awk -F'|' 'NF == 4' >rows
for verb in run sweep check replay open merge stack; do
    grep -q "^$verb|" rows || fail "$verb should have a row"
done
sort -u said | while read -r verb code; do
    [ "$code" -eq 1 ] || [ "$code" -eq 3 ] || continue
    [ "$verb" != cc ] || continue
    cell=$(awk -F'|' -v verb="$verb" -v code="$code" '$1 == verb { print $(code == 1 ? 3 : 4) }' rows)
    [ -n "$(echo "$cell" | tr -d ' ')" ] || echo "$verb $code"
done >missing
[ ! -s missing ] || fail "the table should explain: $(cat missing)"
command="motet(1)"
mandoc -T ascii "$MAN/motet.1" 2>err | col -b | tr -s ' \n' ' ' >page
for words in "1: a fault stopped the run." "--verify found a digest that differs" "127 if it cannot be started" \
    "0: the time limit was reached, Ctrl-C"; do
    grep -qF -e "$words" page || fail "motet(1) should have: $words"
done
finish
