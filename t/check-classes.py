#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check-classes.py FOLDER JSON PAGE: who waits longer in an experiment, and who less: is it what its runs say?

From jobs.csv of each run the mean waits of each class (all, partition, QOS, account, size), the mean differences over the
pairs of runs of one seed, their 95 % intervals and the verdicts are computed here anew, and compared with what 'windtunnel
experiment compare --json' and the page say.  Prints what was compared; exit status 1 and one line for each fault (the first
20) when something is wrong."""
import collections
import csv
import glob
import html
import importlib
import json
import math
import os
import re
import sys

page_check, side_check = importlib.import_module("check-page"), importlib.import_module("check-side")
fault, compared = page_check.fault, page_check.compared
KINDS = ("all", "partition", "qos", "account", "size")
SIZES = ((1, "1 CPU"), (8, "2 to 8"), (32, "9 to 32"), (128, "33 to 128"), (512, "129 to 512"), (2048, "513 to 2048"))


def jobs_of(folder):
    """{id: (values of the kinds, wait)} of one run."""
    jobs = {}
    with open(os.path.join(folder, "jobs.csv"), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            cpus = int(row["cpus"])
            size = next((name for most, name in SIZES if cpus <= most), "more than 2048")
            wait = math.nan
            if row["starting_time"]:
                wait = max(0.0, float(row["starting_time"]) - float(row["submission_time"]))
            kinds = {"all": "", "partition": row["partition"], "qos": row["qos"], "account": row["account"], "size": size}
            jobs[row["trace_job_id"] or row["name"]] = (kinds, wait)
    return jobs


def runs_of(folder):
    """{seed: the jobs of its run} of a case."""
    runs = {}
    for path in glob.glob(os.path.join(folder, "[0-9]*", "summary.json")):
        with open(path, encoding="utf-8") as file:
            runs[json.load(file)["seed"]] = jobs_of(os.path.dirname(path))
    return runs


def classes_of(first, here):
    """{(kind, value): [(mean there, mean here, jobs) of each pair]}"""
    classes = collections.defaultdict(list)
    for seed in sorted(set(first) & set(here)):
        waits = collections.defaultdict(list)
        for name, (kinds, wait) in first[seed].items():
            other = here[seed].get(name, (None, math.nan))[1]
            for kind in KINDS:
                if not math.isnan(wait + other):
                    waits[kind, kinds[kind]].append((wait, other))
        for key, pairs in waits.items():
            classes[key].append((side_check.mean(a for a, _ in pairs), side_check.mean(b for _, b in pairs), len(pairs)))
    for kind in KINDS[1:]:
        if len([key for key in classes if key[0] == kind]) == 1:
            del classes[next(key for key in classes if key[0] == kind)]
    return classes


def half_of(differences):
    if len(differences) < 2:
        return math.nan
    return side_check.t95(len(differences) - 1) * math.sqrt(side_check.variance(differences) / len(differences))


def verdict_of(mean, half, p_holm):
    if math.isnan(half):
        return "unknown"
    if abs(mean) + half < 1e-3:
        return "same"
    if abs(mean) <= half or abs(mean) < 1e-3 or not p_holm < 0.05:
        return "open"
    return "longer" if mean > 0 else "shorter"


def near(a, b):
    """jobs.csv has microseconds."""
    return page_check.same(math.nan if a is None else a, b, 1e-9, 1e-5)


def group_check(name, group, pairs):
    where = f"{name}: {group['by']} {group['value']}"
    differences = [here - first for first, here, _ in pairs]
    mean, half = side_check.mean(differences), half_of(differences)
    said = group["difference"]
    for what, value, wanted in (("there", group["first_mean_s"], side_check.mean(pair[0] for pair in pairs)),
                                ("here", group["here_mean_s"], side_check.mean(pair[1] for pair in pairs)),
                                ("difference", said["mean_s"], mean), ("interval", said["ci95_s"], half),
                                ("jobs", group["jobs"], sum(pair[2] for pair in pairs))):
        compared["numbers of classes"] += 1
        if not near(value, wanted):
            fault(f"{where}: {what} is {value}, not {wanted}")
    wanted = verdict_of(mean, half, math.nan if said["p_holm"] is None else said["p_holm"])
    if group["verdict"] != wanted:
        fault(f"{where}: {group['verdict']}, not {wanted}")
    if said["p"] is not None and said["p_holm"] < said["p"]:
        fault(f"{where}: corrected {said['p_holm']} is less than {said['p']}")


def holm_check(name, groups):
    """Of each kind."""
    for kind in KINDS:
        known = sorted((group["difference"]["p"], group["difference"]["p_holm"]) for group in groups
                       if group["by"] == kind and group["difference"]["p"] is not None)
        most = 0.0
        for i, (p, p_holm) in enumerate(known):
            most = min(1.0, max(most, p * (len(known) - i)))
            compared["corrected p"] += 1
            if not page_check.same(p_holm, most, 1e-9, 1e-12):
                fault(f"{name}: {kind}: {p} corrected is {p_holm}, not {most}")


def case_check(folder, case, first, text):
    classes = classes_of(first, runs_of(os.path.join(folder, case["folder"])))
    groups = case["waits_by_class"]["groups"]
    said = {(group["by"], group["value"]) for group in groups}
    if said != set(classes):
        fault(f"{case['name']}: classes {sorted(said)}, not {sorted(classes)}")
    for group in groups:
        if (group["by"], group["value"]) in classes:
            group_check(case["name"], group, classes[group["by"], group["value"]])
    holm_check(case["name"], groups)
    table = re.search(r'<table class="differences classes" data-case="%s">.*?</table>' %
                      re.escape(html.escape(case["name"])), text, re.S)
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", table[0] if table else "", re.S)
    if len(rows) != (len(groups) if len(groups) > 1 else 0):
        fault(f"{case['name']}: {len(rows)} rows on the page, not {len(groups)}")
        return
    for group, row in zip(groups, rows):
        values = {key: float(value) for value, key in re.findall(r'<data value="([^"]*)" data-key="(\w+)">', row)}
        wanted = {"first_mean_s": group["first_mean_s"], "here_mean_s": group["here_mean_s"],
                  "mean": group["difference"]["mean_s"]}
        if group["difference"]["ci95_s"] is not None:
            wanted["low"] = wanted["mean"] - group["difference"]["ci95_s"]
            wanted["high"] = wanted["mean"] + group["difference"]["ci95_s"]
        for key, value in wanted.items():
            compared["numbers of the page"] += 1
            if not page_check.same(values.get(key, math.nan), value, 1e-9, 1e-9):
                fault(f"{case['name']}: {group['by']} {group['value']}: {key} on the page is {values.get(key)}, not {value}")
        if ("<b>clear</b>" in row) != (group["verdict"] in ("longer", "shorter")):
            fault(f"{case['name']}: {group['by']} {group['value']}: clear on the page, or not, and {group['verdict']}")


def main():
    folder, told, page = sys.argv[1:]
    with open(told, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    folders = {case["name"]: case["folder"] for case in cases}
    for case in cases:
        if case["beside"] is not None:
            compared["cases"] += 1
            case_check(folder, case, runs_of(os.path.join(folder, folders[case["beside"]])), text)
    for what, count in compared.items():
        print(f"{count} {what}")
    for line in page_check.faults[:20]:
        print(f"fault: {line}")
    return 1 if page_check.faults else 0


if __name__ == "__main__":
    sys.exit(main())
