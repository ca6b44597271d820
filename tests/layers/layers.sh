#!/bin/sh
# usage: layers.sh SOURCE
# The architecture, as far as a search can tell (docs/architecture.md): a lower folder includes no header of a higher
# one, and nothing above the instruction sets and the tables of chips and boards names an instruction set.
set -u
cd "$1" || exit 1
failures=0

complain() { # WHAT LINES
    [ -z "$2" ] && return
    printf '%s\n%s\n' "$1" "$2"
    failures=$((failures + 1))
}

# The folders from the bottom up; those on one line may include each other.
below=
while read -r level; do
    folders=$(printf '%s' "$level" | tr ' ' '|')
    [ -n "$below" ] && complain "lower folders include headers of $level:" \
        "$(grep -rnE "#include \"($folders)/" $below)"
    for folder in $level; do below="$below src/$folder"; done
done <<'LEVELS'
base
image
isa device chip board part node
network timeline
export debug rewrite record analysis check interface merge translate
ir
slice
api
script debugger sweep
monitor gdb dap
view
cli
LEVELS

# The public headers are the top. What all layers share of them, types only, is at the bottom: include/motet/base.
complain "lower folders include public headers:" \
    "$(grep -rnE '#include "motet/' $(for folder in base image isa device chip board part node network timeline export debug \
        rewrite record analysis check interface merge ir slice native; do echo src/$folder; done) | grep -v '"motet/base/')"
complain "include/motet/base includes what is above it:" \
    "$(grep -nE '#include "' include/motet/base/*.h | grep -v '"motet/base/')"
complain "include/motet/base declares functions:" \
    "$(grep -nE '^[a-z].*\);$' include/motet/base/*.h | grep -v ':typedef ')"

complain "named an instruction set:" \
    "$(grep -rniE '\b(avr|msp430|cortex|nrf52)' src/node src/network src/timeline src/script src/sweep src/export src/record src/check src/merge src/debug src/api src/debugger src/monitor src/gdb src/dap src/cli include)"

# Neutral layers ask the instruction set and the map of regions; they know no register file, no space and no bus width.
neutral="src/node src/network src/timeline src/script src/export src/debug src/analysis src/api src/gdb src/dap src/monitor include
    src/chip/chip.h src/chip/region.h src/isa/isa.h src/isa/slice.h"
# (gdb/agent.c cuts what gdb computes from a pair of byte registers, as gdb does.)
complain "knows an address of an instruction set:" \
    "$(grep -rnE '0x8[0-3]0000\b|[<>]=? 0x20\b|& 0xffff\b|\b0x10000\b' $neutral | grep -vE "src/export/(json|plot)\.c|src/gdb/agent\.c")"
complain "asks how large a chip's memories are, instead of its regions:" \
    "$(grep -rnE '\b(ram|flash)_(start|size)\b' src/chip src/node src/isa src/debug src/timeline src/device --include='*.[ch]' |
        grep -vE 'regions\.h')"

# A table that is in no list would be compiled, and never found.
complain "is in no list (src/chip/chips.h, src/board/boards.h):" \
    "$(sed -nE 's/^const struct (chip|board) (chip|board)_([a-z0-9_]+) = .*/\1 \3/p' src/chip/*/*.c src/board/*.c |
        while read -r kind name; do grep -q "X($name)" src/$kind/${kind}s.h || echo "$kind $name"; done)"

# Firmware files: one struct for each instruction set; no other file asks which one it is.
complain "branches on an instruction set instead of asking the target:" \
    "$(grep -rnE 'IMAGE_MACHINE_(AVR|MSP430|ARM)|AVR_|MSP430_|target_(avr|msp430|arm)' src/image |
        grep -vE '^src/image/(image\.h|target\.[ch]|target_[a-z0-9]+\.c|unwind\.h|unwind_avr\.c):')"

# Monitors use the public interface, writers of formats that know of no node, and the one module that allocates.
complain "monitors include what is not public:" \
    "$(grep -rnE '#include "' src/monitor | grep -vE '#include "(motet/|monitor/|monitors\.list|base/(memory|merge|spool)\.h|export/(json|perfetto|plot|table|vcd)\.h)')"

# So are the commands that debuggers share, and the servers for gdb and editors.
complain "debugger commands or the servers for gdb and editors include what is not public:" \
    "$(grep -rnE '#include "' src/debugger src/gdb src/dap | grep -vE '#include "((motet|debugger|gdb|dap)/|base/memory\.h)')"

# One module allocates. The command line is outside of the library, and has a small one of its own.
complain "memory is allocated elsewhere than in src/base/memory.c:" \
    "$(grep -rnE '\b(malloc|calloc|realloc|reallocarray|aligned_alloc|strdup|strndup|v?asprintf)\(' src |
        grep -vE '^src/(base/memory|cli/memory|script/lua)\.c')"

# docs/architecture.md shows the tree as it is: every folder of src has its row, and each journey names each of its
# folders once, and only folders that exist.
guide=docs/architecture.md
complain "$guide has no row for:" \
    "$(for folder in src/*/; do grep -q "^|.*\`${folder%/}\`.*|" "$guide" || echo "$folder"; done)"
journeys=$(awk '/^## /{ journey = 0 } /^### /{ journey = 1; name = $0 } journey && /^\| `/{
    cell = $0; sub(/^\| /, "", cell); sub(/ \|.*/, "", cell)
    count = split(cell, words, "`"); for (i = 2; i <= count; i += 2) print words[i] "\t" name }' "$guide")
complain "a journey of $guide names a folder twice:" "$(printf '%s\n' "$journeys" | sort | uniq -d)"
complain "a journey of $guide names a folder that is not there:" \
    "$(printf '%s\n' "$journeys" | cut -f1 | sort -u | while read -r folder; do [ -d "$folder" ] || echo "$folder"; done)"
[ "$(printf '%s\n' "$journeys" | cut -f2 | sort -u | wc -l)" -eq 4 ] || complain "$guide should have" "four journeys"

[ "$failures" -eq 0 ]
