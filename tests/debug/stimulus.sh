# Pins driven at their times come again by going there again, on one node and in a network.
. ./session.sh
for options in '--drive PD2=1@2ms' '--drive 1:PD2=1@2ms --nodes 2 --boot 0s'; do
    for drive in "$options" "${options#--drive *ms}"; do
        # shellcheck disable=SC2086
        session debug-counter $drive <<'.'
monitor seek 3ms
monitor history
monitor seek 1ms
monitor seek 3ms
monitor history
.
        digest=$(grep -o 'digest [0-9a-f]*' "$work/out" | head -1)
        [ -n "$digest" ] && [ "$(grep -c "$digest" "$work/out")" -eq 2 ] || show 'both digests should be the same'
        [ "$digest" != "${before-}" ] || show 'a driven pin should make a difference'
        before=$digest
    done
done
finish
