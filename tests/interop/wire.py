"""Carries IP packets between two namespaces through the links of ``anabranch emulate``, and captures them.

Each packet that enters at one side is sent as a datagram through the relay, whose links delay, queue, mark
and lose it as their scenario says, and leaves at the other side. As in any tunnel, a datagram has the ECN
bits of the packet in it, and marks of the datagram are marks of the packet (RFC 6040).
"""

import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import threading

import ecn
from capture import Capture

PRIMER = b"here"
UDP = 17
BUFFER = 4 << 20
"""Packets that wait while another program has the processor must not be lost."""
SO_RCVBUFFORCE = 33


def scenario(paths, rate, delay, loss=0.0, queue='"1000 packets"', cuts=()):
    """A link a path, alike; each cut is (link, from, until) in seconds after the start. ``queue`` is TOML."""
    links = "".join(
        f"""
[[link]]
name = "p{path + 1}"
rate = "{rate}"
delay = "{delay}"
queue = {queue}
loss = {loss}
reverse = {{ loss = {loss} }}
"""
        for path in range(paths)
    )
    events = "".join(
        f'\n[[event]]\nat = "{at} s"\nlink = "p{path + 1}"\nstate = "{state}"\n'
        for path, begin, end in cuts
        for at, state in ((begin, "down"), (end, "up"))
    )
    return f'[run]\ntime = "1 h"\n{links}{events}'


class Wire:
    """The links between the devices of two sides, from its making until it is closed."""

    def __init__(self, program, text, one, other):
        self.packets = [[0, 0] for _ in one.devices]
        """The number of SCTP packets that entered each path, from one side and from the other."""
        self.capture, self.arrived = Capture(), Capture()
        """The packets as they entered, and as they left."""
        self.links = []
        """The counts of the relay on each link, known when it is closed."""
        self.ends = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in other.devices]
        for end in self.ends:
            end.bind(("127.0.0.1", 0))
        targets = ",".join(f"127.0.0.1:{end.getsockname()[1]}" for end in self.ends)
        self.relay = subprocess.Popen(
            [program, "emulate", "-", "--to", targets, "--json"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.relay.stdin.write(text.encode())
        self.relay.stdin.close()
        addresses = [path["listen"] for path in json.loads(self.relay.stdout.readline())["listening"]]
        self.starts = [self.join(address, end) for address, end in zip(addresses, self.ends, strict=True)]
        self.selector = selectors.EpollSelector()
        for path, devices in enumerate(zip(one.devices, other.devices, strict=True)):
            for side, sock in enumerate((self.starts[path], self.ends[path])):
                prepare(sock)
                enters = (self.enter, devices[side], sock, path, side)
                self.selector.register(devices[side], selectors.EVENT_READ, enters)
                self.selector.register(sock, selectors.EVENT_READ, (self.leave, sock, devices[side]))
        self.is_over = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def join(self, address, end):
        """The socket on the near side of the relay, once the far side knows where it comes from."""
        host, port = address.rsplit(":", 1)
        start = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        start.connect((host, int(port)))
        end.settimeout(0.2)
        while True:
            start.send(PRIMER)
            try:
                end.connect(end.recvfrom(100)[1])
                return start
            except TimeoutError:
                continue

    def run(self):
        """Moves packets until the wire is closed."""
        while not self.is_over:
            for key, _ in self.selector.select(0.05):
                act, *what = key.data
                act(*what)

    def enter(self, device, sock, path, side):
        """Takes packets from a device into the links: UDP alone, not what hosts tell of themselves."""
        for _ in range(64):
            try:
                packet = os.read(device, 65535)
            except OSError:
                return
            if packet[9 if packet[0] >> 4 == 4 else 6] == UDP:
                self.packets[path][side] += 1
                self.capture.note(packet)
                bits = struct.pack("i", ecn.bits(packet))
                field = (socket.IPPROTO_IP, socket.IP_TOS, bits)
                self.pass_on(lambda packet, field=field: sock.sendmsg([packet], [field]), packet)

    def leave(self, sock, device):
        """Takes packets from the links to a device."""
        for _ in range(64):
            try:
                packet, fields, _, _ = sock.recvmsg(65535, socket.CMSG_SPACE(1))
            except OSError:
                return
            if packet != PRIMER:
                if any(value[0] & ecn.CE == ecn.CE for _, _, value in fields):
                    packet = ecn.marked(packet)
                self.arrived.note(packet)
                self.pass_on(lambda packet: os.write(device, packet), packet)

    @staticmethod
    def pass_on(send, packet):
        """Packets without room are lost, as on any wire."""
        try:
            send(packet)
        except OSError:
            return

    def close(self):
        """Ends the links."""
        self.is_over = True
        self.thread.join()
        self.relay.send_signal(signal.SIGINT)
        with self.relay.stdout as said:
            self.links = json.loads(said.read().splitlines()[-1])["links"]
        self.relay.wait()
        self.selector.close()
        for sock in (*self.starts, *self.ends):
            sock.close()


def prepare(sock):
    """Lets a socket at one end of the relay not wait, have room, and say which ECN bits datagrams have."""
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
