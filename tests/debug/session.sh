# What the scripts beside this one share. `session FIRMWARE` runs the real avr-gdb on the commands of standard input,
# connected to `motet debug`; `expect TEXT` looks for TEXT in what it printed, after what was expected before; `finish`
# ends the script.
. "$(dirname "$0")/../lib/transcript.sh"

# A network of different firmwares: 0 and 3 send often, 1 seldom, 2 has no radio. What it prints goes to a file.
mixed() { # MORE LINES OF THE SCENARIO
    cat >"$work/mixed.lua" <<END
node{ id = 0, board = "micaz", firmware = "$FIRMWARE/network-cc2420-busy.elf" }
node{ id = 1, board = "micaz", firmware = "$FIRMWARE/network-cc2420-beacon.elf", boot = 0.001, x = 5 }
node{ id = 2, board = "uno", firmware = "$FIRMWARE/debug-counter.elf", boot = 0.002 }
node{ id = 3, board = "micaz", firmware = "$FIRMWARE/network-cc2420-busy.elf", boot = 0.003, x = 10 }
END
    printf '%s\n' "$@" >>"$work/mixed.lua"
}

session() { # FIRMWARE, OR A FILE [OPTIONS OF motet debug]
    case $1 in */*) firmware=$1 ;; *) firmware=$FIRMWARE/$1.elf ;; esac
    shift
    # What monitor commands print goes to gdb's standard error: one stream keeps the order.
    { echo 'set print entry-values no'; cat; } >"$work/commands"
    timeout 300 "$MOTET" debug "$firmware" "$@" --exec "avr-gdb -nx -q -batch -x '$work/commands'" \
        </dev/null >"$work/out" 2>&1
    status=$?
    last=0
}

# The same with the real lldb-19, for the MSP430.
lldb_session() { # FIRMWARE [OPTIONS OF motet debug]
    firmware=$FIRMWARE/$1.elf
    shift
    cat >"$work/commands"
    timeout 300 "$MOTET" debug "$firmware" "$@" --exec "lldb-19 --no-lldbinit -b -s '$work/commands'" \
        </dev/null >"$work/out" 2>&1
    status=$?
    last=0
}

expect_anywhere() { grep -qF -e "$1" "$work/out" || show "there should be somewhere: $1"; }
