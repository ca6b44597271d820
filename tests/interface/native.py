# Changes a move of a native component's program: what the component sends out, as the log has it.
# usage: native.py FEED PROGRAM OTHER byte|value|call|missing
import struct
import sys

feed, program = open(sys.argv[1], "rb").read(), bytearray(open(sys.argv[2], "rb").read())
base, what = program.find(feed), sys.argv[4]
PUT, READ, SAME, RETURN_IN, CALL_OUT, VALUE, POINTER = 2, 4, 6, 9, 10, 12, 13
at, out, done, moves = 0, False, False, []
while at < len(feed):
    kind, a, b, c = struct.unpack_from("<4I", feed, at)
    moves.append((at, kind, a, b, c))
    at += 16 + ((c + 15) // 16 * 16 if kind in (PUT, READ, SAME) else 0)
for at, kind, a, b, c in moves[len(moves) // 3:]:
    out = kind == CALL_OUT or (out and kind in (VALUE, POINTER))
    if what == "byte" and kind == SAME and c == 1:
        program[base + at + 16] ^= 0x55
    elif what == "value" and kind == VALUE and out:
        program[base + at + 8] ^= 0x55
    elif what == "call" and kind == CALL_OUT:
        struct.pack_into("<I", program, base + at + 4, next(m[2] for m in moves if m[1] == CALL_OUT and m[2] != a))
    elif what == "missing" and kind == CALL_OUT:
        struct.pack_into("<I", program, base + at, RETURN_IN)
    else:
        continue
    done = True
    break
open(sys.argv[3], "wb").write(program)
sys.exit(not done)
