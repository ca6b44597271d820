# stepi and reverse-stepi are each other's opposite; reverse-step and reverse-next go by lines, into and over calls.
. ./session.sh
session debug-counter <<'.'
break 27
continue
delete
monitor history
stepi 250
reverse-stepi 250
monitor history
reverse-next
reverse-step
reverse-step
reverse-step
.
expect 'digest '
first=$(grep -o 'digest [0-9a-f]*' "$work/out" | head -1)
[ "$(grep -c "$first" "$work/out")" -eq 2 ] || show 'both digests should be the same'
expect 'uint16_t s = square(n);'
expect 'main () at'
finish

session debug-counter <<'.'
break 27
continue
reverse-step
reverse-finish
reverse-stepi
reverse-stepi 100
.
expect 'square (n=1 '
expect 'square(n);' # the line of the call
expect 'No more reverse-execution history.'
expect 'in __vectors ()'
finish
