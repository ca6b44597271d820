# What a user can get wrong: one sentence, status 2, nothing written.
. "$SOURCE/tests/sweep/sweep.lib"
motet sweep
expect_complaint "needs FILE"
motet sweep "$FIRMWARE/radio-count-micaz.elf"
expect_complaint "is no scenario"
motet sweep absent.lua
expect_complaint "absent.lua"
for seeds in 0..x 5..4 x 1..; do
    motet sweep scenario.lua --seeds $seeds
    expect_complaint "--seeds"
done
for with in loss loss= =1 2x=1 loss=1,1 loss=1,,2; do
    motet sweep scenario.lua --with "$with"
    expect_complaint "--with"
done
motet sweep scenario.lua --with loss=1 --with loss=2
expect_complaint "given twice"
motet sweep scenario.lua --with lost=1
expect_complaint "there is no parameter lost"
motet run scenario.lua --with lost=1
expect_complaint "there is no parameter lost"
motet run "$FIRMWARE/radio-count-micaz.elf" --board micaz --with loss=1
expect_complaint "--with is for scenarios"
motet sweep scenario.lua --workers 0
expect_complaint "there must be a worker"
motet sweep scenario.lua --seeds 1 --plot received
expect_complaint "REPORT=FILE"
motet sweep scenario.lua --seeds 1 --plot recieved=x.svg
expect_complaint "no run has reported recieved; did you mean received?"
motet sweep scenario.lua --seeds 1 --table absent/t.csv
expect_complaint "absent/t.csv"
motet sweep scenario.lua --seeds 1 --resume absent/progress
expect_complaint "absent/progress"
grep -v run_for scenario.lua >endless.lua
motet sweep endless.lua --seeds 1
expect_complaint "does not say how long"
for line in 'report("two words", 1)' 'report("x", 0/0)' 'report("loss", 1)' 'parameter("seeds", 1)'; do
    { cat scenario.lua; echo "at_end(function() $line end)"; } >wrong.lua
    motet run wrong.lua --with loss=0 --quiet
    expect_status 2
done
[ ! -e failed-runs ] || fail "nothing should have been kept"
