# usage: operations.sh SEED...
# Random instructions against QEMU: registers, flags, memory, floating point. To see a failure again: this script with its seed.
. "$SOURCE/tests/cortex/cortex.lib"
for seed in "$@"; do
    python3 "$here/operations.py" "$seed" 800 >"$work/operations.S"
    build operations "$here/operations.c" "$work/operations.S"
    compare operations
    [ "$failures" -eq 0 ] || echo "of seed $seed"
done
finish
