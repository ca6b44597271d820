# Compares a trace of pins with a list of expected changes. Each line of the list is
#   [steady] COUNT PIN LEVEL LEAST [MOST]
# COUNT changes of PIN (the first to LEVEL, then to and fro), each LEAST to MOST CPU cycles after the pin's change before
# (or after power-on; MOST is LEAST if not given). `steady`: the COUNT intervals together may be off by no more than one
# of them may, as the ticks of a clock. "end PIN" says that no further change of PIN follows. Pins not named are ignored.
function fail(text) { print text; bad = 1; exit 1 }

FNR == NR {
    sub(/#.*/, "")
    if (NF == 0) next
    if ($1 == "end") { ends[$2] = 1; next }
    steady = $1 == "steady"
    if (steady) { $1 = ""; $0 = $0 }
    pin = $2
    if (!(pin in steps)) { steps[pin] = 0; at[pin] = 1 }
    n = ++steps[pin]
    count[pin, n] = $1; level[pin, n] = $3; least[pin, n] = $4; most[pin, n] = NF > 4 ? $5 : $4
    together[pin, n] = steady
    next
}

$2 == "pin" && ($3 in steps) {
    pin = $3
    now = int($1 * hz + 0.5) # the trace truncates to nanoseconds: less than a fiftieth of a cycle
    took = now - last[pin]
    n = at[pin]
    if (n > steps[pin]) {
        if (pin in ends) fail(pin " changes to " $4 " at cycle " now ", which is not expected any more")
        next
    }
    if ($4 != (level[pin, n] + done[pin]) % 2) fail(pin " changes to " $4 " at cycle " now " (step " n ")")
    if (took < least[pin, n] || took > most[pin, n])
        fail(pin " changes at cycle " now ", " took " after its change before; expected " least[pin, n] " to " \
             most[pin, n] " (step " n ", change " done[pin] + 1 ")")
    last[pin] = now
    sum[pin] += took
    if (++done[pin] == count[pin, n]) {
        if (together[pin, n] && (sum[pin] < (done[pin] - 1) * (least[pin, n] + most[pin, n]) / 2 + least[pin, n] ||
                                 sum[pin] > (done[pin] - 1) * (least[pin, n] + most[pin, n]) / 2 + most[pin, n]))
            fail(pin " drifts: " done[pin] " changes took " sum[pin] " cycles (step " n ")")
        at[pin]++
        done[pin] = 0
        sum[pin] = 0
    }
}

END {
    if (bad) exit 1
    for (pin in steps)
        if (at[pin] <= steps[pin])
            fail(pin " did not change often enough: it stopped in step " at[pin] " after " (done[pin] + 0) " changes")
}
