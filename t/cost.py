#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""cost.py FILE COMMAND...: run COMMAND, end as it did, and add a line to FILE: the CPU time of all that it began, daemons
too, in seconds (user and system, user, system), elapsed seconds, its last word; and a warning where processes outlived it.

We adopt what loses its parent (PR_SET_CHILD_SUBREAPER), so every process is waited for in the end, and counts."""
import ctypes
import os
import resource
import signal
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
PATIENCE_S = 5      # for daemons that have been told to end


def reaped(options):
    try:
        return os.waitpid(-1, options)
    except ChildProcessError:
        return None


out, command = sys.argv[1], sys.argv[2:]
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
begin = time.monotonic()
child = os.spawnvp(os.P_NOWAIT, command[0], command)
for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
    signal.signal(number, signal.SIG_IGN)       # they reach the whole group: the test cleans up, and we count that, too
while (ended := reaped(0))[0] != child:
    pass
elapsed = time.monotonic() - begin
status = os.waitstatus_to_exitcode(ended[1])
left = True
while time.monotonic() < begin + elapsed + PATIENCE_S:
    ended = reaped(os.WNOHANG)
    if ended is None:
        left = False
        break
    if ended[0] == 0:
        time.sleep(0.05)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(out, "a", encoding="utf-8") as lines:
    print(f"{used.ru_utime + used.ru_stime:9.2f} {used.ru_utime:9.2f} {used.ru_stime:9.2f} {elapsed:9.1f}",
          os.path.basename(command[-1]) + (" (processes that outlived it are not counted)" if left else ""), file=lines)
sys.exit(status if status >= 0 else 128 - status)
