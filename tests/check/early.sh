# What a network does only in its first seconds is checked, too: some walks begin before the steady state. And a channel
# may be busy by something far, so that frames are heard while others wait to be sent.
. "$SOURCE/tests/lib/expect.sh"
check() { motet check --board micaz --nodes 2 --save "$work/found.motet" "$@"; }
finds() { # what jq is to say of it, options: the same with any number of workers, and again in a replay
    want=$1
    shift
    for workers in 1 3; do
        check --json --workers $workers "$@"
        expect_status 1
        sed 's/"walks": [0-9]*, //; s/"simulated": [0-9.]*, //' "$work/out" >"$work/with-$workers"
    done
    cmp -s "$work/with-1" "$work/with-3" || fail "3 workers should find what one finds"
    jq -e "$want" "$work/with-1" >/dev/null || fail "$want should hold of what is found"
    motet check --replay "$work/found.motet" --json
    expect_status 1
    expect_out '"same": true'
    motet open --verify "$work/found.motet"
    expect_status 0
}

young="--walks 60 --length 8s --weight power=0 --weight reset=0 $FIRMWARE/check-young.elf" # nodes do not start anew
finds '.begin < 29 and .at < 7 and (.choices | length) == 1 and (.choices[0].at >= .begin) and
    .events.tasks <= .since_steady.tasks' $young
check $young
expect_out ", which begins at "
check --steady 29s $young # then all of them begin there
expect_status 0
expect_out "each from a steady state at 29 s;"

through="$FIRMWARE/check-through.elf"
finds '(.choices | length) == 1 and .choices[0].source == "busy" and .choices[0].other == 1' --steady 2s --length 5s "$through"
motet open "$work/found.motet"
expect_out " ms, but frames get through"
check --weight faint=0 --steady 2s --length 5s --walks 60 "$through"
expect_status 0
check --weight faint=2 "$through"
expect_complaint "a probability lies between 0 and 1"
finish
