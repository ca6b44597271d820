# Properties in Lua: judged when a handler or task has ended, over variables, calls, returns and what happens; the same
# result whatever the number of workers; nothing of the run changes.
. "$SOURCE/tests/lib/expect.sh"

rules() { cat >"$work/rules.lua"; } # from standard input
pair() { # NODES OPTIONS...: checks pair.c
    nodes=$1
    shift
    motet check --board micaz --nodes "$nodes" --steady 100ms --length 200ms --late 0 --boot 0s --walks 8 --property "$work/rules.lua" \
        --save "$work/found.motet" "$@" "$FIRMWARE/check-pair.elf"
}
holds() {
    expect_status 0
    expect_out "no violation in 8 walks"
}
fails() { # PROPERTY: and so does the counterexample
    expect_status 1
    expect_out "the property '$1' does not hold"
    motet check --replay "$work/found.motet" --json
    expect_status 1
    expect_out '"violation": "property"'
    expect_out '"same": true'
}

# Alone and in a network: what tasks write is never seen half written, though handlers interrupt them all the time.
for nodes in 1 3; do
    rules <<'END'
always("the task is whole", each(function(n) return n.var.left == n.var.right end))
always("the handler is whole", each(function(n) return n.var.halves[0] == n.var.halves[1] end), {handlers = true})
always("of all nodes", function(net)
    for _, n in ipairs(net.nodes) do
        if n.var.left ~= n.var.right then return false, n end
    end
    return true
end)
always("bits and names", each(function(n)
    return n.var.bits.high < 16 and (n.var.colour == "RED") == (n.var.bits.high % 2 == 0) and #n.var.halves == 2
end))
END
    pair $nodes
    holds
    rules <<'END'
always("with handlers", each(function(n) return n.var.left == n.var.right end), {handlers = true})
END
    pair $nodes
    fails "with handlers"
done

# Calls with their argument, returns with their value, and what happens.
rules <<'END'
leads_to("work ends", called("work"), returned("work"), {within = 0.05})
leads_to("then it sleeps", returned("work", 2, 1), happened("sleep"), {within = 0.001})
never("five", returned("work", 5, 1))
leads_to("a state and an event", each(function(n) return n.var.left > 3 end), happened("sleep"), {within = 0.05})
eventually("it sleeps again", happened("sleep"), {within = 0.1})
eventually("in time", each(function(n) return n.var.colour == "GREEN" end), {within = 0.1})
never("for long", each(function(n) return n.var.colour == "GREEN" end), {within = 0.1})
END
pair 2
holds
for case in \
    'leads_to("too soon", called("work"), returned("work"), {within = 0.0001})' \
    'never("two", returned("work", 2, 1))' \
    'never("ten", called("work", function(round) return round % 16 == 10 end))' \
    'eventually("too often", happened("sleep"), {within = 0.0001})' \
    'eventually("ticks", each(function(n) return n.var.left == 0 end), {patience = 0.05})' \
    'always("soon", each(function(n) return n.var.colour == "GREEN" end), {within = 0.0001})' \
    'leads_to("at once", each(function(n) return n.var.colour == "GREEN" end), each(function(n) return n.var.left == 0 end), {within = 0})'; do
    printf '%s\n' "$case" | rules
    pair 2
    name=${case#*\"}
    fails "${name%%\"*}"
done

# A bound is exact: the error comes when it is over, not when that is noticed.
rules <<'END'
eventually("x", each(function(n) return n.var.left > 65000 end), {within = 0.0123})
END
pair 2
fails x
expect_out '"at": 0.112300000'

# The number of workers changes nothing, and neither do properties that hold.
rules <<'END'
never("forty", each(function(n) return n.var.left == 40 end))
END
for workers in 1 2 5; do
    pair 3 --json --workers $workers
    expect_status 1
    sed 's/"walks": [0-9]*, //; s/"simulated": [0-9.]*, //; s/"file": "[^"]*"//' "$work/out" >"$work/json.$workers"
    cmp -s "$work/json.1" "$work/json.$workers" || fail "$workers workers should find what one finds"
done
rules <<'END'
always("true", each(function(n) return #n.var.items == 32 and n:value("items[31].version") >= 0 end), {handlers = true})
END
motet check --json --as-found --board micaz --nodes 2 --save "$work/with.motet" --property "$work/rules.lua" \
    "$FIRMWARE/dip-micaz-dip-bound-checked.elf"
expect_out '"violation": "fault"'
sed 's/"file": "[^"]*"//; s/"simulated": [0-9.]*, //; s/"walks": [0-9]*, //' "$work/out" >"$work/with"
motet check --json --as-found --board micaz --nodes 2 --save "$work/without.motet" "$FIRMWARE/dip-micaz-dip-bound-checked.elf"
sed 's/"file": "[^"]*"//; s/"simulated": [0-9.]*, //; s/"walks": [0-9]*, //' "$work/out" >"$work/without"
cmp -s "$work/with" "$work/without" || fail "a property that holds should change nothing"
for file in with without; do
    motet check --json --replay "$work/$file.motet"
    sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$work/out" >"$work/$file.digest"
done
[ -s "$work/with.digest" ] || fail "there should be a digest"
cmp -s "$work/with.digest" "$work/without.digest" || fail "a property should not change the state"

# A scenario has its properties with it; motet run passes over them.
cat >"$work/network.lua" <<END
for i = 0, 1 do node{ board = "micaz", firmware = "$FIRMWARE/dissemination-micaz.elf" } end
run_for(1)
at(35, function() kill(1) end)
eventually("all nodes have one value", function(net) return all_equal(net, "current") end)
never("two nodes after 35 s", function(net) return #net.nodes == 2 and net.nodes[1].var.current > 1 end)
always("one node is there", function(net) return #net.nodes >= 1 and net.by_id[0] ~= nil end)
END
motet check --walks 3 --weight power=0 --weight reset=0 --weight death=0 "$work/network.lua"
expect_status 0
motet run "$work/network.lua"
expect_status 0

# What must happen at some time is late from the last choice on, and each kind of choice counts as one. Executed again, the
# counterexample comes to the same time.
rules <<'END'
eventually("never so", each(function(n) return n.var.left > 1000000 end), {patience = 0.3})
END
for kind in reset power death busy; do
    only="--weight lost=0 --weight damaged=0 --weight held=0 --weight reset=0 --weight power=0 --weight death=0 --weight busy=0"
    # shellcheck disable=SC2086 # options
    pair 2 --as-found $only --weight $kind=20
    fails "never so"
done

# What can be wrong with a property: a sentence.
complains() { # SENTENCE, property from standard input
    rules
    pair 2
    expect_complaint "$1"
}
complains "rules.lua:1: there is no global or static variable \`lfet\`; did you mean \`left\`?" <<'END'
always("x", each(function(n) return n.var.lfet == 0 end))
END
complains "rules.lua:1: attempt to compare a struct, array or pointer with number" <<'END'
always("x", each(function(n) return n.var.bits < 3 end))
END
complains "has no function or line 'wrok'; did you mean 'work'?" <<'END'
never("x", called("wrok"))
END
complains "changes nothing" <<'END'
always("x", each(function(n) n.var.left = 3; return true end))
END
complains "property 'x' gives nothing; it must return true or false" <<'END'
always("x", function(net) local count = #net.nodes end)
END
complains "a property has no 'wihtin'; it has within, patience and handlers" <<'END'
always("x", function(net) return true end, {wihtin = 3})
END
complains "'within' must be a time in seconds" <<'END'
always("x", function(net) return true end, {within = -3})
END
complains "nothing that happens is called 'snore'" <<'END'
never("x", happened("snore"))
END
complains "a function, each(...), called(...)" <<'END'
never("x", 3)
END
complains "cannot hold always" <<'END'
always("x", called("work"))
END
complains "cannot lead to something of one node" <<'END'
leads_to("x", function(net) return true end, called("work"))
END
complains "runs on and on" <<'END'
always("x", function(net) while true do end end)
END
motet check --board micaz --property "$work/absent.lua" "$FIRMWARE/check-pair.elf"
expect_complaint "absent.lua"
motet check --board micaz --property "$FIRMWARE/check-pair.elf" "$FIRMWARE/check-pair.elf"
expect_complaint "Lua file"
printf 'always("x", function(net) return true end)\n' >"$work/empty.lua"
motet check "$work/empty.lua"
expect_complaint "there are no nodes"
finish
