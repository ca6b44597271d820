# The same table with one worker, several, and ranks of MPI, also when a rank dies; statistics that another program works out too.
. "$SOURCE/tests/sweep/sweep.lib"
sweep() { # NAME OPTIONS...
    name=$1
    shift
    motet sweep scenario.lua --seeds 3..12 --with loss=0,0.3,0.6 --with seconds=1,2 --table "$name.csv" "$@"
    expect_status 0
}
sweep one --workers 1
cp out one.text
sweep three --workers 3 --plot received=picture.svg
cmp -s out one.text || fail "three workers should print what one prints"
cmp -s one.csv three.csv || fail "three workers should have the table of one"
[ "$(wc -l <one.csv)" -eq 61 ] || fail "there should be a row for each run"
grep -q "<svg" picture.svg || fail "there should be a picture"

# Each row is what motet run reports.
sed -n '2p;35p;61p' one.csv | while IFS=, read -r run loss seconds seed _ received sent; do
    motet run scenario.lua --seed "$seed" --with loss="$loss" --with seconds="$seconds" --quiet --json
    expect_out "\"reports\": {\"received\": $received, \"sent\": $sent}"
done

python3 - <<'END' || fail "python should find the same statistics"
import csv, statistics, sys
rows = list(csv.DictReader(open("one.csv")))
table = [line.split() for line in open("one.text")]
assert table[0][0] == "report" and len(table) == 13, table
for line in table[1:]:
    report, loss, seconds, runs, mean, about, least, low, median, high, most = line
    values = sorted(float(r[report]) for r in rows if float(r["loss"]) == float(loss) and r["seconds"] == seconds)
    near = lambda text, value: abs(float(text) - value) <= 5e-4 * max(1, abs(value)) or sys.exit(f"{line}: {value}")
    assert int(runs) == len(values) == 10
    near(mean, statistics.mean(values))
    near(about, 2.2622 * statistics.stdev(values) / 10 ** 0.5)
    near(least, values[0]), near(median, statistics.median(values)), near(most, values[-1])
    near(low, values[0] + 0.45 * (values[1] - values[0]))
    near(high, values[8] + 0.55 * (values[9] - values[8]))
assert len({r["received"] for r in rows}) > 3, "losses should show"
END

# Ranks.
command -v mpirun >/dev/null || fail "there is no mpirun: install openmpi-bin and libopenmpi-dev, and build again"
ranks() { timeout 60 mpirun --allow-run-as-root --oversubscribe "$@" >out 2>err; }
ranks -n 2 "$MOTET" sweep scenario.lua --seeds 3..12 --with loss=0,0.3,0.6 --with seconds=1,2 --workers 1 --table two.csv
command="a sweep of two ranks" status=$?
expect_status 0
cmp -s one.csv two.csv || fail "two ranks should have the table of one process"
cmp -s out one.text || fail "two ranks should print what one process prints"

# Of three ranks one is killed while it works. The others do its runs.
cat >rank <<'END'
[ "$OMPI_COMM_WORLD_RANK" != 2 ] || exec timeout -s KILL 1 "$@"
exec "$@"
END
motet sweep scenario.lua --seeds 300 --with loss=0.3 --table all.csv --quiet
ranks --enable-recovery -n 3 sh rank "$MOTET" sweep scenario.lua --seeds 300 --with loss=0.3 --workers 1 --table killed.csv
command="a sweep of which one rank is killed" status=$?
cmp -s all.csv killed.csv || fail "the table should not depend on a rank that dies"
