# Ranks of MPI share a check: the result is that of one process, also when a rank dies.
. "$SOURCE/tests/lib/expect.sh"
command -v mpirun >/dev/null || fail "there is no mpirun: install openmpi-bin and libopenmpi-dev, and build again"
ranks() { # HOW-MANY ARGUMENTS-OF-MOTET...
    count=$1
    shift
    command="motet $* as $count ranks"
    mpirun --allow-run-as-root --oversubscribe -n "$count" "$MOTET" "$@" >"$work/out" 2>"$work/err"
    status=$?
}
plain() { # what does not depend on who did how much; of a search to a depth, walks are parts of the tree
    sed 's/"walks": [0-9]*, //; s/"simulated": [0-9.]*, //; s/, "lost": [0-9]*//; s/"stretches": .*"missed": [^,]*, //
        /"depth"/s/"walk": [0-9]*, //; s/"file": "[^"]*"//' "$work/out" >"$work/$1"
    motet open --json "$work/$1.motet"
    sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$work/out" >>"$work/$1"
}
same() { # ARGUMENTS-OF-MOTET...: one process and two ranks
    motet check --json --as-found --save "$work/one.motet" "$@"
    expect_status 1
    plain one
    ranks 2 check --json --as-found --workers 1 --save "$work/two.motet" "$@"
    expect_status 1
    plain two
    cmp -s "$work/one" "$work/two" || fail "two ranks should find what one process finds: $*"
    [ "$(wc -l <"$work/one")" -eq 2 ] || fail "there should be a line and a digest: $*"
}

same --board micaz --nodes 2 --length 10s "$FIRMWARE/dip-micaz-dip-bound-checked.elf"
[ -z "${LONG:-}" ] || same --board micaz --nodes 2 --deviations 1 --length 5s "$FIRMWARE/dhv-micaz-dhv-index-checked.elf"
same --board micaz --nodes 2 --depth 4 --length 8s "$FIRMWARE/dip-micaz-dip-bound-checked.elf"

# One of three is killed while it walks. The others do its part. (unit.check_ranks has more of it.)
cat >"$work/rank" <<'END'
[ "$OMPI_COMM_WORLD_RANK" != 2 ] || exec timeout -s KILL 1 "$@"
exec "$@"
END
mpirun --allow-run-as-root --oversubscribe --enable-recovery -n 3 sh "$work/rank" "$MOTET" check --workers 1 \
    --board micaz --nodes 2 --walks 250 --length 3s "$FIRMWARE/dip-micaz-checked.elf" >"$work/out" 2>"$work/err"
command="a check of which one rank is killed" status=$?
expect_out "no violation in 250 walks"
finish
