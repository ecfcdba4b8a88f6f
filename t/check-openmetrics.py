#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check-openmetrics.py FILE NAME=RUN...: does Prometheus' own parser read FILE, and does it say what the run folders RUN
say?

NAME is the label "run" of that folder.  Figures are compared with summary.json, histograms with jobs.csv.  Exit status 1 and
one line for each fault; 77 without Debian's python3-prometheus-client."""
import csv
import json
import math
import os
import sys

try:
    from prometheus_client.openmetrics.parser import text_fd_to_metric_families
except ImportError:
    sys.exit(77)

faults = []


def number(row, key):
    return float(row[key]) if row[key] != '' else math.nan


def near(a, b):
    return abs(a - b) <= 1e-9 * max(1, abs(b))


def expect(what, got, wanted):
    if got is None or not near(got, wanted):
        faults.append(f'{what} is {got}, not {wanted}')


def name_of(key):
    """Of a figure of summary.json: name, factor."""
    for end, instead, factor in ('_per_s', '_per_second', 1), ('_s', '_seconds', 1), ('_kib', '_bytes', 1024):
        if key.endswith(end):
            return f'windtunnel_{key.removesuffix(end)}{instead}', factor
    return f'windtunnel_{key}' + ('_ratio' if key in ('efficiency', 'utilization') else ''), 1


class Samples:
    def __init__(self, path):
        with open(path, encoding='utf-8', newline='\n') as file:
            self.families = {f.name: f for f in text_fd_to_metric_families(file)}

    def of(self, family, sample, run, **labels):
        return [s for s in self.families[family].samples if s.name == sample and s.labels['run'] == run
                and all(s.labels.get(k) == v for k, v in labels.items())] if family in self.families else []

    def value(self, family, sample, run, **labels):
        found = self.of(family, sample, run, **labels)
        return found[0].value if len(found) == 1 else None


def check_figures(samples, run, summary):
    count = 0
    for key, kind in summary['kinds'].items():
        name, factor = name_of(key)
        if summary[key] is None:
            if samples.of(name, name, run):
                faults.append(f'{name} of {run} is there, and summary.json has none')
            continue
        expect(f'{name} of {run}', samples.value(name, name, run, kind=kind), summary[key] * factor)
        count += 1
    for cost in summary.get('rpc_costs', []):
        for family, value in ('messages', cost['count']), ('message_seconds', cost['total_us'] / 1e6):
            name = f'windtunnel_slurmctld_{family}'
            expect(f'{name} of {cost["type"]}', samples.value(name, f'{name}_total', run, type=cost['type']), value)
    return count


def check_histogram(samples, family, run, values):
    sums = {part: sum(s.value for s in samples.of(family, f'{family}_{part}', run)) for part in ('count', 'sum')}
    expect(f'{family}_count of {run}', sums['count'], len(values))
    expect(f'{family}_sum of {run}', sums['sum'], sum(values))
    buckets = {}
    for s in samples.of(family, f'{family}_bucket', run):
        buckets[s.labels['le']] = buckets.get(s.labels['le'], 0) + s.value
    if values and len(buckets) < 10:
        faults.append(f'{family} of {run} has {len(buckets)} buckets')
    for bound, got in buckets.items():
        expect(f'{family} of {run} up to {bound}', got, sum(v <= float(bound) for v in values))


def check_run(samples, run, folder):
    with open(os.path.join(folder, 'summary.json'), encoding='utf-8') as file:
        summary = json.load(file)
    with open(os.path.join(folder, 'jobs.csv'), encoding='utf-8', newline='') as file:
        rows = list(csv.DictReader(file))
    count = check_figures(samples, run, summary)
    waits, turnarounds, latencies, ends, states = [], [], [], [], {}
    for row in rows:
        sent, start, end = (number(row, k) for k in ('submission_time', 'starting_time', 'finish_time'))
        wait = max(0.0, round(start - sent, 6)) if start == start and sent == sent else math.nan
        states[row['state']] = states.get(row['state'], 0) + 1
        for values, value in (waits, wait), (turnarounds, wait + end - start), (latencies, number(row, 'submit_latency_s')):
            if value == value:
                values.append(round(value, 6))
        ends += [t for t in (end, number(row, 'release_time_s')) if t == t]
    check_histogram(samples, 'windtunnel_job_wait_seconds', run, waits)
    check_histogram(samples, 'windtunnel_job_turnaround_seconds', run, turnarounds)
    check_histogram(samples, 'windtunnel_submission_latency_seconds', run, latencies)
    for state, jobs in states.items():
        expect(f'jobs {state} of {run}', samples.value('windtunnel_jobs', 'windtunnel_jobs', run, state=state), jobs)
    stamps = {float(s.timestamp) for f in samples.families.values() for s in f.samples
              if s.labels['run'] == run and s.timestamp is not None}
    if len(stamps) != 1 or abs(stamps.pop() - summary['begin_s'] - max(ends)) > 0.002:
        faults.append(f'samples of {run} have not the time of its last event')
    print(f'{count} figures, {len(waits)} waits of {run}')


def main(path, *runs):
    try:
        samples = Samples(path)
    except ValueError as error:
        print(f'fault: the parser says: {error}')
        return 1
    for run in runs:
        check_run(samples, *run.rsplit('=', 1))
    for line in faults[:20]:
        print(f'fault: {line}')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
