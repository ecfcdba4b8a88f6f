# SPDX-License-Identifier: GPL-2.0-or-later
"""The pieces of idle time that the page of a run tells of, found anew from the jobs of its folder.

pieces_check(run, page) compares the longest piece of each cause in the table of losses, the one of the first sentences and
the one that is boxed in the chart; it returns how many were compared, and a list of faults."""
import collections
import heapq
import itertools
import math
import re

END, RELEASE, LEAVE, SUBMIT, START = range(5)	# in this order where their times are the same
NEAR_S = 4e-6
LEFT_BEHIND = 1e-6	# CPUs, by sums of fractions
Piece = collections.namedtuple("Piece", "begin end cpu_s job")


def events_of(jobs):
    events = []
    for number, job in enumerate(jobs):
        started = job.start == job.start
        if job.in_queue:
            events.append((job.queued, SUBMIT, number))
            events += [] if started else [(job.end, LEAVE, number)]
        if started:
            events += [(job.start, START, number), (job.end, END, number), (job.given, RELEASE, number)]
    return sorted((max(0.0, time), kind, number) for time, kind, number in events if time == time)


def completes(job):
    """CPUs of its nodes that were not released yet, on average from its end to its last release."""
    node_s, nodes = float(job.row["completing_node_s"] or 0), int(job.row["allocated_nodes"] or 0)
    span = job.release - job.end
    return min(job.cpus, job.cpus * node_s / (nodes * span)) if node_s > 0 and span > 0 and nodes else 0


class Machine:
    """What is busy, what waits, and which job starts next, event by event."""

    def __init__(self, run):
        self.jobs, self.cpus = run.seen, run.cpus
        self.events = events_of(self.jobs)
        self.starts = collections.deque(event for event in self.events if event[1] == START)
        self.busy = self.completing = 0
        self.waiting, self.smallest = set(), []

    def see(self, kind, number):
        job = self.jobs[number]
        self.busy += {START: job.cpus, END: -job.cpus}.get(kind, 0)
        self.completing += {END: completes(job), RELEASE: -completes(job)}.get(kind, 0)
        if abs(self.completing) < LEFT_BEHIND:
            self.completing = 0
        if kind == SUBMIT:
            self.waiting.add(number)
            heapq.heappush(self.smallest, (job.asked or job.cpus, number))
        elif kind in (START, LEAVE):
            self.waiting.discard(number)
        if kind == START:
            self.starts.popleft()

    def fits(self, idle):
        while self.smallest and self.smallest[0][1] not in self.waiting:
            heapq.heappop(self.smallest)
        return bool(self.smallest) and self.smallest[0][0] <= idle

    def cause(self, idle):
        following = self.starts[0][2] if self.starts else None
        if following in self.waiting and self.jobs[following].size == "whole" and self.jobs[following].cpus > idle:
            return "drain for a large job", following
        if not self.waiting:
            return ("no job waited" if self.starts else "tail"), None
        return ("a waiting job fitted" if self.fits(idle) else "no waiting job fitted"), None


def intervals(run, least):
    """(from, to, cause, idle CPUs, job that is drained for) of each interval between two events, up to the last end; a job
    fits where it lacks no more than 'least' CPUs."""
    machine, at, filled = Machine(run), 0.0, False
    last = max(time for time, kind, _ in machine.events if kind == END)
    mean = sum(job.cpus * job.run for job in run.seen if job.run >= 0) / last
    for time, group in itertools.groupby(machine.events, key=lambda event: event[0]):
        time = min(time, last)
        idle = machine.cpus - machine.busy
        if time > at:
            filled = filled or machine.busy >= mean * (1 - 1e-12)
            completing = min(idle, max(0, machine.completing))
            cause, job = machine.cause(idle - completing + least) if filled else ("start", None)
            if completing:
                yield at, time, "completing nodes", completing, None
            if idle:	# a full machine is no doubt an interruption; all that idles may complete, or nearly all
                yield at, time, cause, idle - completing, job
        at = max(at, time)
        for _, kind, number in group:
            machine.see(kind, number)


def parts_of(run, least):
    """cause -> lists of parts of a time without interruption.  Where what idles may be what sums of fractions leave behind,
    it may be an interruption or none: such an interval is a part of its own."""
    parts, before = collections.defaultdict(list), {}
    for begin, end, cause, idle, job in intervals(run, least):
        nothing = abs(idle) <= LEFT_BEHIND
        if idle < -LEFT_BEHIND:
            continue
        part = Piece(begin, end, max(0, idle) * (end - begin), job)
        at, of, unsure = before.get(cause, (None, None, None))
        if at != begin or of != job:
            parts[cause].append([part])
        elif nothing or unsure:
            parts[cause][-1].append(part)
        else:
            known = parts[cause][-1][-1]
            parts[cause][-1][-1] = known._replace(end=end, cpu_s=known.cpu_s + part.cpu_s)
        before[cause] = (end, job, nothing)
    return parts


def longest_of(run):
    """cause -> those that may be called the longest: all that are as long as each of them surely is."""
    longest = collections.defaultdict(list)
    for least in (0, LEFT_BEHIND):
        for cause, pieces in parts_of(run, least).items():
            most = max(part.cpu_s for parts in pieces for part in parts)
            for parts in pieces:
                for first, last in itertools.combinations_with_replacement(range(len(parts)), 2):
                    cpu_s = sum(part.cpu_s for part in parts[first:last + 1])
                    if cpu_s >= most * (1 - 1e-6):
                        longest[cause].append(Piece(parts[first].begin, parts[last].end, cpu_s, parts[first].job))
    return longest


def clocks(seconds, step):
    """The texts that may stand for the time: it may lie at the edge between two of them."""
    for time in (seconds - NEAR_S, seconds + NEAR_S):
        whole = int(max(0, time) + 0.5)
        if step < 1:
            yield f"{time:.3g} s"
        elif whole >= 86400:
            yield f"{whole // 86400} d {whole // 3600 % 24:02}:{whole // 60 % 60:02}"
        elif whole >= 3600:
            yield f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
        else:
            yield f"{whole // 60}:{whole % 60:02}"


def spans(piece, step=1):
    return {f"{begin} to {end}" for begin in clocks(piece.begin, step) for end in clocks(piece.end, step)}


def row_texts(run, piece):
    name = f", {run.seen[piece.job].row['name']}" if piece.job is not None else ""
    return {span + name for span in spans(piece)}


def sentence_check(run, page, longest):
    """The sentence, and the box in the chart."""
    points = {id(piece): 100 * piece.cpu_s / run.cpus / run.makespan for pieces in longest.values() for piece in pieces}
    found = re.search(r'<data value="([^"]*)" data-key="largest_piece_points">[^<]*</data>from '
                      r'(.*? to [\d: d.]*\d(?: s)?)', page.text)
    most = max(points.values(), default=0)
    if most < 0.1:
        return ["a piece is named that is nothing"] if found else []
    sure = max(min(points[id(piece)] for piece in pieces) for pieces in longest.values())
    candidates = [piece for pieces in longest.values() for piece in pieces if points[id(piece)] >= sure * (1 - 1e-6)]
    if not found or not sure * (1 - 1e-5) <= float(found[1]) <= most * (1 + 1e-5):
        return [f"sentence about the largest piece: {found and found[1]}, not {sure} to {most}"]
    if not any(found[2] in spans(piece) | spans(piece, 0.1) for piece in candidates):
        return [f"sentence about the largest piece: {found[2]!r}, not {[sorted(spans(piece)) for piece in candidates]}"]
    box = re.search(r'<rect class="box" x="(-?\d+)" y="6" width="(-?\d+)"', page.text)
    drawn = [(piece.begin / run.period * 10000, (piece.end - piece.begin) / run.period * 10000) for piece in candidates]
    if not box or not any(abs(int(box[1]) - x) <= 0.51 and abs(int(box[2]) - width) <= 1.01 for x, width in drawn):
        return [f"box of the largest piece: {box and box.groups()}, not {drawn}"]
    return []


def pieces_check(run, page):
    longest, faults, rows = longest_of(run), [], 0
    for name, _, cpu_h, text, *_ in page.rows('class="losses"'):
        if name == "all idle time" or name not in longest and cpu_h < 1e-9:
            continue
        rows += 1
        wanted = set().union(*(row_texts(run, piece) for piece in longest[name]))
        if text not in wanted:
            faults.append(f"longest piece of {name!r}: {text!r}, not {sorted(wanted)}")
    if 'data-key="jobs_shown"' in page.text:	# of a record that is not whole nothing of the kind is said
        return rows, faults
    return rows, faults + sentence_check(run, page, longest)
