"""The programs that talk to each other in a row: how each is started, and what its output says it counted."""

import os
import re
import signal
import subprocess
import threading
import time

UDP_PORT = 9899


class Program:
    """A running program in a namespace; its output is kept line by line."""

    def __init__(self, command, environment=None, only=None):
        shown = ["stdbuf", "-oL", *command]
        self.main = subprocess.Popen(
            shown,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ | (environment or {}),
        )
        self.lines, self.is_over, self.changed = [], False, threading.Condition()
        output = self.main.stdout
        self.filter = None
        if only is not None:
            # Debian's programs tell of every packet: grep throws that away faster than Python.
            grep = ["grep", "--text", "--line-buffered", "--only-matching", "--extended-regexp", only]
            self.filter = subprocess.Popen(grep, stdin=output, stdout=subprocess.PIPE)
            output.close()
            output = self.filter.stdout
        self.reader = threading.Thread(target=self.read, args=[output], daemon=True)
        self.reader.start()

    def read(self, output):
        """Keeps what the program prints, until it ends."""
        with output:
            for line in output:
                self.note(line.decode(errors="replace").rstrip("\n"))
        with self.changed:
            self.is_over = True
            self.changed.notify_all()

    def note(self, line):
        """Keeps a line."""
        with self.changed:
            self.lines.append(line)
            self.changed.notify_all()

    def wait_for(self, is_so, deadline, what):
        """Waits until the lines so far are as they should be."""
        with self.changed:
            left = max(0, deadline - time.monotonic())
            self.changed.wait_for(lambda: self.is_over or is_so(self.lines), left)
            if not is_so(self.lines):
                raise Failed(f"{what}, after {len(self.lines)} lines of output: {' '.join(self.lines[-1:])}")

    def say(self, text):
        """Gives the program a text to read."""
        self.main.stdin.write(text)
        self.main.stdin.flush()

    def hang_up(self):
        """The program has read all."""
        self.main.stdin.close()

    def close(self):
        """Ends the program, however it is."""
        for process in (self.main, self.filter):
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait()
        self.reader.join()


class Partner:
    """Our side: the example ``partner`` of anabranch-net."""

    def __init__(self, program, side, role, port, peers=(), **settings):
        local = [settings.pop("local")] if "local" in settings else side.addresses()
        words = [f"local={sockets(local, settings.pop('udp', UDP_PORT))}", f"port={port}"]
        if peers:
            words.append(f"remote={sockets(peers)}")
        words += [f"{key}={value}" for key, value in settings.items()]
        self.program = Program(side.command(str(program), role, *words))

    def count(self, deadline):
        """The counts that it prints at its end, as a dictionary."""
        self.program.wait_for(lambda lines: " end=" in lines[-1], deadline, "ours did not end")
        words, end = self.program.lines[-1].split(" end=")
        pairs = [word.split("=") for word in words.split()]
        counted = {key: value for key, value in pairs if key != "path"}
        paths = [value.split("/") for key, value in pairs if key == "path"]
        counted["paths"] = [(remote, int(sent), int(received)) for remote, sent, received in paths]
        return counted | {"end": end}


class Usrsctp:
    """The other side: a program of Debian's libusrsctp-examples."""

    def __init__(self, installed, side, name, *words, only=None):
        command = side.command(str(installed.programs / name), *map(str, words))
        self.program = Program(command, {"LD_LIBRARY_PATH": str(installed.libraries)}, only)


RECEIVED = r"Msg of length [0-9]+ received .* complete [01]"
"""The line of echo_server and discard_server for each part of a message that they read."""

SUMMARY = r"[0-9]+, [0-9]+, [0-9]+, [0-9]+, [0-9.]+, [0-9.]+, [0-9]+|Throughput was [0-9.]+"
"""The last line of tsctp, as server or client."""


def received(lines):
    """The number of messages and bytes that a server received."""
    parts = [re.search(r"Msg of length (\d+) .* complete ([01])", line) for line in lines]
    parts = [part for part in parts if part]
    return sum(part[2] == "1" for part in parts), sum(int(part[1]) for part in parts)


def summary(lines):
    """Messages, bytes and seconds that tsctp says it received."""
    for line in lines:
        numbers = line.split(", ")
        if len(numbers) == 7:
            return int(numbers[1]), int(numbers[3]), float(numbers[4])
    return None


def sockets(addresses, port=UDP_PORT):
    """Addresses with a port, as our programs read them."""
    return ",".join(f"[{each}]:{port}" if ":" in each else f"{each}:{port}" for each in addresses)


class Failed(Exception):
    """A row is not as it should be."""
