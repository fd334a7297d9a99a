"""Install, start, and the work of each unit: the commands of docs/service.md and of the units' heads."""

import re
import subprocess
import time

from machine import AWAY
from points import FILE, LAPTOP, RECV, RECV_PORT, ROOT, SEND, SEND_PORT, SERVER, answers, from_head, unit_text


def install(points):
    """The package, of which nothing is enabled; then the commands of docs/service.md."""
    machine = points.machine
    machine.said("dpkg", "--install", "/package.deb")
    listed = machine.said("systemctl", "list-unit-files", "--no-legend", "--plain", "anabranch*").splitlines()
    points.point("installed units", sorted({line.split()[1] for line in listed}), ["disabled"])
    points.point("units that run after it", running(machine), [])
    commands = re.search(r"```sh\n(.*?)```", (ROOT / "docs/service.md").read_text(), re.DOTALL)[1]
    machine.said("sh", "-ec", commands)
    points.point("server by the page's commands", points.state(SERVER), "active (running)")
    points.point("and enabled", machine.said("systemctl", "is-enabled", SERVER).strip(), "enabled")
    machine.said("cp", "--preserve", "/etc/anabranch/forward-server.key", "/etc/anabranch/forward.key")
    points.edit("/etc/anabranch/forward.toml", '#to = ["server.example"]', 'to = ["192.0.2.1"]')
    points.edit("/etc/anabranch/forward.toml", "#listen = [", f'listen = ["2222={AWAY}:8080"]\n#listen = [')
    machine.said("mkdir", "-p", "/srv/public")
    for name, number in (("recv", RECV_PORT), ("send", SEND_PORT)):
        comment = re.search(r"^# The key of both ends: (.*)$", unit_text(name), re.MULTILINE)[1]
        machine.said("sh", "-ec", comment)
        machine.write(
            f"/etc/anabranch/{name}.conf", f"OPTIONS=--listen 192.0.2.1:{number},203.0.113.1:{number}\n"
        )
    with (points.served / "file").open("rb") as file:
        subprocess.run(machine.command("sh", "-c", "cat >/srv/public/file"), stdin=file, check=True)


def running(machine):
    listed = machine.said(
        "systemctl", "list-units", "--no-legend", "--plain", "--state=active", "anabranch*.service"
    )
    return [line.split()[0] for line in listed.splitlines()]


def readiness(points):
    """A unit waits for the word of its program, which a shell in front of it holds back."""
    machine = points.machine
    command = re.search(r"^ExecStart=(.*)$", unit_text("forward"), re.MULTILINE)[1]
    held = f"/bin/sh -c 'while ! test -e /run/go; do sleep 0.1; done; exec {command.replace('${', '$${')}'"
    points.drop_in(LAPTOP, f"[Service]\nExecStart=\nExecStart={held}\n", "held")
    machine.said("systemctl", "start", "--no-block", LAPTOP)
    time.sleep(2)
    points.point("before the program is ready", points.state(LAPTOP), "activating (start)")
    machine.said("touch", "/run/go")
    seconds = points.becomes(LAPTOP, "active (running)", 10)
    points.point("after READY=1", f"active (running), in {seconds:.1f} s", "active (running)", True)
    points.point("port of SOCKS then", port_is_open(machine, 1080), "open")
    machine.said("rm", f"/etc/systemd/system/{LAPTOP}.service.d/held.conf")
    machine.said("systemctl", "daemon-reload")
    for unit in (LAPTOP, RECV, SEND):
        machine.said("systemctl", "restart", unit)
        points.point(f"{unit} when `systemctl` returns", points.state(unit), "active (running)")


def port_is_open(machine, port):
    listed = machine.said("ss", "-Htln", f"sport = :{port}")
    return "open" if listed.strip() else "closed"


def flows(points):
    """Each unit does its work."""
    machine = points.machine
    points.point("curl by SOCKS", points.fetched("--proxy", "socks5h://127.0.0.1:1080"), "whole")
    outcome = points.fetched("--connect-to", f"{AWAY}:8080:127.0.0.1:2222")
    points.point("curl by a `listen` port", outcome, "whole")
    to = [f"192.0.2.1:{RECV_PORT}", f"203.0.113.1:{RECV_PORT}"]
    status = points.far("send", points.served / "file", "--to", ",".join(to), key=points.key("recv"))
    there = machine.run("cmp", "/var/lib/anabranch-recv/file", "/srv/public/file").returncode == 0
    points.point("a file sent to recv", (status, "whole" if there else "not there"), (0, "whole"))
    inbox = machine.folder / "inbox"
    inbox.mkdir()
    words = ["recv", "--from", f"192.0.2.1:{SEND_PORT}", "--dir", inbox]
    status = points.far(*words, key=points.key("send"))
    files = [file for file in inbox.rglob("file") if file.read_bytes() == FILE]
    points.point("a folder fetched from send@", (status, len(files)), (0, 1))


def seen(points):
    """What root sees of the services."""
    machine = points.machine
    found = {(one["role"], str(one["pid"])) for one in answers(points)}
    wanted = {("destinations", points.process(SERVER)), ("programs", points.process(LAPTOP))}
    points.point("`anabranch status` of root", sorted(found), sorted(wanted))
    text = machine.property(LAPTOP, "StatusText")
    points.point("status text", text, "connected to 192.0.2.1…", text.startswith("connected to 192.0.2.1"))


def clients(points):
    """A client with a key of its own, by the commands in the unit's head."""
    machine = points.machine
    settings, command = from_head(SERVER)
    points.drop_in(SERVER, settings)
    ended = machine.run("sh", "-c", command)
    key = re.search(r"^ANABRANCH_KEY=([0-9a-f]+)", ended.stdout, re.MULTILINE)
    points.point("the head's command for alice", (ended.returncode, bool(key)), (0, True))
    if not key:
        return
    points.issued.add(key[1])
    machine.said("systemctl", "restart", SERVER)
    machine.said("sh", "-c", "umask 077; cat >/etc/anabranch/forward.key", text=f"{key[1]}\n")
    machine.said("systemctl", "restart", LAPTOP)
    points.point("curl as alice", points.fetched("--proxy", "socks5h://127.0.0.1:1080"), "whole")


def folder_of_a_user(points):
    """recv with a folder and user of its own, by the settings in its head."""
    machine = points.machine
    machine.said("useradd", "--system", "media")
    machine.said("install", "-d", "-o", "media", "/srv/inbox")
    (settings,) = from_head(RECV)
    points.drop_in(RECV, settings)
    machine.said("systemctl", "restart", RECV)
    words = ["send", points.served / "file", "--to", f"192.0.2.1:{RECV_PORT}"]
    status = points.far(*words, key=points.key("recv"))
    owner = machine.run("stat", "-c", "%U", "/srv/inbox/file").stdout.strip()
    points.point("a file in the folder of the head's user", (status, owner), (0, "media"))
