#!/bin/sh
# usage: seeded.sh COUNT EXACT ARGUMENT...
# Runs `exact -s SEED ARGUMENT...` with COUNT seeds of `make soak`, and names those that fail.
seeds=$("$(dirname "$0")/../lib/seeds" "$1") exact=$2 failed=0
shift 2
for seed in $seeds; do
    "$exact" -s "$seed" "$@" || {
        failed=1
        echo "seeded.sh: failed: $exact -s $seed $*"
    }
done
exit $failed
