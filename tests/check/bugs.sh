# The memory bugs of dip and dhv (docs/kit.md) are found on two nodes with default options, each with its own error; the
# correct builds come through.
. "$SOURCE/tests/lib/expect.sh"

for bug in dip-slide dip-bound dip-right dip-payload dhv-summary dhv-horizontal dhv-vertical dhv-index; do
    as_found=--as-found # to make all of them shorter takes long
    case $bug in
    dip-right) as_found= ;;
    dip-bound) [ -z "${LONG:-}" ] || as_found= ;;
    esac
    motet check $as_found --board micaz --nodes 2 --save "$work/found.motet" \
        "$FIRMWARE/${bug%%-*}-micaz-$bug-checked.elf"
    expect_status 1
    case $bug in
    dip-payload | dhv-summary | dhv-horizontal | dhv-vertical) expect_out "null pointer at " ;;
    *) expect_out "index out of bounds at " ;;
    esac
    expect_out "found by walk "
    motet check --replay "$work/found.motet"
    expect_status 1
    expect_out "the error is still there"
    motet check --replay "$work/found.motet" --repaired "$FIRMWARE/${bug%%-*}-micaz-checked.elf"
    expect_status 0
    expect_out "the error does not come up with these choices"
done

for protocol in dip dhv; do
    motet check --board micaz --nodes 2 --walks 10 --save "$work/none.motet" "$FIRMWARE/$protocol-micaz-checked.elf"
    expect_status 0
    expect_out "no violation in 10 walks of 30 s"
    [ ! -e "$work/none.motet" ] || fail "there should be no counterexample"
done
finish
