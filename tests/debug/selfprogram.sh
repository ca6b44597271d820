# A breakpoint and going back across writes to flash.
. ./session.sh
session power-boot-atmega328p <<'.'
monitor seek 30ms
monitor history
monitor seek 1ms
stepi 300
reverse-stepi 300
monitor seek 30ms
monitor history
.
first=$(grep -o 'digest [0-9a-f]*' "$work/out" | head -1)
[ "$(grep -c "$first" "$work/out")" -eq 2 ] || show 'both digests should be the same'
expect_none 'Cannot'
finish
