"""A client of TinyOS's serial forwarder, for forwarder.sh; independent of Motet's own code."""
import socket


class Client:
    def __init__(self, port, greeting=b"U "):
        self.socket = socket.create_connection(("127.0.0.1", port), 300)
        self.socket.settimeout(300)
        self.socket.sendall(greeting)
        assert self.take(2) == b"U ", "the forwarder's version"

    def take(self, count):
        got = b""
        while len(got) < count:
            more = self.socket.recv(count - len(got))
            if not more:
                raise EOFError
            got += more
        return got

    def send(self, packet):
        self.socket.sendall(bytes([len(packet)]) + packet)

    def receive(self):
        return self.take(self.take(1)[0])

    def receive_until(self, wanted):
        """The first packet for which `wanted` holds."""
        while True:
            packet = self.receive()
            if wanted(packet):
                return packet

    def is_dismissed(self):
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True
