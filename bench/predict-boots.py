# SPDX-License-Identifier: GPL-2.0-or-later
"""bench/predict-boots.py DIR - how far predictions of bench/predict-boots are from what was observed."""
import csv
import json
import os
import sys

KINDS = ("blind", "no-walltimes", "no-boottimes", "best")
FIGURES = ("makespan", "schederror", "uptime", "usage")


def run_read(folder):
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    with open(os.path.join(folder, "jobs.csv"), encoding="utf-8", newline="") as file:
        nodes = {row["name"]: row["node_list"] for row in csv.DictReader(file)}
    # As the thesis has it, without the boots.
    uptime = summary["node_busy_s"] + summary["node_idle_s"]
    return {"makespan": summary["makespan_s"], "uptime": uptime, "usage": summary["node_busy_s"] / uptime, "nodes": nodes,
            "boots": summary["boots"]}


def errors(predicted, observed):
    result = {key: abs(predicted[key] - observed[key]) / observed[key] * 100 for key in ("makespan", "uptime", "usage")}
    others = sum(predicted["nodes"].get(name) != node for name, node in observed["nodes"].items())
    result["schederror"] = others / len(observed["nodes"]) * 100
    return result


def quartiles(values):
    """As R's type 7 has them."""
    values = sorted(values)
    for share in (.25, .5, .75):
        at = share * (len(values) - 1)
        low = int(at)
        high = min(low + 1, len(values) - 1)
        yield values[low] + (values[high] - values[low]) * (at - low)


def main():
    base = sys.argv[1]

    def complete(seed):
        return all(os.path.exists(os.path.join(base, kind, seed, "summary.json")) for kind in KINDS + ("observed",))

    folder = os.path.join(base, "observed")
    seeds = sorted((seed for seed in os.listdir(folder) if complete(seed)), key=int) if os.path.isdir(folder) else []
    if not seeds:
        sys.exit("no run has been observed and predicted")
    observed = {seed: run_read(os.path.join(folder, seed)) for seed in seeds}
    for key, unit in (("makespan", " s"), ("uptime", " s"), ("usage", ""), ("boots", "")):
        values = sorted(run[key] for run in observed.values())
        print(f"observed {key}: {values[0]:.5g} to {values[-1]:.5g}{unit}, {len(values)} runs")
    print(f"{'quartiles':14}" + "".join(f"{figure + ', %':>24}" for figure in FIGURES))
    for kind in KINDS:
        all_errors = [errors(run_read(os.path.join(base, kind, seed)), observed[seed]) for seed in seeds]
        print(f"{kind:14}" + "".join("".join(f"{value:8.2f}" for value in quartiles([one[figure] for one in all_errors]))
                                     for figure in FIGURES))


main()
