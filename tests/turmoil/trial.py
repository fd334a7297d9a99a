"""One transfer under the events of its plan: sent again after every failure, until it is whole."""

import json
import os
import re
import signal
import time
from collections import Counter
from pathlib import Path
from subprocess import Popen, TimeoutExpired

from ours import Failed, environment
from turmoil.contents import Contents
from turmoil.crossing import Crossing
from turmoil.events import begin_on_path, over_on_path
from turmoil.meddling import PART_KINDS, meddle
from turmoil.plan import ALL_KINDS, PATH_KINDS
from turmoil.streams import STOPS, Ends, is_listening, without_closed

TICK = 0.01
"""Seconds between two looks."""

AGAIN = 0.3
"""Seconds after which a failed transfer is tried again."""

PATIENCE = 30.0
"""Seconds after the last event in which the transfer must have gone through, beside four times what the links
take: a receiver whose sender was killed may turn others away until it is sure, and a machine may be busy."""

WAKES = 2.0
"""Seconds in which a transfer goes on when all its paths work again: half a second until the next probe and
a round trip with a queue, and more because a machine may be busy."""

SOON = 5.0
"""Seconds in which a program that is told to end has ended."""

CAUSES = {
    "the peer vanished": r"no longer answers: \d+ retransmissions or probes in a row went unanswered",
    "the peer was started anew": r"was restarted during the transfer",
    "the peer had forgotten": r"no longer has this transfer",
    "the peer aborted": r"interrupted by its user",
    "the receiver was busy": r"busy with another transfer; try again later",
    "nothing listened": r"cannot reach \S+: .*port closed, nothing listens there",
    "no answer": r"no answer from \S+ after \d+ attempts",
    "no address": r"(no address of this machine|network is unreachable|no interface)",
    "its part was touched": r"(another program changed it|it was removed) while it was received",
    "it was there already": r"exists already; use `anabranch recv --force` to replace it",
}
"""The causes that a failure may name, in words of our program."""

NOT_PRINTED = "cannot write the result to standard output"

PORT = 9899
"""Where a receiver listens."""


class Trial:
    """A transfer that runs."""

    def __init__(self, plan, program, folder):
        self.plan, self.program, self.folder = plan, program, folder
        for name in ("source", "store"):
            (folder / name).mkdir()
        self.contents = Contents(plan, folder / "source", folder / "store")
        self.crossing = Crossing(plan.version, plan.rates, plan.queue, plan.has_one_address)
        self.sender = self.receiver = None
        self.ends = {}
        """The streams of each program, by its process."""
        self.causes = Counter()
        self.attempts = 0
        self.is_done = False
        self.is_over = Counter()
        """Programs that were ended by the plan, until they are started again."""
        self.began = self.sends_again = 0.0
        self.silent_from = None
        """The attempt during which all paths fell silent, if what follows is judged."""
        self.wakes = None
        """Until when more than so many bytes have to be stored, in this attempt."""

    def run(self):
        """Runs it. The failures reported on the way, by cause.

        Raises
        ------
        Failed
            Something is not as it should be.
        """
        try:
            self.listen()
            self.began = time.monotonic()
            self.send()
            self.happen()
            self.judge_contents()
            self.end(self.receiver)
            self.judge_words()
            self.judge_left()
            return self.causes
        finally:
            for process in (self.sender, self.receiver):
                if process is not None:
                    process.kill()
                    process.wait()
            for ends in self.ends.values():
                ends.finish()
            self.crossing.close()

    def happen(self):
        """Lets the plan happen, until the transfer is done."""
        due = [(event.begins, self.begin, event) for event in self.plan.events]
        due += [(event.ends, self.over, event) for event in self.plan.events]
        due.sort(key=lambda step: step[0])
        bound = self.plan.ends + 4 * self.plan.least_seconds + PATIENCE
        while not self.is_done:
            now = time.monotonic() - self.began
            if now > bound:
                raise Failed(f"not done after {bound:.0f} s, in attempt {self.attempts}: {dict(self.causes)}")
            while due and due[0][0] <= now:
                _, action, event = due.pop(0)
                action(event)
            self.contents.look()
            self.look_at_receiver()
            self.look_at_sender(now)
            self.look_at_stall(now)
            time.sleep(TICK)
        # What is not over yet is over now: the receiver may be stopped, or away.
        for _, action, event in due:
            if action == self.over and event.begins <= now:
                action(event)

    def look_at_sender(self, now):
        """If it has ended, that has to have a reason."""
        if self.is_over["sender"]:
            return
        if self.sender is None:
            if now >= self.sends_again:
                self.send()
            return
        status = self.sender.poll()
        if status is None:
            return
        self.ends[self.sender].finish()
        self.sender, self.sends_again = None, now + AGAIN
        if status not in (0, 1):
            raise Failed(f"the sender ended with {status}: {self.said()}")
        self.judge_result(status)
        if status == 0:
            if not self.contents.is_whole():
                raise Failed("the sender says that all is well, and not every file is there")
            self.is_done = True
            return
        cause = self.cause()
        self.causes[cause] += 1
        # Killed after the last file was stored, and before its sender heard of that; or its success is lost.
        is_whole_perhaps = cause in (
            "it was there already",
            "its result was not written",
            "nothing can be said",
        )
        self.is_done = is_whole_perhaps and self.contents.is_whole()

    def cause(self):
        """Why the sender failed, as it says, where it can say anything.

        Raises
        ------
        Failed
            It does not.
        """
        streams, said = self.plan.sender, self.said()
        causes = [cause for cause, pattern in CAUSES.items() if re.search(pattern, said)]
        if causes:
            return causes[0]
        if streams.out == "full" and (NOT_PRINTED in said or not streams.says_messages):
            if streams.says_messages and not self.contents.is_whole():
                raise Failed(f"only the result is said to be lost, and not every file is there: {said}")
            return "its result was not written"
        if streams.says_messages or streams.says_results:
            raise Failed(f"a failure without a known cause: {said}")
        return "nothing can be said"

    def judge_result(self, status):
        """The result is written whole, or the status says that it is not."""
        streams = self.plan.sender
        if status == 0 and streams.out == "full":
            raise Failed("the sender says that all is well, and its result is lost")
        if streams.says_results:
            written = self.words(f"sender-{self.attempts}.out")
            try:
                json.loads(written)
            except ValueError as error:
                raise Failed(f"the sender's result is not whole, {error}: {written[-200:]!r}") from None

    def look_at_stall(self, now):
        """After an outage of all paths, and of nothing else, the same attempt has to go on within seconds."""
        if self.wakes is None:
            return
        until, stored, attempt = self.wakes
        if self.is_done or attempt != self.attempts or self.contents.stored() > stored:
            self.wakes = None
        elif now > until:
            raise Failed(f"nothing more is stored {WAKES:.0f} s after all paths work again: {stored} bytes")

    def look_at_receiver(self):
        if not self.is_over["receiver"] and self.receiver.poll() is not None:
            raise Failed(f"the receiver ended with {self.receiver.returncode}: {self.words('receiver.err')}")

    def begin(self, event):
        """The event begins."""
        who, _, what = event.what.partition(" ")
        if event.what in PATH_KINDS or event.what == ALL_KINDS:
            for path in self.paths_of(event):
                begin_on_path(self.crossing, event.what, path)
            # An attempt that has stored nothing may not be connected.
            is_alone = event.what == ALL_KINDS and self.plan.is_alone(event, WAKES)
            is_judged = is_alone and self.contents.stored() > 0
            self.silent_from = self.attempts if is_judged else None
            return
        if event.what in PART_KINDS:
            meddle(self.folder / "store", event.what)
            return
        for name in ["sender", "receiver"] if who == "both" else [who]:
            process = getattr(self, name)
            match what:
                case "stopped":
                    self.tell(process, signal.SIGSTOP)
                case "killed":
                    self.is_over[name] += 1
                    self.tell(process, signal.SIGKILL)
                    self.wait_for(process)
                case "interrupted":
                    self.is_over[name] += 1
                    self.tell(process, signal.SIGINT)
                    # A sender may have ended by itself just before.
                    self.wait_for(process, {130, 0, 1} if name == "sender" else {130})

    def over(self, event):
        """The event is over."""
        who, _, what = event.what.partition(" ")
        if event.what in PATH_KINDS or event.what == ALL_KINDS:
            for path in self.paths_of(event):
                over_on_path(self.crossing, event.what, path)
            if event.what == ALL_KINDS and self.silent_from is not None and self.sender is not None:
                until = time.monotonic() - self.began + WAKES
                self.wakes = (until, self.contents.stored(), self.silent_from)
                self.silent_from = None
            return
        if event.what in PART_KINDS:
            return
        for name in ["receiver", "sender"] if who == "both" else [who]:
            if what == "stopped":
                self.tell(getattr(self, name), signal.SIGCONT)
                continue
            self.is_over[name] -= 1
            if name == "receiver":
                self.listen()
            else:
                self.sender, self.sends_again = None, 0.0

    def paths_of(self, event):
        return range(len(self.plan.rates)) if event.path is None else [event.path]

    def send(self):
        """Starts the sender, again or for the first time."""
        self.attempts += 1
        words = ["send", *self.contents.arguments(), "--to", self.crossing.to]
        self.sender = self.start(
            self.crossing.near, f"sender-{self.attempts}", words, self.plan.sender, STOPS
        )

    def listen(self):
        """Starts the receiver, and waits until it listens."""
        before = self.words("receiver.err").count("ready;")
        words = ["recv", "--keep", "--dir", str(self.folder / "store")]
        self.receiver = self.start(self.crossing.far, "receiver", words, self.plan.receiver, None)
        deadline = time.monotonic() + SOON
        while not self.is_ready(before):
            if time.monotonic() > deadline or self.receiver.poll() is not None:
                raise Failed(f"the receiver does not listen: {self.words('receiver.err')}")
            time.sleep(TICK)

    def is_ready(self, before):
        """True if the receiver says once more that it listens; or does so, where its words are lost."""
        if self.plan.receiver.says_messages:
            return self.words("receiver.err").count("ready;") > before
        return is_listening(self.receiver, PORT)

    def start(self, side, name, words, streams, stops):
        manner = ["--json", *["--insecure"] * (not self.plan.is_sealed)]
        command = side.command(*without_closed(streams, [str(self.program), *words, *manner]))
        ends = Ends(streams, self.folder / f"{name}.out", self.folder / f"{name}.err", stops)
        process = Popen(command, stdout=ends.out, stderr=ends.err, env=environment())
        ends.are_given()
        self.ends[process] = ends
        return process

    def end(self, receiver):
        """The receiver is told to end, and does."""
        self.tell(receiver, signal.SIGINT)
        self.wait_for(receiver, {130})

    def tell(self, process, what):
        if process is not None and process.poll() is None:
            process.send_signal(what)

    def wait_for(self, process, statuses=frozenset({-signal.SIGKILL, 0, 1})):
        """Waits for a program that was told to end."""
        if process is None:
            return
        try:
            status = process.wait(timeout=SOON)
        except TimeoutExpired as late:
            raise Failed(f"still there {SOON} s after it was told to end") from late
        if status not in statuses:
            raise Failed(f"ended with {status} when it was told to end")

    def judge_contents(self):
        """Everything has to be there; directories get their times when the receiver sees its sender leave."""
        deadline = time.monotonic() + SOON
        while True:
            try:
                return self.contents.judge()
            except Failed:
                if time.monotonic() > deadline:
                    raise
            time.sleep(TICK)

    def judge_words(self):
        """No program may have panicked, whatever became of it."""
        for path in self.folder.glob("*.err"):
            if "panicked" in path.read_text():
                raise Failed(f"a panic: {path.read_text()}")

    def judge_left(self):
        """No process may be left on either side."""
        for side in (self.crossing.near, self.crossing.far):
            network = os.readlink(f"/proc/{side.holder.pid}/ns/net")
            left = [pid for pid in processes_in(network) if pid != side.holder.pid]
            if left:
                raise Failed(f"processes are left: {left}")

    def said(self):
        """The sender's words on a failure, on standard error and in its result."""
        return self.words(f"sender-{self.attempts}.err") + self.words(f"sender-{self.attempts}.out")

    def words(self, name):
        """The words that a program has written to a stream."""
        path = self.folder / name
        return path.read_text() if path.exists() else ""


def processes_in(network):
    """The processes of a network namespace."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(path / "ns/net") == network:
                yield int(path.name)
        except OSError:
            pass  # It has just ended.
