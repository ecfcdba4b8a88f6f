# SPDX-License-Identifier: GPL-2.0-or-later
"""bench/power-conformance.py DIR - what bench/power-conformance saw of real and of virtual nodes, compared."""
import csv
import os
import sys


def looks_read(folder, begin):
    """For each node and job its row of [state, when it was seen first, in how many looks]."""
    rows, now = {}, 0.0
    with open(os.path.join(folder, "looks"), encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if len(words) == 1:
                now = float(words[0]) - begin
                continue
            name = words[0] + " " + words[1]
            row = rows.setdefault(name, [])
            if row and row[-1][0] == words[2]:
                row[-1][2] += 1
            else:
                row.append([words[2], now, 1])
    return rows


def alike(a, b):
    """Does each have, in order, all of the other's that was seen in more than one look?  What lasts for less may fall
    between two of them."""
    def has(row, other):
        states = iter([state for state, _, _ in row])
        return all(state in states for state, _, looks in other if looks > 1)

    return has(a, b) and has(b, a)


def events_read(folder, begin):
    rows = {}
    with open(os.path.join(folder, "power.csv"), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            text = row["event"] + (" for " + row["job_id"] if row["job_id"] else "")
            rows.setdefault("node " + row["node"], []).append([text, float(row["time_s"]) - begin, 2])
    return rows


def jobs_read(folder):
    with open(os.path.join(folder, "jobs"), encoding="utf-8") as lines:
        return [dict(word.split("=", 1) for word in line.split()) for line in lines]


def quantile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))]


def compare(what, real, virtual):
    """Rows must be equal; how far apart in time their entries are is told by kind."""
    names = sorted(set(real) | set(virtual), key=lambda name: (name.split()[0], len(name), name))
    unlike, apart, entries, brief = [], {}, 0, 0
    for name in names:
        a, b = real.get(name, []), virtual.get(name, [])
        entries += len(a)
        if [entry[0] for entry in a] != [entry[0] for entry in b]:
            if alike(a, b):
                brief += 1
            else:
                unlike.append((name, a, b))
            continue
        for (text, at, _), (_, at_virtual, _) in zip(a, b):
            apart.setdefault(text.split(" for ")[0], []).append(at - at_virtual)
    print(f"{what}: {len(names)} rows, {entries} entries on real nodes; {len(names) - brief - len(unlike)} rows are equal, "
          f"{brief} more but for states that were seen in one look")
    for name, a, b in unlike[:10]:
        print(f"  {name}: real    " + ", ".join(f"{text} {at:.0f}" for text, at, _ in a))
        print(f"  {name}: virtual " + ", ".join(f"{text} {at:.0f}" for text, at, _ in b))
    for text, values in sorted(apart.items()):
        values.sort()
        print(f"  {text:14} {len(values):5}   real - virtual, s: least {values[0]:.2f}, median {quantile(values, .5):.2f}, "
              f"95 % {quantile(values, .95):.2f}, most {values[-1]:.2f}")
    return not unlike


def main():
    folders = [os.path.join(sys.argv[1], backend) for backend in ("slurmd", "virtual")]
    begins = [float(open(os.path.join(folder, "begin"), encoding="utf-8").read()) for folder in folders]
    looks = [looks_read(folder, begin) for folder, begin in zip(folders, begins)]
    events = [events_read(folder, begin) for folder, begin in zip(folders, begins)]
    jobs = [jobs_read(folder) for folder in folders]
    good = compare("states by sinfo", *[{k: v for k, v in rows.items() if k.startswith("node")} for rows in looks])
    good &= compare("states by squeue", *[{k: v for k, v in rows.items() if k.startswith("job")} for rows in looks])
    good &= compare("power.csv", *events)
    same = sum(a["JobState"] == b["JobState"] and a["Restarts"] == b["Restarts"] for a, b in zip(*jobs))
    print(f"jobs: {len(jobs[0])} real, {len(jobs[1])} virtual; {same} with the same end and restarts; restarts "
          f"{sum(int(job['Restarts']) for job in jobs[0])} and {sum(int(job['Restarts']) for job in jobs[1])}")
    return 0 if good and same == len(jobs[0]) == len(jobs[1]) else 1


sys.exit(main())
