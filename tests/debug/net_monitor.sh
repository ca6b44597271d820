# monitor in a network: where all nodes are, what was sent, times of the network and ticks of a node, checkpoints, and
# digests that are the same however a moment is reached.
. ./session.sh
mixed 'run_for(1)'
session "$work/mixed.lua" <<'.'
monitor seek 60ms
monitor history
monitor checkpoint
monitor nodes
monitor packets 3
monitor where node *
monitor seek @1000
monitor packets
inferior 3
monitor seek @1000
monitor restart 1
monitor history
monitor seek 5ms
monitor seek 60ms
monitor history
monitor last-write 7:said
.
expect 'digest '
expect 'checkpoint 1: 0.060000000 s, node 0'
expect '* 0    micaz'
expect 'asleep   main+0xac (cc2420_beacon.c:138), network-cc2420-beacon.elf'
expect '2    uno        ended    main'
expect '  3    micaz'
expect ' data 3 to ffff from 0000, 12 bytes: 3f 06'
expect ' data 3 to ffff from 0003, 12 bytes: 3f 06'
expect 'node 0, asleep'
expect '#0  '
expect 'node 3, asleep'
expect 'node 0, tick @'
expect 'nothing was sent so far'
expect 'node 2, tick @100'
expect '0.060000000 s'
expect "there is no node '7'; see nodes"
first=$(grep -o 'digest [0-9a-f]*' "$work/out" | head -1)
[ "$(grep -c "$first" "$work/out")" -eq 3 ] || show 'all three digests should be the same'
finish
