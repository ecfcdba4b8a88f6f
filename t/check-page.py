#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check-page.py [--except CHART] [--leaf NODES] PAGE RUN: is what the page of one run tells what the run's folder tells?

The data of each chart and the tables of waits, of losses, of messages, of reasons and of nodes' costs are computed here
anew from jobs.csv, series.csv, power.csv and summary.json; each number that the page shows is the one that it has for
programs, rounded.  A curve that is thinned has nothing but points of the run, and of each part of the axis the least, the
greatest and the last.  A chart of which nothing is computed here is a fault as well, unless it is named.  With --leaf
each leaf switch has so many nodes.  Prints what was compared; exit status 1 and one line for each fault (the first 20)
when something is wrong."""
import argparse
import bisect
import collections
import csv
import html
import json
import math
import os
import re
import sys

import idle_pieces

NEAR_S = 4e-6		# a difference of two times since 1970 as doubles, and six printed decimals
POINTS_MAX = 2000	# a longer curve is thinned
PARTS = POINTS_MAX // 3	# of the axis: of each at most three points are left
QUANTILES = 600		# of a distribution of more jobs
SIZES = {"to_1/1000": 0.001, "to_1/100": 0.01, "to_1/32": 1 / 32, "to_1/8": 0.125, "to_1/2": 0.5, "above_1/2": 0.9}
SIZE_ROWS = {"at most 1/1000 of the CPUs": "to_1/1000", "at most 1/100 of the CPUs": "to_1/100",
             "at most 1/32 of the CPUs": "to_1/32", "at most 1/8 of the CPUs": "to_1/8",
             "at most 1/2 of the CPUs": "to_1/2", "more than 1/2 of the CPUs": "above_1/2",
             "(nearly) the whole machine": "whole"}
GROUPS = {"class": "profile", "partition": "partition", "account": "account", "user": "user", "QOS": "qos",
          "reason": "pending_reason"}
FINAL = ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE", "PREEMPTED")
NAN = math.nan
faults = []
compared = collections.Counter()


def fault(text):
    faults.append(text)


def number(text):
    return float(text) if text else NAN


def same(a, b, relative=1e-6, absolute=0.0):
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) <= absolute + relative * max(abs(a), abs(b))


# ---- the run's folder ----


class Job:
    def __init__(self, row, cpus):
        self.row = row
        self.sent, self.start, self.end, self.release = (
            number(row[name]) for name in ("submission_time", "starting_time", "finish_time", "release_time_s"))
        self.latency, self.probe = number(row["submit_latency_s"]), number(row["probe_latency_s"])
        self.submit = round(self.sent + (0 if math.isnan(self.latency) else self.latency), 6)	# as all times are told
        self.asked = int(row["cpus"] or 0)
        self.cpus = int(row["allocated_cpus"] or 0) or self.asked
        self.size = size_of(self.asked or self.cpus, cpus)
        self.wait = max(0.0, self.start - self.sent) if self.start == self.start else NAN
        self.run = self.end - self.start
        self.queued = min(self.submit, self.start) if self.start == self.start else self.submit
        self.given = max(self.end, self.release) if self.release == self.release else self.end
        self.possible = not (self.end < self.start or self.release < self.end - 1 or self.start < self.sent - 1 or
                             self.end < 0)
        self.left = self.start if self.start == self.start else self.end	# the queue
        self.in_queue = self.submit == self.submit and (self.left == self.left or row["state"] not in FINAL)


def size_of(cpus, machine):
    share = cpus / machine
    if share >= 0.9:
        return "whole"
    return next(name for name, limit in SIZES.items() if share <= limit or name == "above_1/2")


class Run:
    def __init__(self, folder):
        with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
            self.summary = json.load(file)
        self.cpus = self.summary["cpus"]
        self.threshold = self.summary["bounded_slowdown_threshold_s"]
        with open(os.path.join(folder, "jobs.csv"), encoding="utf-8", newline="") as file:
            self.jobs = [Job(row, self.cpus) for row in csv.DictReader(file)]
        with open(os.path.join(folder, "series.csv"), encoding="utf-8", newline="") as file:
            self.samples = [{name: number(text) for name, text in row.items()} for row in csv.DictReader(file)]
        self.seen = [job for job in self.jobs if job.possible]
        times = [time for job in self.jobs for time in (job.submit, job.start, job.end, job.release) if time == time]
        self.period = max([1.0] + times)
        self.makespan = max([job.end for job in self.jobs if job.end == job.end], default=0)


# ---- the page ----


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.charts = {}
        # Progress of tasks has other columns: check-speculation.py computes it.
        for key, text in re.findall(r'data-name="run1-(?!progress-)([\w-]+)\.csv">(.*?)</pre>', self.text, re.S):
            curves = collections.defaultdict(list)
            for line in text.splitlines()[1:]:
                curve, x, y = line.split(",")
                curves[curve].append((float(x), number(y)))
            self.charts[key] = curves

    def rows(self, table):
        """The cells of each row of the table whose tag has these attributes: texts, or what a program reads there."""
        found = re.search(r"<table %s.*?</table>" % re.escape(table), self.text, re.S)
        for row in re.findall(r'<tr[^>]*><th scope="row">(.*?)</tr>', found[0] if found else "", re.S):
            yield [cell_value(cell) for cell in re.split(r"</t[hd]>(?:<td[^>]*>)?", row)[:-1]]


def cell_value(cell):
    value = re.search(r'<data value="([^"]*)"', cell)
    if value:
        return float(value[1])
    return html.unescape(re.sub(r"<(\w+)[^>]*></\1>|<small>.*</small>|<[^>]*>", "", cell))


UNITS = {"d": 86400, "h": 3600, "min": 60, "s": 1, "ms": 1e-3}


def shown_matches(value, text):
    """Is the text the value: rounded to its last digit, in a unit?  What is scaled has one of the page's scales."""
    parts = re.findall(r"(-?[\d,]+(?:\.\d+)?(?:e[-+]?\d+)?) ?(d|h|min|s|ms)?(?=[ ,.)]|$)", text)
    if parts and all(unit for _, unit in parts):
        sign = -1 if text.startswith("-") else 1
        shown = sign * sum(abs(float(part.replace(",", ""))) * UNITS[unit] for part, unit in parts)
        return abs(shown - value) <= half_digit(parts[-1][0]) * UNITS[parts[-1][1]] * 1.001
    first = re.match(r"-?[\d,]+(?:\.\d+)?(?:e[-+]?\d+)?", text)
    scales = (1, 100, 1000, 1e-3, 1e-6, 1 / 1024, 1 / 3600, 3600) if "%" not in text else (100, 1)
    return first and any(abs(float(first[0].replace(",", "")) - value * scale) <= half_digit(first[0]) * 1.001
                         for scale in scales)


def half_digit(text):
    mantissa, _, exponent = text.partition("e")
    return 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def shown_check(page):
    for value, text in re.findall(r'<data value="([^"]*)"[^>]*>(.*?)</data>', page.text, re.S):
        compared["numbers as they are shown"] += 1
        if not shown_matches(float(value), html.unescape(text).strip()):
            fault(f"shown as {text!r}, and {value} for programs")


# ---- charts ----


def points_compare(name, got, wanted, near_y=1e-6, near_x=NEAR_S, period=None):
    """The same points in the same order, or as many of them as a thinned curve over the period has."""
    compared["points of " + name.partition(" ")[0]] += len(got)
    if period and len(wanted) > POINTS_MAX:
        told = [[point for point in points if not math.isnan(point[1])] for points in (got, wanted)]
        thinned_compare(name, told[0], sorted(told[1]), period, is_step=False)
        return
    if len(got) != len(wanted):
        fault(f"{name}: {len(got)} points, not {len(wanted)}")
        return
    for (x, y), (wanted_x, wanted_y) in zip(got, wanted):
        if not same(x, wanted_x, 1e-9, near_x) or not same(y, wanted_y, near_y, 1e-9):
            fault(f"{name}: {y} at {x}, not {wanted_y} at {wanted_x}")
            return


def steps(changes):
    total, out = 0.0, [(0.0, 0.0)]
    for time, change in sorted(changes):
        total += change
        out.append((max(0.0, time), total))
    return out


def steps_value(curve, time):
    return curve[bisect.bisect_right(curve, (time, math.inf)) - 1][1]


def merged(curve):
    """One point for each moment, and none where nothing changes."""
    out = []
    for (x, y), (following, _) in zip(curve, [*curve[1:], (math.inf, 0)]):
        if x < following and (not out or not same(y, out[-1][1], 1e-9, 1e-7)):
            out.append((x, y))
    return out


def point_known(curve, x, y, slack, is_step):
    """Is it one of the curve's points, or lies it between those of a moment that is shorter than what times are told to?"""
    first, end = bisect.bisect_left(curve, (x - NEAR_S, -math.inf)), bisect.bisect_right(curve, (x + NEAR_S, math.inf))
    values = [value for _, value in curve[max(0, first - is_step):end]]
    if is_step:
        return bool(values) and min(values) - slack <= y <= max(values) + slack
    return any(abs(value - y) <= slack for value in values)


def part_compare(got, curve, begin, end, errors):
    """Has this part of the axis the least, the greatest and the last of its points?"""
    first = bisect.bisect_left(curve, (begin + NEAR_S, -math.inf))
    inside = curve[first:bisect.bisect_left(curve, (end - NEAR_S, -math.inf))]
    drawn = got[bisect.bisect_left(got, (begin - NEAR_S, -math.inf)):bisect.bisect_right(got, (end + NEAR_S, math.inf))]
    if not inside:
        return None
    slack = max(abs(y) for _, y in inside) * 1e-6 + 1e-6 + max(steps_value(errors, x) for x, _ in inside)
    least, greatest = min(y for _, y in inside), max(y for _, y in inside)
    if not drawn or min(y for _, y in drawn) > least + slack:
        return f"the least, {least}, is not there"
    if max(y for _, y in drawn) < greatest - slack:
        return f"the greatest, {greatest}, is not there"
    return None if drawn[-1][0] >= inside[-1][0] - NEAR_S else f"the last, {inside[-1]}, is not there"


def thinned_compare(name, got, curve, period, errors=((0.0, 0.0),), is_step=True):
    """A curve of which each part of the axis has but the least, the greatest and the last point."""
    compared["thinned curves"] += 1
    if len(got) > 3 * (PARTS + 1) or got != sorted(got, key=lambda point: point[0]):
        fault(f"{name}: {len(got)} points, of a curve that is thinned, or not in the order of time")
    for x, y in got:
        if not point_known(curve, x, y, 1e-6 * abs(y) + 1e-6 + steps_value(errors, x), is_step):
            fault(f"{name}: {y} at {x} is no point of the run")
            return
    ordered = sorted(got)
    for part in range(PARTS):
        wrong = part_compare(ordered, curve, part * period / PARTS, (part + 1) * period / PARTS, errors)
        if wrong:
            fault(f"{name}: from {part * period / PARTS:.6f}: {wrong}")
            return


def steps_compare(name, got, changes, period, errors=()):
    """Two curves of steps have the same value in the middle between each two neighbouring steps of both."""
    wanted, wrong = steps(changes), steps(errors)
    compared["points of " + name] += len(got)
    if not got or got[0] != (0, 0) or not same(got[-1][0], period, 1e-9, NEAR_S):
        fault(f"{name}: begins with {got[:1]}, ends with {got[-1:]}, and not at 0 and {period}")
        return
    drawn = merged(wanted)
    if len(drawn) > POINTS_MAX - 20:	# the page may count more, where moments are a part of a millionth apart
        thinned_compare(name, got, [*drawn, (period, drawn[-1][1])], period, wrong)
        return
    times = sorted({x for x, _ in got} | {x for x, _ in wanted} | {period})
    for middle in [(a + b) / 2 for a, b in zip(times, times[1:]) if b - a > 3 * NEAR_S and b <= period + NEAR_S]:
        page, run = steps_value(got, middle), steps_value(wanted, middle)
        if not same(page, run, 1e-6, 1e-6 + steps_value(wrong, middle)):
            fault(f"{name}: {page} at {middle:.6f}, not {run}")
            return


def spans(jobs, begin, end, value):
    """[(time, change)] of what is there from each job's 'begin' to its 'end'."""
    out = []
    for job in jobs:
        if getattr(job, begin) == getattr(job, begin):
            out.append((getattr(job, begin), value(job)))
            if getattr(job, end) == getattr(job, end):
                out.append((getattr(job, end), -value(job)))
    return out


def charts_steps(run, charts):
    queued = [job for job in run.seen if job.in_queue]
    gpus = spans(run.seen, "start", "end", lambda job: int(job.row["allocated_gpus"] or 0))
    steps_compare("busy", charts.pop("busy")["busy"], spans(run.seen, "start", "end", lambda job: 100 * job.cpus / run.cpus),
                  run.period)
    queue = charts.pop("queue")
    steps_compare("queue waiting", queue["waiting"], spans(queued, "queued", "left", lambda job: 1), run.period)
    steps_compare("queue running", queue["running"], spans(run.seen, "start", "end", lambda job: 1), run.period)
    if "gpus" in charts or any(change for _, change in gpus):
        steps_compare("gpus", charts.pop("gpus", {"gpus": []})["gpus"], gpus, run.period)
    completing_check(run, charts)


def completing_check(run, charts):
    """A job's node seconds evenly from its end to its last release; of short spans six decimals leave fewer digits."""
    jobs = [job for job in run.seen if number(job.row["completing_node_s"]) > 0 and job.release > job.end]
    if not jobs and "completing" not in charts:
        return
    changes, errors = [], []
    for job in jobs:
        node_s, span = number(job.row["completing_node_s"]), job.release - job.end
        error = 2e-6 * (node_s / span + int(job.row["released_nodes"] or 0)) / span
        changes += [(job.end, node_s / span), (job.release, -node_s / span)]
        errors += [(job.end, error), (job.release, -error)]
    steps_compare("completing", charts.pop("completing", {"completing": []})["completing"], changes, run.period, errors)


def distribution_check(name, got, values, near=NEAR_S, relative=1e-9):
    """All values, or so many quantiles of them: each between the shares of values below it and up to it."""
    values = sorted(value for value in values if math.isfinite(value))
    count = len(values)
    if 0 < count <= QUANTILES:
        wanted = [(values[0], 0)] + [(value, 100 * (i + 1) / count) for i, value in enumerate(values)]
        points_compare(name, got, wanted, near_x=near + relative * values[-1])
        return
    compared["points of " + name.partition(" ")[0]] += len(got)
    if not count or len(got) != QUANTILES + 1 or got[0][1] != 0 or not same(got[-1][1], 100):
        fault(f"{name}: {len(got)} points of {count} values, from {got[:1]} to {got[-1:]}")
        return
    for (_, before), (x, y) in zip(got, got[1:]):
        low = 100 * bisect.bisect_left(values, x - near - relative * x) / count
        high = 100 * bisect.bisect_right(values, x + near + relative * x) / count
        if not low - 1e-5 <= y <= high + 1e-5 or y - before > 100 / (QUANTILES - 1) + 200 / count:
            fault(f"{name}: {y} % have at most {x}, and not {low} to {high} %")
            return


def distributions_check(run, charts):
    turnaround = [job.wait + job.run for job in run.jobs]
    slowdown = [max(1.0, (job.wait + job.run) / max(run.threshold, job.run)) for job in run.jobs if math.isfinite(job.run)]
    for key, values in {"cdf-submission": [max(0.0, job.sent) for job in run.jobs if job.sent == job.sent],
                        "cdf-wait": [job.wait for job in run.jobs], "cdf-turnaround": turnaround}.items():
        distribution_check(key, charts.pop(key)["jobs"], values)
    distribution_check("cdf-slowdown", charts.pop("cdf-slowdown")["jobs"], slowdown, NEAR_S * max(1, 1 / run.threshold),
                       NEAR_S / run.threshold)
    by_size = charts.pop("cdf-wait-size")
    for size in [*SIZES, "whole"]:
        waits = [job.wait for job in run.jobs if job.size == size and job.wait == job.wait]
        if waits or by_size[size]:
            distribution_check("cdf-wait-size " + size, by_size[size], waits)


def touched_check(run, charts, leaf):
    """Leaf switches that each job touched by the least that could hold its nodes; not of the whole machine."""
    times = []
    for job in run.jobs:
        nodes = [node for part in job.row["allocated_resources"].split() for node in nodes_of(part)]
        if nodes and len(nodes) < run.summary["nodes"]:
            times.append(len({node // leaf for node in nodes}) / math.ceil(len(nodes) / leaf))
    distribution_check("placement-times", charts.pop("placement-times")["jobs"], times)


def nodes_of(part):
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)


def nice(value):
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if value <= step * power * (1 + 1e-9))


def rates_check(run, page, charts):
    width, rates = nice(run.period / 120), charts.pop("rates-chart")
    if f"over each {width:g} s" not in page.text:
        fault(f"rates: the page does not say that they are over each {width:g} s")
    started = [job for job in run.seen if job.start == job.start]
    for curve, times in {"submitted": [job.queued for job in run.seen if job.in_queue],
                         "started": [job.start for job in started], "ended": [job.end for job in started]}.items():
        times = sorted(max(0.0, time) for time in times if time == time)
        rate_check("rates " + curve, rates[curve], times, width, run.period)


def rate_check(name, got, times, width, period):
    """Each part of the time: as many as lie in it; what lies within NEAR_S of its edge may count to the next."""
    compared["points of " + name] += len(got)
    for i, (x, y) in enumerate(got[:-1]):
        to = math.inf if i == len(got) - 2 else x + width
        low = bisect.bisect_left(times, to - NEAR_S) - bisect.bisect_right(times, x + NEAR_S)
        high = bisect.bisect_right(times, to + NEAR_S) - bisect.bisect_left(times, x - NEAR_S)
        if not same(x, i * width, 1e-9, NEAR_S) or not low * (1 - 1e-6) <= y * width <= high * (1 + 1e-6):
            fault(f"{name}: {y * width:g} in {width:g} s from {x}, not {low} to {high}")
            return
    parts = {math.ceil((period + error) / width) for error in (-NEAR_S, NEAR_S)}
    if len(got) - 1 not in parts or not same(got[-1][0], period, 1e-9, NEAR_S):
        fault(f"{name}: {len(got)} points, to {got[-1:]} of {period}")
    if not same(sum(y for _, y in got) * width, len(times), 1e-5):
        fault(f"{name}: {sum(y for _, y in got) * width:g} in all, not {len(times)}")


# ---- the controller ----


def grown(now, before, name):
    return now[name] - before[name] if now[name] >= before[name] else NAN


def mean_ms(now, before):
    count = grown(now, before, "rpc_count")
    return grown(now, before, "rpc_time_us") / count / 1000 if count > 0 else NAN


def per_second(name, scale):
    def rate(now, before):
        passed = now["time_s"] - before["time_s"]
        return scale * grown(now, before, name) / passed if passed > 0 else NAN
    return rate


CONTROLLER = {
    "controller-cpu": {"cpu": per_second("controller_cpu_s", 100)},
    "rpcs": {"rpcs": per_second("rpc_count", 1)},
    "cycles": {"rpc_mean": mean_ms, "main_cycle": lambda now, before: now["schedule_cycle_last_us"] / 1000,
               "backfill_cycle": lambda now, before: now["backfill_cycle_last_us"] / 1000},
    "scheduling": {"main": per_second("schedule_cycle_sum_us", 1e-4), "backfill": per_second("backfill_cycle_sum_us", 1e-4)},
}


def controller_check(run, charts):
    pairs = list(zip(run.samples, run.samples[1:]))
    shortest = min((now["time_s"] - before["time_s"] for before, now in pairs), default=1)
    for key, rates in CONTROLLER.items():
        curves = {name: [(max(0.0, before["time_s"]), rate(now, before)) for before, now in pairs]
                  for name, rate in rates.items()}
        if not any(y > 0 for points in curves.values() for _, y in points):
            continue
        drawn = charts.pop(key, collections.defaultdict(list))
        for name, points in curves.items():
            last = [(max(0.0, run.samples[-1]["time_s"]), points[-1][1])]
            points_compare(f"{key} {name}", drawn[name], points + last, 1e-6 + 2e-6 / max(shortest, 1e-3),
                           period=run.period)


def pending_check(run, charts):
    wanted = {name: [(sample["time_s"], sample["pending_" + name]) for sample in run.samples]
              for name in ("priority", "resources", "dependency", "limit", "other")}
    wanted = {name: points for name, points in wanted.items() if any(y > 0 for _, y in points)}
    if wanted or "pending-chart" in charts:
        drawn = charts.pop("pending-chart", collections.defaultdict(list))
        for name in {*wanted, *drawn}:
            points_compare(f"pending-chart {name}", drawn[name], wanted.get(name, []), period=run.period)


def latencies_check(run, charts):
    """Points of jobs: those of one moment in any order."""
    wanted = {"submission": [(max(0.0, job.queued), 1000 * job.latency) for job in run.seen if job.latency >= 0],
              "probe": [(max(0.0, job.start), 1000 * job.probe) for job in run.seen if job.probe >= 0]}
    if not any(y > 0 for points in wanted.values() for _, y in points):
        return
    drawn = charts.pop("latencies", collections.defaultdict(list))
    for name, points in wanted.items():
        left = sorted(points)
        compared["points of latencies"] += len(drawn[name])
        if len(points) > POINTS_MAX:
            thinned_compare(f"latencies {name}", drawn[name], left, run.period, is_step=False)
            continue
        for x, y in drawn[name]:
            first = bisect.bisect_left(left, (x - NEAR_S, -math.inf))
            match = next((i for i in range(first, len(left)) if same(left[i][1], y, 1e-6, 1e-9)), None)
            if match is None or left[match][0] > x + NEAR_S:
                fault(f"latencies {name}: {y} at {x} is of no job")
                break
            del left[match]
        else:
            if left:
                fault(f"latencies {name}: {left[0]} is missing, of {len(left)}")


# ---- nodes and what they cost ----

STATES = ("busy", "idle", "booting", "stopping", "off")
MACHINES = {"booting": "booting", "up": "on", "stopping": "stopping", "off": "off", "failed": "off", "stock-out": "off"}
TARIFF = {"": "paid", "price": NAN, "unit": 1.0, "minimum": 0.0, "boot": "paid", "stop": "paid", "idle-watts": NAN,
          "busy-watts": NAN, "boot-watts": None, "stop-watts": None, "off-watts": 0.0}


def hosts(text):
    """The names of a host list with at most one bracket in each name."""
    for name in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", text):
        prefix, bracket, ranges = name.partition("[")
        for part in ranges.rstrip("]").split(",") if bracket else [""]:
            first, dash, last = part.partition("-")
            if not dash:
                yield prefix + part
            else:
                yield from (f"{prefix}{number:0{len(first)}d}" for number in range(int(first), int(last) + 1))


class Power:
    """What the folder says of the machines of nodes, and of tariffs."""

    def __init__(self, folder, run):
        path = os.path.join(folder, "power.csv")
        self.there, self.rows, self.busy = os.path.exists(path), collections.defaultdict(list), collections.defaultdict(list)
        begin = run.summary["begin_s"]
        if self.there:
            with open(path, encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    self.rows[row["node"]].append((float(row["time_s"]) - begin, row["event"]))
        self.settings = self.settings_of(os.path.join(folder, "scenario.json"))
        self.end = max([job.given for job in run.jobs if job.given == job.given], default=0)
        for job in run.jobs:
            for name in hosts(job.row["node_list"]) if job.start == job.start else []:
                self.busy[name].append((job.start, job.given if job.given == job.given else self.end))
        self.classes, tariffs = {None: set()}, {None: {}}
        for text in self.settings:
            name, _, value = text.partition("=")
            nodes, _, key = name.rpartition(":")
            tariffs.setdefault(nodes or None, {})[key] = value if key in ("boot", "stop") else float(value)
            self.classes.setdefault(nodes or None, set(hosts(nodes)))
        self.tariffs = {nodes: {**TARIFF, **tariffs[None], **tariff} for nodes, tariff in tariffs.items()}
        named = set(self.rows) | set(self.busy) | set().union(*self.classes.values())
        others = {f" {number}" for number in range(run.summary["nodes"] - len(named))}
        self.classes[None] = (named | others) - set().union(*self.classes.values())
        self.nodes = {name: self.pieces(name) for name in named | others}

    @staticmethod
    def settings_of(path):
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return json.load(file)["options"].get("cost", [])

    def pieces(self, name):
        """[(from, to, state)] of a node; a machine that was off for no time has a piece of no length."""
        machine, at, out = "on", 0.0, []
        for time, event in self.rows.get(name, []) + [(self.end, None)]:
            after = MACHINES.get(event, machine)
            if event is not None and (after == machine or time >= self.end):
                continue
            if time > 0:
                out += self.on(name, at, time) if machine == "on" else [(at, time, machine)]
                at = time
            machine = after
        return out

    def on(self, name, begin, end):
        out = []
        for start, stop in sorted(self.busy.get(name, [])):
            start, stop = max(start, begin), min(stop, end)
            if stop > start:
                out += [(begin, start, "idle"), (start, stop, "busy")]
                begin = stop
        return [piece for piece in out + [(begin, end, "idle")] if piece[1] > piece[0]]

    def sums(self, nodes):
        """Of a class: node hours in each state; units, hours billed, cost, kWh; the same with all nodes on all the time."""
        tariff, watts = self.tariffs[nodes], {}
        for state, key in {"busy": "busy", "idle": "idle", "booting": "boot", "stopping": "stop", "off": "off"}.items():
            watts[state] = tariff["idle-watts"] if tariff[key + "-watts"] is None else tariff[key + "-watts"]
        spent, units = dict.fromkeys(STATES, 0.0), 0.0
        for name in self.classes[nodes]:
            paid = 0.0
            for begin, end, state in self.nodes[name] + [(0, 0, "off")]:
                spent[state] += end - begin
                if state == "off":
                    units, paid = units + self.units(tariff, paid), 0.0
                elif tariff[{"booting": "boot", "stopping": "stop"}.get(state, "")] != "free":
                    paid += end - begin
        count, always = len(self.classes[nodes]), len(self.classes[nodes]) * self.units(tariff, self.end)
        energy = sum(watts[state] * spent[state] for state in STATES) / 3.6e6
        all_on = (watts["busy"] * spent["busy"] + watts["idle"] * (count * self.end - spent["busy"])) / 3.6e6
        money = [value for number, kwh in ((units, energy), (always, all_on))
                 for value in (number, number * tariff["unit"], number * tariff["unit"] / 3600 * tariff["price"], kwh)]
        return spent, money

    @staticmethod
    def units(tariff, paid):
        return math.ceil(round(max(paid, tariff["minimum"]) / tariff["unit"], 9)) if paid > 1e-7 else 0

    def boots(self, nodes):
        """Begun, come to nothing, stock-outs, and machines that were taken back."""
        begun = lost = none = taken = 0
        for name in self.classes[nodes]:
            machine = "on"
            for time, event in self.rows.get(name, []):
                after = MACHINES.get(event, machine)
                if 0 <= time <= self.end:
                    begun, none = begun + (event == "booting"), none + (event == "stock-out")
                    taken += event == "taken"
                    lost += machine == "booting" and after not in ("booting", "on")
                machine = after
        return [begun, lost, none, taken]


def power_charts_check(run, power, charts):
    drawn = charts.pop("power", collections.defaultdict(list))
    for state in STATES:
        changes = [change for pieces in power.nodes.values() for begin, end, what in pieces if what == state and end > begin
                   for change in ((begin, 1), *([(end, -1)] if end < power.end else []))]
        if changes or drawn[state]:
            steps_compare("power " + state, [(0.0, 0.0)] * (drawn[state] != []) + drawn[state], changes, power.end)
    drawn = charts.pop("power-slurm", collections.defaultdict(list))
    for key in "powered_down", "powering_up", "powering_down":
        wanted = [(sample["time_s"], sample["nodes_" + key]) for sample in run.samples]
        if drawn[key] or believed_node_s(run, power, key) > 0:
            points_compare("power-slurm " + key, drawn[key], wanted)


def believed_node_s(run, power, key):
    times = [sample["time_s"] for sample in run.samples[1:]] + [power.end]
    return sum(sample["nodes_" + key] * max(0.0, min(until, power.end) - sample["time_s"])
               for sample, until in zip(run.samples, times) if sample["nodes_" + key] == sample["nodes_" + key])


def zeros(cells):
    return [NAN if cell == "not known" else cell for cell in cells]


def numbers_compare(name, got, wanted):
    compared["rows of " + name.partition(":")[0]] += 1
    got = zeros(got)
    if len(got) != len(wanted) or not all(isinstance(a, float) and same(a, b, 1e-6, 1e-3) for a, b in zip(got, wanted)):
        fault(f"{name}: {got}, not {wanted}")


def power_check(run, page, folder, charts):
    power = Power(folder, run)
    if not power.there and not power.settings:
        return
    power_charts_check(run, power, charts)
    names = {nodes or ("all others" if len(power.classes) > 1 else "all"): nodes for nodes in power.classes}
    hours, money = ({row[0]: row[1:] for row in page.rows(f'class="{table}"')} for table in ("node-hours", "money"))
    if hours.keys() != names.keys() or money.keys() != names.keys():
        fault(f"classes of nodes: {sorted(hours)}, {sorted(money)}, not {sorted(names)}")
    all_spent = dict.fromkeys(STATES, 0.0)
    for name, nodes in names.items():
        spent, bill = power.sums(nodes)
        all_spent = {state: all_spent[state] + spent[state] for state in STATES}
        numbers_compare(f"node hours: {name}", hours.get(name, []),
                        [len(power.classes[nodes]), *spent.values(), *power.boots(nodes)])
        numbers_compare(f"costs of nodes: {name}", money.get(name, []), bill)
    for (name, *row), (state, key) in zip(page.rows('class="beliefs"'), (("off", "powered_down"), ("booting", "powering_up"),
                                                                       ("stopping", "powering_down"))):
        numbers_compare(f"what Slurm believed: {name}", row, [all_spent[state], believed_node_s(run, power, key)])
    for state in STATES:
        row_compare(f"figures of nodes: {state}", [run.summary[f"node_{state}_s"]], [all_spent[state]])


# ---- tables ----


def quantile(values, share):
    at = share * (len(values) - 1)
    below = math.floor(at)
    return values[below] + (at - below) * (values[min(below + 1, len(values) - 1)] - values[below])


def waits_row(run, jobs):
    waits = sorted(job.wait for job in jobs if job.wait == job.wait)
    cpu_s = sum(job.cpus * job.run for job in jobs if job.run >= 0)
    return [len(waits), cpu_s / run.cpus / run.makespan, quantile(waits, 0.5), sum(waits) / len(waits), quantile(waits, 0.9),
            waits[-1]]


def row_compare(name, got, wanted):
    compared["rows of " + name.partition(":")[0]] += 1
    if len(got) != len(wanted) or not all(isinstance(a, float) and same(a, b, 1e-5, NEAR_S) for a, b in zip(got, wanted)):
        fault(f"{name}: {got}, not {wanted}")


def waits_check(run, page):
    by = {"size": {name: [job for job in run.jobs if job.size == size] for name, size in SIZE_ROWS.items()}}
    for name, column in GROUPS.items():
        words = {job.row[column] for job in run.jobs} - {""}
        if len(words) > 1:
            by[name] = {word: [job for job in run.jobs if job.row[column] == word] for word in words}
    for name, groups in by.items():
        groups = {word: jobs for word, jobs in groups.items() if any(job.wait == job.wait for job in jobs)}
        rows = {row[0]: row[1:] for row in page.rows(f'class="waits" data-by="{name}"')}
        if rows.keys() != groups.keys():
            fault(f"waits by {name}: rows {sorted(rows)}, not {sorted(groups)}")
        for word in rows.keys() & groups.keys():
            row_compare(f"waits by {name}: {word}", rows[word], waits_row(run, groups[word]))
    shown = set(re.findall(r'class="waits" data-by="(\w+)"', page.text))
    if shown != by.keys():
        fault(f"waits by {sorted(shown)}, not by {sorted(by)}")
    size_sentence_check(run, page)


def size_sentence_check(run, page):
    words = re.search(r"half of the largest waited longer than <data value=\"([^\"]*)\".*?"
                      r"half of the smallest longer than <data value=\"([^\"]*)\"", page.text)
    sizes = [size for size in [*SIZES, "whole"] if any(job.size == size and job.wait == job.wait for job in run.jobs)]
    if len(sizes) < 2:
        return
    medians = [quantile(sorted(job.wait for job in run.jobs if job.size == size and job.wait == job.wait), 0.5)
               for size in (sizes[-1], sizes[0])]
    row_compare("sentence about sizes", [float(word) for word in words.groups()] if words else [], medians)


def costs_check(run, page):
    for cost, row in zip(run.summary.get("rpc_costs", [])[:12], page.rows('class="costs"')):
        count, total_us = cost["count"], cost["total_us"]
        row_compare(f"costs of messages: {row[0]}", row[1:], [count, total_us, total_us / count])


def shares_check(run, page):
    """Columns that follow from others: CPU hours of a loss from its points, a reason's share from its hours."""
    hours = run.cpus * run.makespan / 3600
    for name, points, cpu_h, *_ in page.rows('class="losses"'):
        row_compare(f"losses: {name}", [cpu_h], [points / 100 * hours])
    waited = sum(max(0.0, (job.left if job.left == job.left else run.period) - job.sent)
                 for job in run.jobs if job.sent == job.sent)
    for name, wait_h, share, *_ in page.rows('class="pending"'):
        row_compare(f"reasons: {name}", [share], [wait_h * 3600 / waited])
    cpu_s, makespan_s = run.summary["controller_cpu_s"], run.summary["makespan_s"]
    percent = re.search(r'of a CPU \(<data value="([^"]*)">', page.text)
    if cpu_s is not None and makespan_s:
        row_compare("sentence about the controller", [float(percent[1])] if percent else [], [cpu_s / makespan_s])


def figures_check(run, page):
    """What has a key of summary.json is what that says; what the first sentences and tiles say of losses is the table's."""
    # A row of node hours or of costs is of one class of nodes, not of all (power_check compares them).
    text = re.sub(r'<table class="(?:node-hours|money)".*?</table>', "", page.text, flags=re.S)
    told = {(key, value) for value, key in re.findall(r'<data value="([^"]*)" data-key="([^"]*)"', text)}
    for key, value in sorted(told):
        known = run.summary.get(key)
        if isinstance(known, (int, float)) and not isinstance(known, bool):
            row_compare(f"figures: {key}", [float(value)], [known])
    points = {name: share for name, share, *_ in page.rows('class="losses"')}
    idle = points.pop("all idle time", NAN)
    largest = max(points.values(), default=NAN)
    wanted = {"largest_loss_points": [largest], "next_loss_points": list(points.values()),
              "fitted_points": [points.get("a waiting job fitted", 0.0)], "idle_points": [idle]}
    for key, value in sorted(told):
        if key in wanted:
            compared["rows of what is said of losses"] += 1
            if not any(same(float(value), known, 1e-5, 1e-9) for known in wanted[key]):
                fault(f"{key}: {value}, not {wanted[key]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--except", action="append", default=[], dest="skipped")
    parser.add_argument("--leaf", type=int)
    parser.add_argument("page")
    parser.add_argument("run")
    args = parser.parse_args()
    page, run = Page(args.page), Run(args.run)
    charts = {key: curves for key, curves in page.charts.items() if key not in args.skipped}
    for check in charts_steps, distributions_check, controller_check, pending_check, latencies_check:
        check(run, charts)
    rates_check(run, page, charts)
    power_check(run, page, args.run, charts)
    if args.leaf:
        touched_check(run, charts, args.leaf)
    for key in charts:
        fault(f"chart {key}: nothing here computes what it should show")
    for check in waits_check, costs_check, shares_check, figures_check:
        check(run, page)
    rows, wrong = idle_pieces.pieces_check(run, page)
    compared["longest pieces of losses"] += rows
    for line in wrong:
        fault(line)
    shown_check(page)
    for what, count in compared.items():
        print(f"{count} {what}")
    for line in faults[:20]:
        print(f"fault: {line}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
