# What cannot be: one sentence (with file and line where there is a file), status 2, nothing has run, and no file that the
# run would have written is there.
. "$SOURCE/tests/lib/expect.sh"
beacon=$FIRMWARE/network-cc2420-beacon.elf

nothing_written() {
    for file in radio.pcap port.txt; do
        [ ! -e "$work/$file" ] || fail "$file should not have been made"
        rm -f "$work/$file"
    done
}

bad() { # SENTENCE ARGUMENTS...
    sentence=$1
    shift
    motet run --pcap "$work/radio.pcap" --serial "0:0=file:,$work/port.txt" --for 1s "$@" </dev/null
    expect_complaint "$sentence"
    nothing_written
}

# Options: nodes that are not there, wherever one can be named.
bad "--link 0,3: there is no node 3 for a link from 0 to 3" --board micaz --nodes 3 --link 0,3,-60dBm "$beacon"
bad "--link 7,0: there is no node 7 for a link from 7 to 0" --board micaz --nodes 3 --link 7,0,-60dBm "$beacon"
bad "--serial: there is no node 9" --board micaz --nodes 3 --serial 9:0=null "$beacon"
bad "--trace: there is no node 9" --board micaz --nodes 3 --trace 9:leds "$beacon"
bad "--drive: there is no node 9" --board micaz --nodes 3 --drive 9:PD2=1 "$beacon"
bad "--analog: there is no node 9" --board micaz --nodes 3 --analog 9:0=1V "$beacon"
# Topologies that contradict themselves or each other.
bad "--nodes says 8, but --topology has 9" --board micaz --nodes 8 --topology grid:3x3:10m "$beacon"
bad "--link 0,1 is given twice, with -60 dBm and -70 dBm" --board micaz --nodes 2 --link 0,1,-60 --link 0,1,-70 "$beacon"
bad "node 1 cannot have a link to itself" --board micaz --nodes 2 --link 1,1,-60dBm "$beacon"
bad "--medium needs to know where the nodes are" --board micaz --nodes 2 --link 0,1,-60dBm --medium disk:10m "$beacon"
bad "has no nodes, or more than" --board micaz --topology grid:0x3:10m "$beacon"
bad "it lies between -300 and 100" --board micaz --nodes 2 --link 0,1,-500dBm "$beacon"
# Firmware: for another chip, another processor, a board that is none, no firmware.
bad "was built for atmega128" --board iris --nodes 2 "$beacon"
bad "is for another kind of processor" --board telosb --nodes 2 "$beacon"
bad "there is no board or chip 'toaster'" --board toaster --nodes 2 "$beacon"
bad "cannot be opened" --board micaz --nodes 2 "$work/none.elf"
# Symbols that are missing, no variables, or too small.
bad "there is no symbol 'nothing'" --board micaz --nodes 2 --set nothing=%id "$beacon"
bad "'main' is not a variable in RAM" --board micaz --nodes 2 --set main=1 "$beacon"
bad "70000 does not fit the 2 bytes of 'said'" --board micaz --nodes 2 --set said=70000 "$beacon"
# Files: one that is missing keeps the others from being made.
bad "cannot read $work/none for serial 0 of node 1" --board micaz --nodes 2 --serial "1:0=file:$work/none" "$beacon"
bad "cannot write $work/no/place for serial 0 of node 1" --board micaz --nodes 2 --serial "1:0=file:,$work/no/place" "$beacon"
bad "is given twice" --board micaz --nodes 2 --serial "0:0=null" "$beacon"
motet run --board micaz --nodes 2 --for 1s --pcap "$work/no/place" --serial "0:0=file:,$work/port.txt" "$beacon"
expect_complaint "--pcap: cannot write $work/no/place"
nothing_written
# One node is a network of one: what networks have works for it, and a node that is not there is named.
for option in "--medium disk:5m" "--noise -90dBm" "--loss 0.5" "--boot 3s" "--drift 3ppm" "--trace 0:leds"; do
    # shellcheck disable=SC2086
    motet run --board micaz --for 1ms $option "$beacon" </dev/null
    expect_status 0
done
for option in "--link 0,1,-60" "--trace 1:leds" "--boot 1:3s" "--drift 1:3ppm" "--fault 1:warn" "--set 1:said=1"; do
    # shellcheck disable=SC2086
    bad "there is no node 1" --board micaz $option "$beacon"
done

# The same in scenarios.
script() { # as printf's
    printf "$@" >"$work/s.lua"
}
scenario() { # LINE SENTENCE [OPTIONS...]: what is wrong with the last script
    line=$1 sentence=$2
    shift 2
    motet run --pcap "$work/radio.pcap" --serial "0:0=file:,$work/port.txt" "$@" "$work/s.lua" </dev/null
    expect_complaint "s.lua${line:+:$line}"
    expect_err "$sentence"
    nothing_written
}
nodes="for i = 0, 2 do node{id = i, board = 'micaz', firmware = '$beacon'} end run_for(1)"

for call in "link(0, 7, -60)" "link(7, 0, -60)" "link_loss(0, 7, 0.5)" "link_down(7, 1)" "link_up(1, 7)" "move(7, 1, 1)" \
    "kill(7)" "boot(7)" "reset(7)" "send(7, 0, 'x')" "drive(7, 'PD2', 'high')" "analog(7, 0, 1)" "read(7, 'said')" \
    "bytes(7, 'said')" "output(7)" "led(7, 'red')" "alive(7)" "position(7)"; do
    script '%s\n\n%s\n' "$nodes" "$call"; scenario 3 "there is no node 7"
done
script '%s\nlink(1, 1, -60)\n' "$nodes"; scenario 2 "node 1 cannot have a link to itself"
script '%s\nlink(0, 1, -500)\n' "$nodes"; scenario 2 "it lies between -300 and 100"
script '%s\nnode{id = 2, board = "micaz", firmware = "%s"}\n' "$nodes" "$beacon"; scenario 2 "there already is a node 2"
script '%s\nmedium{model = "disk", rage = 7}\n' "$nodes"; scenario 2 "there is nothing called 'rage' to say here"
script '%s\nmedium{loss = 2}\n' "$nodes"; scenario 2 "2 is not a probability"
script '%s\nnoise_trace({-90, "loud"}, 0.1)\n' "$nodes"; scenario 2 "reading 2 of the noise is not a number"
script '\nnode{board = "iris", firmware = "%s"}\n' "$beacon"; scenario 2 "was built for atmega128"
script '\nnode{board = "telosb", firmware = "%s"}\n' "$beacon"; scenario 2 "is for another kind of processor"
script '\nnode{board = "toaster", firmware = "%s"}\n' "$beacon"; scenario 2 "there is no board or chip 'toaster'"
script '\nnode{board = "micaz", firmware = "none.elf"}\n'; scenario 2 "cannot be opened"
script '\nnode{board = "micaz", firmware = "%s", set = {nothing = 1}}\n' "$beacon"; scenario 2 "there is no symbol 'nothing'"
script '\nnode{board = "micaz", firmware = "%s", set = {said = 70000}}\n' "$beacon"; scenario 2 "does not fit the 2 bytes of 'said'"
script '%s\nread(1, "nothing")\n' "$nodes"; scenario 2 "has no variable 'nothing'"
script '%s\nat(-1, function() end)\n' "$nodes"; scenario 2 "a time in seconds"
script '%s\nrun_for(1\n' "$nodes"; scenario 3 "')' expected"
for option in "--board micaz" "--clock 1MHz" "--nodes 3" "--topology line:3:1m" "--link 0,1,-60" "--medium disk:1m" "--noise -90dBm" \
    "--loss 0.1" "--boot 1s" "--drift 1ppm" "--set said=1" "--drive PD2=1" "--analog 0=1V"; do
    script '%s\n' "$nodes"; scenario "" "says for itself" $option
done
printf '%s\n' "$nodes" >"$work/s.lua"
motet run --pcap "$work/radio.pcap" --serial "9:0=file:,$work/port.txt" "$work/s.lua"
expect_complaint "--serial: there is no node 9"
nothing_written
finish
