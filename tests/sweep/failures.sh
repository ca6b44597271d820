# Runs that fail are told, and saved; a sweep that was interrupted goes on.
. "$SOURCE/tests/sweep/sweep.lib"
motet sweep scenario.lua --seeds 2 --with loss=0,1 --with fault=none,check,lua --workers 2 --json
expect_status 3
expect_out '"runs": 12, "of": 12, "failed": 6'
expect_err "run 4 failed" # loss 0 breaks only in Lua
expect_err "to see it again: motet run scenario.lua --seed 1 --with loss=1 --with fault=check"
expect_err "asked to fail"
expect_err "asked to break"
motet run scenario.lua --seed 1 --with loss=1 --with fault=check --quiet
expect_status 3
for run in 8 9; do # with loss=1 and fault=check
    [ -e failed-runs/run-$run.motet ] || fail "run $run should have been saved"
done
motet open --json failed-runs/run-8.motet
expect_status 0
[ ! -e failed-runs/run-0.motet ] || fail "a run that went well should not be saved"

# A report that only some runs have; the mean is of those.
sed 's/report("sent"/if loss < 0.5 then report("rare", 1) end report("sent"/' scenario.lua >some.lua
motet sweep some.lua --seeds 3 --with loss=0,0.6 --table some.csv --keep none
expect_status 0
grep -q "^rare .* 3 " out || fail "three runs should have reported it"
grep -q "^3,0.6,1,0,.*,,14$" some.csv || fail "a cell should be empty"

# After an interruption the same command does the rest.
motet sweep scenario.lua --seeds 1..40 --with loss=0,0.3 --workers 2 --quiet --table whole.csv
expect_status 0
(
    "$MOTET" sweep scenario.lua --seeds 1..40 --with loss=0,0.3 --workers 2 --resume progress --table rest.csv >out 2>err &
    while [ "$(cat progress 2>/dev/null | grep -c "^run")" -lt 10 ] && kill -0 $! 2>/dev/null; do sleep 0.01; done
    kill -INT $!
    wait $!
    echo $? >status
)
[ "$(grep -c "^run" progress)" -lt 80 ] && expected=1 || expected=0 # it may have been too fast
[ "$(cat status)" = $expected ] || fail "an interrupted sweep should have status 1"
printf 'run 79 100\nstat' >>progress # as a machine that loses power leaves it
motet sweep scenario.lua --seeds 1..40 --with loss=0,0.3 --workers 2 --resume progress --table rest.csv
expect_status 0
cmp -s whole.csv rest.csv || fail "the table should be that of a sweep without an interruption"
motet sweep scenario.lua --seeds 1..41 --with loss=0,0.3 --resume progress
expect_complaint "progress is of another sweep"
