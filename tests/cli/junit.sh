# --junit: test cases for CI servers, of runs, sweeps, checks and replays. An independent reader (junitparser) and a
# schema of what servers accept have to understand every file.
. "$SOURCE/tests/lib/expect.sh"
cd "$work" || exit 1
hello=$FIRMWARE/cli-hello.elf failing=$FIRMWARE/cli-status.elf

# junit FILE: prints a line a case: name, "passed" or the type of its failure, and the message.
junit() {
    [ -s "$1" ] || { fail "$1 should be there"; return; }
    xmllint --noout --relaxng "$SOURCE/tests/cli/junit.rng" "$1" 2>"$work/err" || fail "$1 should fit the schema"
    python=/usr/bin/python3
    $python - "$1" >"$work/cases" 2>"$work/err" <<'P' || fail "another reader should understand $1"
import sys, junitparser
xml = junitparser.JUnitXml.fromfile(sys.argv[1])
cases = [case for suite in xml for case in suite]
for case in cases:
    bad = [r for r in case.result if isinstance(r, junitparser.Failure)]
    line = f"{case.classname} | {case.name} | " + (f"{bad[0].type}: {bad[0].message}" if bad else "passed")
    print(line.replace("\ufffd", "?"))
counted = sum(1 for case in cases if case.result and any(isinstance(r, junitparser.Failure) for r in case.result))
assert (xml.tests, xml.failures) == (len(cases), counted), (xml.tests, xml.failures)
P
    ls "$1".?????? >/dev/null 2>&1 && fail "no temporary file should be left"
}
case_is() { grep -qxF -e "$1" "$work/cases" || { cat "$work/cases"; fail "there should be a case: $1"; }; }

# ---- runs ----
motet run --quiet --junit a.xml "$hello" </dev/null
expect_status 0
junit a.xml
case_is "$hello | run | passed"
motet run --quiet --junit a.xml --save run.motet "$failing" </dev/null
expect_status 3
junit a.xml
case_is "$failing | run | status: the firmware ended the run with a status other than 0"
grep -q "\[\[ATTACHMENT|$(realpath run.motet)\]\]" a.xml || fail "the saved run should be attached"
motet run --quiet --board uno --junit a.xml "$FIRMWARE/sensor.elf" </dev/null
expect_status 1
junit a.xml
grep -qF "| run | fault: stack overflow at add_list" cases || fail "a fault should be a failure"
grep -qF "called from" a.xml || fail "with its call chain"

cat >checks.lua <<END
node { firmware = "$hello", board = "uno" }
run_for(0.1)
check(true, "declared")
at(0.01, function() check(now() > 0, "time <passes> & \"goes\"") end)
for i = 1, 3 do at(0.015, function() check(i ~= 2, "number " .. i) end) end
at(0.02, function() check(false, "bytes \\1\\27\\255 ]]> \\xed\\xa0\\x80 \\xef\\xbf\\xbf end\\nmore") end)
at_end(function() check(true) end)
END
motet run --quiet --junit checks.xml checks.lua
expect_status 3
junit checks.xml
case_is "checks.lua | run | passed"
case_is "checks.lua | line 3: declared | passed"
case_is 'checks.lua | line 4: time <passes> & "goes" | passed'
case_is "checks.lua | line 5: number 1 | check: checks.lua:5: number 2 (at 0.015 s)"
case_is "checks.lua | line 6: bytes ??? ]]> ??? ? end | check: checks.lua:6: bytes ??? ]]> ??? ? end"
case_is "checks.lua | line 7: check | passed"
[ "$(wc -l <cases)" -eq 6 ] || fail "there should be a case for the run and for each line with a check"

# ---- sweeps ----
cat >sweep.lua <<END
local loss = parameter("loss", 0)
node { firmware = "$hello", board = "uno" }
run_for(0.01)
at_end(function() check(loss < 1, "it should arrive") report("arrived", 1) end)
END
motet sweep sweep.lua --seeds 2 --with loss=0,1 --quiet --junit sweep.xml
expect_status 3
junit sweep.xml
case_is "sweep.lua | seed 1, loss=0 | passed"
case_is "sweep.lua | seed 2, loss=1 | run: sweep.lua:4: it should arrive (at 0.01 s)"
grep -q "ATTACHMENT|.*failed-runs/run-" sweep.xml || fail "the saved run should be attached"

# ---- checks ----
motet check --steady 1ms --length 20ms --walks 2 --board uno --junit check.xml "$hello"
expect_status 0
junit check.xml
case_is "$hello | no violation | passed"
motet check --steady 2.9s --length 200ms --walks 1 --board uno --junit check.xml --save found.motet "$FIRMWARE/sensor.elf"
expect_status 1
junit check.xml
grep -q "| no violation | fault: node 0: stack overflow at add_list" cases || { cat cases; fail "a violation should be a failure"; }
grep -q "ATTACHMENT|.*found.motet" check.xml || fail "the counterexample should be attached"
motet check --replay found.motet --junit again.xml
expect_status 1
junit again.xml
grep -q "^found.motet | the error is repaired | fault: " cases || { cat cases; fail "an error that is there should be a failure"; }

# ---- replays ----
if [ -e "$FIRMWARE/python-log.elf" ]; then
    motet run --quiet --board micaz --for 1s --save-flash flash "$FIRMWARE/python-log.elf"
    motet replay flash --elf "$FIRMWARE/python-log.elf" --board micaz --junit replay.xml
    expect_status 0
    junit replay.xml
    case_is "flash | part 0 | passed"
    motet replay flash --elf "$FIRMWARE/python-log.elf" --board micaz --list --junit list.xml
    expect_complaint "--junit is about a replay without a debugger"
fi

# ---- what cannot be written is said before anything runs; what goes wrong leaves no file ----
motet run --junit /nowhere/a.xml "$hello" </dev/null
expect_complaint "--junit: /nowhere/a.xml: cannot be written: No such file or directory"
motet run --junit /dev/null "$hello" </dev/null
expect_complaint "it is not a plain file"
mkdir empty
motet run --junit empty/a.xml none.elf
expect_complaint "none.elf"
motet run --junit empty/a.xml --board nonsense "$hello"
expect_complaint "nonsense"
motet sweep --junit empty/a.xml "$hello"
expect_complaint "is no scenario"
[ -z "$(ls -A empty)" ] || fail "an error should leave no file"
printf old >old.xml
motet run --junit old.xml none.elf
[ "$(cat old.xml)" = old ] || fail "an error should leave an old file as it is"
finish
