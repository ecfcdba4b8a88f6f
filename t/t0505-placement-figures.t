#!/bin/sh
test_description='summary.json: how many jobs are on the fewest switches'
. "$WT_SRCDIR/t/setup.sh"

# Sixteen nodes on four leaf switches below two.
cat >tree.conf <<END
SwitchName=l0 Nodes=n[0-3]
SwitchName=l1 Nodes=n[4-7]
SwitchName=l2 Nodes=n[8-11]
SwitchName=l3 Nodes=n[12-15]
SwitchName=m0 Switches=l[0-1]
SwitchName=m1 Switches=l[2-3]
SwitchName=root Switches=m[0-1]
END
clock_options="--clock virtual --charge none"
if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	clock_options="--time-scale 0.05"
fi
ran() {
	out=$1
	shift
	windtunnel run --workload burst --jobs 40 --job-cpus 1-6 --run-time 20 --nodes 16 --shape "pack:1 core:1 pu:1" \
		--probe none $clock_options --quiet --output "$out" "$@" >"$out.out" 2>"$out.err" ||
		{ cat "$out.err"; false; }
}
test_expect_success 'they are the shares that windtunnel topology score counts' '
	ran tree --topology tree.conf && windtunnel topology score --json tree >score &&
	jq -e --slurpfile s score "(\$s[0].jobs) as \$n | def same(a; b): (a - b / \$n | fabs) < 1e-9;
		\$n > 30 and same(.placed_fewest; \$s[0].all_levels.optimal_absolute) and
		same(.placed_fewest_free; \$s[0].all_levels.optimal_relative) and
		same(.placed_fewest_leaves; \$s[0].levels[0].optimal_absolute) and
		same(.placed_fewest_level1; \$s[0].levels[1].optimal_absolute) and
		.placed_fewest > 0 and .placed_fewest < 1 and .placement_problem == \"\"" tree/summary.json &&
	grep "jobs on the fewest switches  *[0-9.]* *%" tree.out
'
test_expect_success 'an experiment can be about them' '
	cat >placed.yaml <<-END &&
	repeat: 1
	figures: [placed_fewest_leaves, placed_fewest]
	workload: {kind: burst, jobs: 40, job-cpus: 1-6, run-time: 20, probe: none}
	cluster: {nodes: 16, shape: "pack:1 core:1 pu:1", topology: tree.conf, clock: virtual, charge: none}
	variants:
	  stock:
	END
	windtunnel experiment run --json placed.yaml >json 2>err || { cat err; false; } &&
	jq -e ".cases[0].figures.placed_fewest_leaves.mean | . > 0 and . <= 1" json
'
test_expect_success 'without a tree, or with one switch only, there is no figure, and no word of it' '
	ran bare && jq -e ".placed_fewest == null and .placement_problem == \"\"" bare/summary.json &&
	! grep switches bare.out &&
	echo "SwitchName=all Nodes=n[0-15]" >flat.conf && ran flat --topology flat.conf &&
	jq -e ".placed_fewest == null and .placed_fewest_leaves == null and .placement_problem == \"\"" flat/summary.json
'
test_expect_success '--repeat keeps them' '
	ran both --topology tree.conf --repeat 2 && jq -e ".placed_fewest > 0" both/2/summary.json &&
	jq -e "[.. | objects | .placed_fewest? | objects | .mean] | length == 1 and .[0] > 0" both/summary.json
'
test_done
