#!/bin/sh
# usage: tour.sh check|update [FILE]
# The commands in the console blocks of README.md (or FILE) are real, and so is what follows them: runs each line that
# begins with "$ " and compares what it prints with what stands there (check), or puts it there (update). Numbers that
# tell wall time are not compared, nor are digests, which change with the state of device models. Works in the source
# tree, on the program in $MOTET (build/motet by default).
set -eu
mode=${1:-check} source=$(cd "$(dirname "$0")/.." && pwd)
file=${2:-$source/README.md}
motet=${MOTET:-$source/build/motet}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Commands are written as if motet were installed and build/ were the build; a test may have them elsewhere.
mkdir -p "$work/bin" "$work/tree/build"
ln -s "$motet" "$work/bin/motet"
ln -s "${FIRMWARE:-$source/build/firmware}" "$work/tree/build/firmware"
cd "$work/tree"
PATH=$work/bin:$PATH

in_block=no
while IFS= read -r line || [ -n "$line" ]; do
    case $in_block$line in
    'no```console') in_block=yes ;;
    'yes```') in_block=no ;;
    'yes$ '*)
        printf '%s\n' "$line"
        NO_COLOR=1 sh -c "${line#\$ }" 2>&1 </dev/null || :
        continue
        ;;
    yes*) continue ;; # what stood there
    esac
    printf '%s\n' "$line"
done <"$file" >"$work/new"

timeless() {
    sed 's/simulated in [0-9.]* s/simulated in - s/; s/"wall_time": [0-9.]*/"wall_time": -/; s/"digest": "[0-9a-f]*"/"digest": -/' "$1"
}
timeless "$file" >"$work/expected"
timeless "$work/new" >"$work/actual"
if cmp -s "$work/expected" "$work/actual"; then
    exit 0
elif [ "$mode" = update ]; then
    cp "$work/new" "$file"
else
    diff "$work/expected" "$work/actual" || :
    echo "$file does not show what the commands print; after looking at the difference run docs/tour.sh update"
    exit 1
fi
