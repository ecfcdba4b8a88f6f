#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check-side.py [--leaf NODES [--above NODES]] PAGE A=RUN,RUN... B=RUN...: are the charts of variants side by side those of
their runs?

Each curve of the comparison is computed here anew from jobs.csv, events.csv and summary.json of the variant's runs; with
--leaf, where each leaf switch has so many nodes, so are fragmentation and switches touched, and in the table their means,
their differences and the 95 % intervals of these; with --above, where each switch above the leaves has so many, also those
of switches of that level touched, and of jobs that touch the least by their size on both.  A chart or mean of which nothing
is computed here is a fault as well.  Prints what was compared; exit status 1 and one line for each fault (the first 20) when
something is wrong."""
import argparse
import bisect
import collections
import csv
import functools
import importlib
import math
import os
import re
import sys

check = importlib.import_module("check-page")
PARTS = 240	# of the time axis, about
MOMENTS = 600	# of fragmentation
# slurmctld's log has the order of jobs that start within milliseconds better than jobs.csv: a moment in between may differ.
MOMENTS_APART = 3


class Placed:
    """Leaf switches that have free room beyond the least that could hold it, at each moment; and what each job touched."""

    def __init__(self, folder, run, leaf):
        self.nodes, self.leaf, self.run = run.summary["nodes"], leaf, run
        released = self.releases(folder)
        self.spans = []
        for job in run.jobs:
            for node in self.nodes_of(job):
                self.spans.append((job.start, released.get((job.row["job_id"], node), job.end), node))
        self.beyond = self.moments()

    @staticmethod
    def nodes_of(job):
        return [node for part in job.row["allocated_resources"].split() for node in check.nodes_of(part)]

    def releases(self, folder):
        released = {}
        with open(os.path.join(folder, "events.csv"), encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                node = re.fullmatch(r"n(\d+)", row[5]) if len(row) > 5 and row[1] == "release" else None
                if node:
                    released[row[2], int(node[1])] = float(row[0]) - self.run.summary["begin_s"]
        return released

    def moments(self):
        changes = sorted([(begin, 1, node) for begin, _, node in self.spans] +
                         [(end, -1, node) for _, end, node in self.spans])
        held, at, out = collections.Counter(), 0, []
        for moment in range(MOMENTS):
            time = self.run.period * moment / (MOMENTS - 1)
            for at in range(at, len(changes) + 1):
                if at == len(changes) or changes[at][0] > time:
                    break
                held[changes[at][2]] += changes[at][1]
            free = [node for node in range(self.nodes) if held[node] <= 0]
            out.append(len({node // self.leaf for node in free}) - math.ceil(len(free) / self.leaf))
        return out

    def touched(self, size):
        """(switches of so many nodes, the least by its size) of each job that has not the whole machine."""
        counts = [self.nodes_of(job) for job in self.run.jobs]
        return [(len({node // size for node in nodes}), math.ceil(len(nodes) / size))
                for nodes in counts if nodes and len(nodes) < self.nodes]


def side_charts(page):
    charts = {}
    for key, text in re.findall(r'data-name="side-([\w-]+)\.csv">(.*?)</pre>', page.text, re.S):
        charts[key] = collections.defaultdict(list)
        for line in text.splitlines()[1:]:
            curve, x, y = line.split(",")
            charts[key][curve].append((float(x), check.number(y)))
    return charts


# ---- over time ----


def areas(curve, edges):
    """The areas below steps between neighbouring edges, in one pass."""
    out, at = [], 0
    for begin, end in zip(edges, edges[1:]):
        area, time = 0.0, begin
        while at + 1 < len(curve) and curve[at + 1][0] <= time:
            at += 1
        look = at
        while time < end:
            following = curve[look + 1][0] if look + 1 < len(curve) else math.inf
            area += curve[look][1] * (min(following, end) - time)
            time, look = min(following, end), look + 1
        out.append(area)
    return out


def mean_curves(runs, period):
    """Of busy CPUs and of waiting jobs: the mean of the runs over each part of the time."""
    width = check.nice(period / PARTS)
    edges = [i * width for i in range(math.ceil(period / width * (1 - 1e-12)))] + [period]
    out = {}
    for key in "busy", "queue":
        sums = [0.0] * (len(edges) - 1)
        for run in runs:
            if key == "busy":
                changes = check.spans(run.seen, "start", "end", lambda job, run=run: 100 * job.cpus / run.cpus)
            else:
                changes = check.spans([job for job in run.seen if job.in_queue], "queued", "left", lambda job: 1)
            sums = [a + b / len(runs) for a, b in zip(sums, areas(check.steps(changes), edges))]
        out[key] = [(begin, area / (end - begin)) for begin, end, area in zip(edges, edges[1:], sums)]
    return out, edges


def starts_compare(name, got, runs, edges):
    """What lies at the edge of a part may count to the next."""
    times = sorted(job.start for run in runs for job in run.seen if job.start == job.start)
    check.compared["points of side starts"] += len(got)
    if len(got) != len(edges):
        check.fault(f"{name}: {len(got)} points, not {len(edges)}")
        return
    for (x, y), begin, end in zip(got, edges, edges[1:]):
        low = bisect.bisect_left(times, end - check.NEAR_S) - bisect.bisect_right(times, begin + check.NEAR_S)
        high = bisect.bisect_right(times, end + check.NEAR_S) - bisect.bisect_left(times, begin - check.NEAR_S)
        count = y * (end - begin) * len(runs)
        if not check.same(x, begin, 1e-9, check.NEAR_S) or not low * (1 - 1e-5) <= count <= high * (1 + 1e-5):
            check.fault(f"{name}: {count:g} in the part from {x}, not {low} to {high}")
            return


def over_time_check(charts, variants):
    period = max(run.period for runs in variants.values() for run in runs)
    for letter, runs in variants.items():
        curves, edges = mean_curves(runs, period)
        for key, points in curves.items():
            check.points_compare(f"side-{key} {letter}", charts[key].pop(letter, []), [*points, (period, points[-1][1])],
                                 near_y=1e-5)
        starts_compare(f"side-starts {letter}", charts["starts"].pop(letter, []), runs, edges)


def distributions_check(charts, variants):
    for letter, runs in variants.items():
        jobs = [(run, job) for run in runs for job in run.jobs]
        values = {"cdf-wait": [job.wait for _, job in jobs], "cdf-turnaround": [job.wait + job.run for _, job in jobs],
                  "cdf-slowdown": [max(1.0, (job.wait + job.run) / max(run.threshold, job.run)) for run, job in jobs
                                   if math.isfinite(job.run)]}
        for key, of_jobs in values.items():
            near = check.NEAR_S / min(1, *(run.threshold for run in runs))
            check.distribution_check(f"side-{key} {letter}", charts[key].pop(letter, []), of_jobs, near, near)


# ---- placement ----


def scatter_compare(name, got, placed, period):
    """At each moment the mean of the runs that have not ended then."""
    check.compared["points of side scatter"] += len(got)
    apart = []
    for moment, (x, y) in enumerate(got):
        time = period * moment / (MOMENTS - 1)
        allowed = set()
        for slack in (-1e-9, 0, 1e-9):		# of the longest run it is this moment, or by rounding the one before
            at = [(p, int(time / p.run.period * (MOMENTS - 1) + slack)) for p in placed]
            values = [p.beyond[i] for p, i in at if 0 <= i < MOMENTS]
            allowed.add(sum(values) / len(values) if values else math.nan)
        if not check.same(x, time, 1e-9, check.NEAR_S):
            check.fault(f"{name}: moment {moment} is at {x}, not {time}")
            return
        if not any(check.same(y, value, 1e-6) for value in allowed):
            apart.append(f"{y} at {x}, not {sorted(allowed)}")
    if len(got) != MOMENTS or len(apart) > MOMENTS_APART * len(placed):
        check.fault(f"{name}: {len(got)} moments, {len(apart)} others than in the runs: {apart[:2]}")


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def placement_values(of_runs, sizes):
    """Figure -> its value in each run; the switches of level l have sizes[l] nodes each."""
    values, touched = {}, [[p.touched(size) for size in sizes] for p in of_runs]
    for level in range(len(sizes)):
        values[f"touched-{level}"] = [mean(count for count, _ in levels[level]) for levels in touched]
    if len(sizes) > 1:
        values["optimal"] = [mean(all(count == least for count, least in job) for job in zip(*levels))
                             for levels in touched]
    values["scatter"] = [mean(p.beyond) for p in of_runs]
    return values


def difference(first, second, paired):
    """(mean, half of the 95 % interval) of the second less the first: of pairs by Student's t, else by Welch's."""
    if paired:
        apart = [b - a for a, b in zip(first, second)]
        if len(apart) < 2:
            return mean(apart), math.nan
        return mean(apart), t95(len(apart) - 1) * math.sqrt(variance(apart) / len(apart))
    parts = [variance(values) / len(values) if len(values) > 1 else math.nan for values in (first, second)]
    if not sum(parts) > 0:
        return mean(second) - mean(first), 0.0 if sum(parts) == 0 else math.nan
    freedom = sum(parts) ** 2 / sum(part ** 2 / (len(values) - 1) for part, values in zip(parts, (first, second)))
    return mean(second) - mean(first), t95(freedom) * math.sqrt(sum(parts))


def variance(values):
    return sum((value - mean(values)) ** 2 for value in values) / (len(values) - 1)


@functools.lru_cache
def t95(freedom):
    """The quantile of Student's t that 97.5 % lie below: by bisection of its density's integral (Simpson's rule)."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    low, high = 0.0, math.pi / 2	# with x = sqrt(freedom) tan(angle), whose integral has an end

    def below(angle, parts=2000):
        step = angle / parts
        heights = [math.cos(i * step) ** (freedom - 1) if freedom != 1 else 1.0 for i in range(parts + 1)]
        area = heights[0] + heights[-1] + 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2])
        return 0.5 + scale * math.sqrt(freedom) * area * step / 3
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < 0.975 else (low, middle)
    return math.sqrt(freedom) * math.tan((low + high) / 2)


def placement_row_check(page, figure, values, paired):
    """A row's means, its difference and the ends of its interval: in percent of A's mean, shares in points."""
    row = re.search(r'<tr data-figure="%s">.*?</tr>' % figure, page.text, re.S)
    got = {key: float(value) for value, key in
           re.findall(r'<data value="([^"]*)" data-key="(a|b|mean|low|high)"', row[0] if row else "")}
    first, second = (mean(values[letter]) for letter in ("A", "B"))
    apart, half = difference(values["A"], values["B"], paired)
    scale = 100 if figure == "optimal" else 100 / first if first > 0 and figure != "optimal" else 1
    slack = 1e-6 if figure != "scatter" else MOMENTS_APART * 4 / MOMENTS
    wanted = {"a": (first, slack), "b": (second, slack)}
    # Of moments that may differ in each run: by as much in both means, and the interval is many times as wide as they.
    wide = 2 * scale * slack * (1 + (abs(apart / first) if first > 0 else 0))
    wanted["mean"] = (apart * scale, wide)
    if half == half:
        reach = wide if figure != "scatter" else wide * (1 + t95(max(1, len(values["A"]) - 1)))
        wanted |= {"low": ((apart - half) * scale, reach), "high": ((apart + half) * scale, reach)}
    for key, (value, near) in wanted.items():
        if not abs(got.get(key, math.nan) - value) <= near + 1e-6 * abs(value):
            check.fault(f"{figure}: {key} is {got.get(key)}, not {value}")


def rows_check(page, values, paired):
    for figure in re.findall(r'<tr data-figure="(touched-\d+|optimal|scatter)">', page.text):
        if figure not in values["A"]:
            check.fault(f"mean of {figure}: nothing here computes what it should be")
    for figure in values["A"]:
        check.compared["means and differences of placement"] += 1
        placement_row_check(page, figure, {letter: values[letter][figure] for letter in ("A", "B")}, paired)


def seeds(runs):
    return [run.summary.get("seed") for run in runs]


def placement_check(page, charts, variants, folders, sizes):
    leaf, values = sizes[0], {}
    placed = {letter: [Placed(folder, run, leaf) for folder, run in zip(folders[letter], runs)]
              for letter, runs in variants.items()}
    period = max(run.period for runs in variants.values() for run in runs)
    for letter, of_runs in placed.items():
        scatter_compare(f"side-scatter {letter}", charts["scatter"].pop(letter, []), of_runs, period)
        check.distribution_check(f"side-placement-times {letter}", charts["placement-times"].pop(letter, []),
                                 [leaves / least for p in of_runs for leaves, least in p.touched(leaf)])
        values[letter] = placement_values(of_runs, sizes)
    rows_check(page, values, seeds(variants["A"]) == seeds(variants["B"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--leaf", type=int)
    parser.add_argument("--above", type=int)
    parser.add_argument("page")
    parser.add_argument("variants", nargs="+")
    args = parser.parse_args()
    folders = {letter: runs.split(",") for letter, _, runs in (variant.partition("=") for variant in args.variants)}
    variants = {letter: [check.Run(folder) for folder in runs] for letter, runs in folders.items()}
    page = check.Page(args.page)
    charts = side_charts(page)
    over_time_check(charts, variants)
    distributions_check(charts, variants)
    if args.leaf:
        placement_check(page, charts, variants, folders, [size for size in (args.leaf, args.above) if size])
    for key, curves in charts.items():
        for curve in curves:
            check.fault(f"chart side-{key}, curve {curve}: nothing here computes what it should show")
    for what, count in check.compared.items():
        print(f"{count} {what}")
    for line in check.faults[:20]:
        print(f"fault: {line}")
    return 1 if check.faults else 0


if __name__ == "__main__":
    sys.exit(main())
