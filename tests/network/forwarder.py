"""What host programs do with a serial forwarder: forwarder.py NAME PORT. See forwarder.sh."""
import struct
import sys

from sf_client import Client


def echo(port):
    """One node with serial-test: it sends back what it gets, and counts which of its packets were acknowledged."""
    first, second = Client(port), Client(port)
    for packet in (b"\x01\x02\x03", b"\x7e\x7d\x5e\x5d\x20", bytes(range(64)), b""):
        first.send(packet)
        for client in (first, second):
            client.receive_until(lambda got: got == packet)
    for number in range(20):  # both at once: each packet comes back once, to both, each client's in its order
        first.send(bytes([ord("f"), number]))
        second.send(bytes([ord("s"), number]))
    for client in (first, second):
        got = [client.receive_until(lambda p: p[:1] in (b"f", b"s")) for _ in range(40)]
        for name in b"fs":
            assert [p[1] for p in got if p[0] == name] == list(range(20)), got

    # Acknowledged packets of the node's arrive, and so do our acknowledgements.
    _, counter, arrived = struct.unpack(">cHH", second.receive_until(lambda p: p[:1] == b"c" and len(p) == 5))
    later = struct.unpack(">cHH", second.receive_until(lambda p: p[:1] == b"c" and p[3:] != struct.pack(">H", arrived)))
    assert later[2] > arrived and later[1] > counter, later

    # A packet too long for the node is tried, given up, and blocks no other client for good.
    first.send(bytes(255))
    first.send(b"after")
    second.receive_until(lambda p: p == b"after")

    # A client that does not speak the protocol, or leaves in the middle of a packet, disturbs no other.
    assert Client(port, b"GET / HTTP/1.0\r\n\r\n").is_dismissed()
    half = Client(port)
    half.socket.sendall(b"\x20half")
    half.socket.close()
    newer = Client(port, b"U!")  # a later version: both go down to ours
    newer.send(b"newer")
    for client in (first, second, newer):
        client.receive_until(lambda p: p == b"newer")
    second.socket.close()
    first.send(b"alone")
    first.receive_until(lambda p: p == b"alone")


def base(port):
    """A base station: counters of node 1 come from it, and one for node 1 goes out by it."""
    client = Client(port)
    first = client.receive_until(lambda p: p[:5] == bytes.fromhex("0001ffff06"))
    second = client.receive_until(lambda p: p[:5] == bytes.fromhex("0001ffff06"))
    assert struct.unpack(">H", second[5:]) > struct.unpack(">H", first[5:]), (first, second)
    try:
        while True:  # until the scenario sees it and stops: on the air a packet may be lost
            client.send(bytes.fromhex("0001060006"))
            for _ in range(20):
                client.receive()
    except (EOFError, ConnectionResetError, BrokenPipeError):
        pass


{"echo": echo, "base": base}[sys.argv[1]](int(sys.argv[2]))
