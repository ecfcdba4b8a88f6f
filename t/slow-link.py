#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""slow-link.py NETNS DEVICE NETNS DEVICE DELAY_MS LOSS_PERCENT SEED

A cable between two network namespaces that is slow and loses frames, where the kernel has no netem: makes a tap in each of
them and carries Ethernet frames from one to the other, each way with that delay, but for that share of them.  Prints
"ready" when both are there, and ends when it is killed; the taps end with it.
"""
import collections
import ctypes
import fcntl
import os
import random
import select
import struct
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TAP_NO_PI = 0x1002
FRAME_BYTES_MAX = 65536
CLONE_NEWNET = 0x40000000


def tap_open(netns, device):
    """A descriptor stays with the namespace in which its tap was made."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/run/netns/" + netns, "rb") as where:
        if libc.setns(where.fileno(), CLONE_NEWNET) < 0:
            raise OSError(ctypes.get_errno(), "setns " + netns)
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TAP_NO_PI))
    return fd


class Way:
    """One direction: frames on their way, the next first, each with the time at which it is there."""

    def __init__(self, source, target):
        self.source, self.target = source, target
        self.frames = collections.deque()

    def receive(self, now, delay, loss, chance):
        while True:
            try:
                frame = os.read(self.source, FRAME_BYTES_MAX)
            except (BlockingIOError, OSError):  # no more; or the device is down
                return
            if chance.random() >= loss:
                self.frames.append((now + delay, frame))

    def deliver(self, now):
        while self.frames and self.frames[0][0] <= now:
            try:
                os.write(self.target, self.frames.popleft()[1])
            except OSError:  # a full queue, or a device that is down, loses it
                pass


def main():
    one, two = tap_open(sys.argv[1], sys.argv[2]), tap_open(sys.argv[3], sys.argv[4])
    delay, loss, chance = float(sys.argv[5]) / 1000, float(sys.argv[6]) / 100, random.Random(int(sys.argv[7]))
    ways = {one: Way(one, two), two: Way(two, one)}
    print("ready", flush=True)
    while True:
        due = [way.frames[0][0] for way in ways.values() if way.frames]
        wait = max(0.0, min(due) - time.monotonic()) if due else None
        readable, _, _ = select.select(list(ways), [], [], wait)
        now = time.monotonic()
        for fd in readable:
            ways[fd].receive(now, delay, loss, chance)
        for way in ways.values():
            way.deliver(now)


main()
