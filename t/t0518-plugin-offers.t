#!/bin/sh
test_description='best fit inside slurmctld: each choice, made again outside from its offer, gives the same nodes'
. "$WT_SRCDIR/t/setup.sh"

# 64 nodes: 16 leaves of 4, 4 switches of 4 leaves.  bestfit_tie=touch knows nothing of other jobs: a choice follows from
# the offer alone.
test_expect_success 'a run in virtual time that logs each offer' '
	windtunnel topology generate fattree --arity 4,4,4 -o tree.conf &&
	windtunnel esp --nodes 64 --clock virtual --charge none --topology tree.conf --unit nodes --plugin bestfit --quiet \
		--set SchedulerParameters+=bestfit=on,bestfit_tie=touch,bestfit_offers=on --out run &&
	sed -n "s/.*bestfit: offered: JobId=//p" run/logs/slurmctld.log >offers && test_line_count -ge 200 offers
'
cat >again.py <<'END'
import csv, subprocess, json, sys

offers = {}
for line in open("offers"):	# a start may be refused after the choice: the last offer is that of the start
    job, *groups = line.split()
    offers[job] = ",".join(g.split(":", 1)[1] for g in groups)
same = partial = 0
for row in csv.DictReader(open("run/jobs.csv")):
    if row["job_id"] not in offers:
        continue
    command = ["windtunnel", "topology", "select", "--json", "--policy", "bestfit-touch", "--free", offers[row["job_id"]],
               "--size", row["allocated_nodes"], "tree.conf"]
    choice = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["choices"][0]
    if choice["nodes"] != row["node_list"]:
        sys.exit(f"job {row['job_id']} of {row['allocated_nodes']} has {row['node_list']}, not {choice['nodes']}")
    same += 1
    partial += choice["levels"][0]["switches"] > 1
print(same, partial)
END
test_expect_success 'each job has the nodes that the same choice gives outside of slurmctld' '
	python3 again.py >counts && read -r same partial <counts && test "$same" -ge 200 && test "$partial" -ge 20
'
test_done
