# SPDX-License-Identifier: GPL-2.0-or-later
"""odd-runs.py RUN DIR: copies of a run's folder, each odd in one way, below DIR; prints their names."""
import csv
import os
import shutil
import sys

TIMES = ("starting_time", "finish_time", "release_time_s", "waiting_time", "turnaround_time", "execution_time", "stretch")


def changed(rows, **values):
    return [{**row, **values} for row in rows]


def blank(rows):
    nothing = {name: "" for name in (*TIMES, "allocated_resources", "node_list")}
    return changed(rows, state="CANCELLED", success="0", **nothing)


def turned(rows, name, values):
    return [{**row, name: values[i % len(values)]} for i, row in enumerate(rows)]


ODD_JOBS = {
    "none": lambda rows: [],
    "one": lambda rows: rows[:1],
    "two-at-once": lambda rows: changed(rows[:2], submission_time="0", starting_time="0", finish_time="0"),
    "all-failed": lambda rows: changed(rows, state="FAILED", success="0", exit_code="1"),
    "no-time-at-all": lambda rows: [{**row, "finish_time": row["starting_time"]} for row in rows],
    "never-started": blank,
    "one-never-started": lambda rows: blank(rows[:1]),
    "run-still": lambda rows: changed(rows, state="RUNNING", finish_time="", release_time_s=""),
    "no-number": lambda rows: turned(rows, "starting_time", ["nan", "inf", "-inf", "1"]),
    "huge-times": lambda rows: turned(rows, "finish_time", ["1e300", "4e18", "1e12", "2"]),
    "huge-sizes": lambda rows: turned(rows, "allocated_cpus", ["4294967295", "0", "1"]),
    "no-nodes-told": lambda rows: changed(rows, allocated_resources="", node_list=""),
    "same-name": lambda rows: changed(rows, name="x"),
    "no-names": lambda rows: changed(rows, name="", profile="", user="", account="", partition="", qos=""),
    "long-names": lambda rows: turned(rows, "name", ["y" * 65536, "\u4e2d" * 21845, "\u202e<b>" * 300]),
    "long-groups": lambda rows: [{**row, "account": "a" * 2000 + str(i), "qos": "\x07\x1b[31m" + "q" * 500,
                                  "partition": "\u202e<img src=x onerror=alert(1)>" * 40} for i, row in enumerate(rows)],
}


def jobs_write(path, make):
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows, names = list(reader), reader.fieldnames
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, names, lineterminator="\n")
        out.writeheader()
        out.writerows(make(rows))


def cut(path, lines=None):
    """To so many lines, or in the middle of one."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(text.splitlines(True)[:lines]) if lines else text[:len(text) // 2])


def main(run, below):
    def copy(name):
        where = os.path.join(below, name)
        shutil.copytree(run, where)
        print(name)
        return where
    for name, make in ODD_JOBS.items():
        jobs_write(os.path.join(copy(name), "jobs.csv"), make)
    for lines in 1, 2:
        cut(os.path.join(copy(f"{lines}-line-of-series"), "series.csv"), lines)
    for file in "jobs.csv", "series.csv", "topology.conf", "slurm.conf":
        cut(os.path.join(copy("cut-" + file.partition(".")[0]), file))
        os.unlink(os.path.join(copy("without-" + file.partition(".")[0]), file))
    where = copy("unfinished")
    os.unlink(os.path.join(where, "summary.json"))


main(*sys.argv[1:])
