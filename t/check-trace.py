#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check-trace.py TRACE [RUN]: is TRACE what the trace-event format's document says, and does it show the run RUN?

The format's rules: each event has a phase, a name and a process; times are finite and not negative; slices of a thread nest;
begins have ends; each flow begins once within a slice and ends once within one, later; counters are numbers; each process
and thread that has slices has a name.  RUN/jobs.csv is read here anew: number of slices, their times, the CPUs' and the
queue's counters at each moment that the trace has, and the utilisation.  Prints what was found; exit status 1 and one line
for each fault (the first 20) when something is wrong."""
import bisect
import collections
import csv
import gzip
import json
import math
import os
import re
import sys

faults = []


def fault(text):
    faults.append(text)


def is_time(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def constant(name):
    raise ValueError(f'{name} is no JSON')


def read(path):
    """The head, and the events one after the other: a million of them need not be in memory as objects."""
    with (gzip.open if path.endswith('.gz') else open)(path, 'rt', encoding='utf-8', newline='') as file:
        text = file.read()
    decoder = json.JSONDecoder(parse_constant=constant)
    begin = re.search(r'"traceEvents"\s*:\s*\[', text)
    head = json.loads(text[:begin.end()] + ']}', parse_constant=constant)
    blank = re.compile(r'\s*')

    def events():
        at = blank.match(text, begin.end()).end()
        while text[at] != ']':
            event, at = decoder.raw_decode(text, at)
            yield event
            at = blank.match(text, at).end()
            if text[at] == ',':
                at = blank.match(text, at + 1).end()
                if text[at] == ']':
                    raise ValueError('a comma before the end of the events')
            elif text[at] != ']':
                raise ValueError(f'no comma at byte {at}')
        rest = json.loads('[' + text[at:].strip()[1:].removesuffix('}').strip().removeprefix(',') + ']')
        if rest:
            raise ValueError('something behind the events')
    return head, events()


class Trace:
    def __init__(self, path):
        self.head, events = read(path)
        self.slices = collections.defaultdict(list)     # (pid, tid) -> [(start, end, name, args)]
        self.counters = collections.defaultdict(list)   # (pid, name, key) -> [(ts, value)]
        self.flows = collections.defaultdict(list)      # (cat, name, id) -> [(phase, ts, track)]
        self.names = {}                                 # (what, pid, tid) -> name
        self.begun = collections.defaultdict(list)
        self.count = 0
        for event in events:
            self.count += 1
            self.take(event)
        for track, stack in self.begun.items():
            for name in stack:
                fault(f'{track}: B of {name} has no E')

    def take(self, e):
        phase, pid, tid, ts = e.get('ph'), e.get('pid'), e.get('tid'), e.get('ts')
        if not isinstance(e.get('name'), str) or not e['name'] or not isinstance(pid, int) or not is_time(ts):
            fault(f'event without name, process or time: {json.dumps(e)[:120]}')
            return
        if phase in 'XBEsf' and not isinstance(tid, int):
            fault(f'no thread: {json.dumps(e)[:120]}')
        elif phase == 'X':
            if not is_time(e.get('dur')):
                fault(f'no duration: {json.dumps(e)[:120]}')
            else:
                self.slices[pid, tid].append((ts, ts + e['dur'], e['name'], e.get('args', {})))
        elif phase == 'B':
            self.begun[pid, tid].append(e['name'])
        elif phase == 'E':
            if not self.begun[pid, tid]:
                fault(f'E without B: {json.dumps(e)[:120]}')
            else:
                self.begun[pid, tid].pop()
        elif phase == 'C':
            for key, value in (e.get('args') or fault(f'counter without values: {e["name"]}') or {}).items():
                if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                    fault(f'counter {e["name"]}: {key} is {value!r}')
                else:
                    self.counters[pid, e['name'], key].append((ts, value))
        elif phase in 'sf':
            self.flows[e.get('cat'), e['name'], e.get('id')].append((phase, ts, (pid, tid), e.get('bp')))
        elif phase == 'M':
            self.take_name(e, pid, tid)
        else:
            fault(f'unknown phase {phase!r}')

    def take_name(self, e, pid, tid):
        args = e.get('args', {})
        if e['name'] in ('process_name', 'thread_name'):
            key = (e['name'], pid, tid if e['name'] == 'thread_name' else None)
            if not isinstance(args.get('name'), str) or not args['name']:
                fault(f'{key}: no name')
            if key in self.names:
                fault(f'{key}: named twice')
            self.names[key] = args.get('name')
        elif e['name'] not in ('process_sort_index', 'thread_sort_index') or not isinstance(args.get('sort_index'), int):
            fault(f'unknown metadata {json.dumps(e)[:120]}')

    def check(self):
        for (pid, tid), slices in self.slices.items():
            if ('process_name', pid, None) not in self.names or ('thread_name', pid, tid) not in self.names:
                fault(f'process {pid}, thread {tid}: has slices and no name')
            slices.sort(key=lambda s: (s[0], -s[1]))
            stack = []
            for start, end, name, _ in slices:
                while stack and stack[-1] <= start:
                    stack.pop()
                if stack and end > stack[-1]:
                    fault(f'process {pid}, thread {tid}: {name} at {start} overlaps and does not nest')
                stack.append(end)
        for (pid, name, _), values in self.counters.items():
            if ('process_name', pid, None) not in self.names:
                fault(f'counter {name}: its process {pid} has no name')
            if any(a[0] >= b[0] for a, b in zip(values, values[1:])):
                fault(f'counter {name}: goes back in time, or has two values at once')
        for key, ends in self.flows.items():
            self.check_flow(key, ends)

    def check_flow(self, key, ends):
        if [phase for phase, *_ in sorted(ends, key=lambda e: e[0], reverse=True)] != ['s', 'f']:
            fault(f'flow {key}: has not one begin and one end')
            return
        (_, begin, begin_track, _), (_, end, end_track, point) = sorted(ends, key=lambda e: e[0], reverse=True)
        if begin > end:
            fault(f'flow {key}: ends before it begins')
        if point != 'e':
            fault(f'flow {key}: is not bound to the slice around its end')
        for ts, track in (begin, begin_track), (end, end_track):
            slices = self.slices.get(track, [])
            at = bisect.bisect_right(slices, ts, key=lambda s: s[0]) - 1
            if at < 0 or not slices[at][0] <= ts < slices[at][1]:
                fault(f'flow {key}: no slice at {ts} on {track}')


def us(text):
    return None if text == '' else max(0, round(float(text) * 1e6))


def nodes_of(text):
    for part in text.split():
        first, _, last = part.partition('-')
        yield from range(int(first), int(last or first) + 1)


class Job:
    def __init__(self, row):
        self.name, self.id = row['name'], int(row['job_id'] or 0)
        self.start, self.end, self.release = (us(row[k]) for k in ('starting_time', 'finish_time', 'release_time_s'))
        self.submit = None
        if row['submission_time'] != '':
            latency = float(row['submit_latency_s'] or 0)
            self.submit = us(str(float(row['submission_time']) + latency))
            if self.start is not None:
                self.submit = min(self.submit, self.start)
        self.cpus = int(row['allocated_cpus'] or 0) or int(row['cpus'] or 0)
        self.nodes = list(nodes_of(row['allocated_resources'])) if self.start is not None else []
        self.final = row['state'] not in ('UNKNOWN', 'PENDING', 'RUNNING', 'COMPLETING')


def steps(changes):
    """[(time, value from there on)] of [(time, change)]."""
    total, out = 0, []
    for time, change in sorted(changes, key=lambda c: c[0]):
        total += change
        if out and out[-1][0] == time:
            out[-1] = (time, total)
        else:
            out.append((time, total))
    return out


def at(series, time, default=0):
    i = bisect.bisect_right(series, time, key=lambda s: s[0]) - 1
    return series[i][1] if i >= 0 else default


def area(series, end):
    return sum(v * (min(t2, end) - t) for (t, v), (t2, _) in zip(series, series[1:] + [(end, 0)]) if t < end)


def process(trace, name):
    return next((pid for (what, pid, _), n in trace.names.items() if what == 'process_name' and n == name), None)


def compare(trace, jobs, cpus):
    whole = not any('counters are thinned' in line for line in trace.head['otherData']['left_out'])
    ran = [j for j in jobs if j.start is not None and (j.end is None or j.end >= j.start)]
    pid = process(trace, 'jobs')
    lanes = [s for (p, _), slices in trace.slices.items() if p == pid for s in slices]
    wanted = collections.Counter((j.start, j.end, j.id) for j in ran if j.end is not None)
    got = collections.Counter((s[0], s[1], s[3]['job_id']) for s in lanes if s[3].get('end') != 'not known')
    if len(lanes) != len(ran) or wanted != got:
        fault(f'{len(lanes)} slices of jobs, and {len(ran)} jobs; {sum((wanted - got).values())} slices are missing')
    for key, changes in {
            ('CPUs', 'allocated'): [(j.start, j.cpus) for j in ran] + [(j.end, -j.cpus) for j in ran if j.end is not None],
            ('jobs', 'running'): [(j.start, 1) for j in ran] + [(j.end, -1) for j in ran if j.end is not None],
            ('jobs', 'waiting'): waits(jobs)}.items():
        compare_counter(trace.counters.get((process(trace, 'cluster'), *key), []), steps(changes), key, whole)
    end = max((j.end for j in ran if j.end is not None), default=0)
    series = trace.counters.get((process(trace, 'cluster'), 'CPUs', 'allocated'), [])
    if end and cpus and whole:
        busy = sum(j.cpus * (j.end - j.start) for j in ran if j.end is not None)
        counted = area(series, end)
        print(f'utilisation {counted / cpus / end:.9f}')
        if abs(counted - busy) > 1e-9 * busy and all(j.end is not None for j in ran):
            fault(f'the CPUs of the counter are busy for {counted} us, those of jobs.csv for {busy}')
    return ran


def waits(jobs):
    changes = []
    for j in jobs:
        leaves = j.start if j.start is not None else j.end
        if j.submit is not None and (leaves is not None or not j.final):
            changes.append((j.submit, 1))
            if leaves is not None:
                changes.append((leaves, -1))
    return changes


def compare_counter(series, wanted, key, whole):
    wrong = sum(1 for time, value in series if at(wanted, time) != value)
    if wrong or not series:
        fault(f'counter {key}: {wrong} of {len(series)} values are not those of jobs.csv')
    if whole:
        missing = sum(1 for time, value in wanted if at(series, time) != value)
        if missing:
            fault(f'counter {key}: {missing} of {len(wanted)} changes are missing')


def compare_nodes(trace, ran, chosen):
    """By track: the job's id and times on each of its nodes."""
    others = {process(trace, name) for name in ('jobs', 'submissions', 'cluster', 'slurmctld')}
    got = collections.Counter()
    busy = collections.Counter()
    for (pid, tid), slices in trace.slices.items():
        if pid in others:
            continue
        name = re.sub(r' \(\d+\)$', '', trace.names['thread_name', pid, tid])
        name = re.sub(r'^node (?=\d+$)', 'n', name)    # of a folder that does not tell how its nodes are called
        for start, end, _, args in slices:
            got[name, start, end, args['job_id']] += 1
            busy[name] += end - start
    if not got:
        return
    wanted = collections.Counter((chosen[n], j.start, j.end, j.id) for j in ran for n in j.nodes if n in chosen)
    if wanted != got:
        fault(f'nodes: {sum((wanted - got).values())} slices are missing, {sum((got - wanted).values())} too many')
    print(f'{sum(got.values())} slices on {len(busy)} nodes')


def main(path, run=None, nodes=None):
    trace = Trace(path)
    trace.check()
    print(f'{trace.count} events, {sum(map(len, trace.slices.values()))} slices on {len(trace.slices)} tracks, '
          f'{len(trace.flows)} flows, {len(trace.counters)} counters')
    if run:
        with open(os.path.join(run, 'jobs.csv'), encoding='utf-8', errors='replace', newline='') as file:
            csv.field_size_limit(1 << 24)
            jobs = [Job(row) for row in csv.DictReader(file)]
        ran = compare(trace, jobs, trace.head['otherData'].get('cpus'))
        flows = sum(1 for j in ran if j.submit is not None and (j.end is None or j.end > j.start))
        if trace.flows and len(trace.flows) != flows:
            fault(f'{len(trace.flows)} flows, and {flows} jobs that were submitted and ran')
        if trace.head['otherData']['node_slices']:
            count = trace.head['otherData'].get('nodes')    # without summary.json: all that jobs had
            chosen = {i: f'n{i}' for i in (range(count) if count else {n for j in ran for n in j.nodes})}
            if nodes:
                first, last = map(int, nodes.split('-'))
                chosen = {i: f'n{i}' for i in range(first, last + 1)}
            compare_nodes(trace, ran, chosen)
    for line in faults[:20]:
        print(f'fault: {line}')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
