"""check-evalys.py JOBS.CSV: what evalys' JobSet.from_csv () takes for granted of a jobs.csv, without evalys.

By its source (github.com/oar-team/evalys, evalys/jobset.py, JobSet.columns and __init__): the columns below, numbers
that pandas reads as such, sets of resources as procset writes them ("0-17 40", empty for none) in ascending order, a
column once, at least one job with resources (the bounds are theirs), and times that it would otherwise compute itself."""
import csv
import re
import sys

COLUMNS = """job_id workload_name submission_time requested_number_of_resources requested_time success starting_time
execution_time finish_time waiting_time turnaround_time stretch allocated_resources""".split()
NUMBERS = [c for c in COLUMNS if c not in ("job_id", "workload_name", "allocated_resources")]
PROCSET = re.compile(r"(\d+(-\d+)?( \d+(-\d+)?)*)?\Z")


def number(row, name):
    return float(row[name]) if row[name] else None


def row_check(row):
    for name in NUMBERS:
        number(row, name)
    assert PROCSET.match(row["allocated_resources"]), row["allocated_resources"]
    ends = [int(n) for part in row["allocated_resources"].split() for n in (part.split("-") * 2)[:2]]
    assert ends == sorted(ends), "not ascending: " + row["allocated_resources"]
    sent, start, end = (number(row, n) for n in ("submission_time", "starting_time", "finish_time"))
    if start is not None:
        assert abs(number(row, "waiting_time") - (start - sent)) < 2e-6, row
    if start is not None and end is not None:
        assert abs(number(row, "execution_time") - (end - start)) < 2e-6, row
        assert abs(number(row, "turnaround_time") - (end - sent)) < 2e-6, row
        assert ends, "it ran on no resource"
    return bool(ends)


with open(sys.argv[1], newline="") as lines:
    reader = csv.DictReader(lines)
    missing = [c for c in COLUMNS if c not in reader.fieldnames]
    assert not missing, "evalys' columns that are not there: %s" % missing
    assert len(set(reader.fieldnames)) == len(reader.fieldnames), "a column twice"
    assert not {"jobID", "proc_alloc"} & set(reader.fieldnames), "evalys makes these itself"
    ran = [row_check(row) for row in reader]
assert any(ran), "no job has resources: evalys finds no bounds"
print("%d jobs, %d with resources" % (len(ran), sum(ran)))
