#!/bin/sh
test_description='windtunnel --save-interval: how often slurmctld saves its state in virtual time'
. "$WT_SRCDIR/t/setup.sh"

refused() {
	test_expect_code 2 windtunnel "$@" --quiet >out 2>err && grep -e "--save-interval" err &&
	test ! -e "$WINDTUNNEL_STATE/bad" && test ! -e bad
}
test_expect_success 'it is for virtual time, and for a number of seconds' '
	refused cluster up bad --nodes 2 --save-interval 60 &&
	refused run --workload burst --jobs 2 --nodes 2 --save-interval 60 --output bad &&
	refused cluster up bad --nodes 2 --clock virtual --save-interval 0 &&
	refused cluster up bad --nodes 2 --clock virtual --save-interval 1h &&
	refused cluster up bad --nodes 2 --clock virtual --save-interval 86401
'
burst() { windtunnel run --workload spaced --jobs 40 --interval 20 --run-time 30 --quiet "$@" >out 2>err; }
test_expect_success 'the schedule is the same, to the last byte' '
	burst --nodes 4 --clock virtual --charge none --seed 4 --output often &&
	burst --nodes 4 --clock virtual --charge none --seed 4 --output seldom --save-interval 120 &&
	test_cmp often/jobs.csv seldom/jobs.csv && test_cmp often/events.csv seldom/events.csv &&
	jq -e ".jobs_completed == 40 and .repeatable.verdict == \"yes\"" seldom/summary.json &&
	jq -e ".options.own_cluster.save_interval_s == 120" seldom/scenario.json
'
# debug3 has one such line for each time that all jobs are written down.
saves() { grep "Writing job id .* to header record of job_state file" "$dir/ctld/slurmctld.log"; }
test_expect_success 'state is saved at multiples of the interval, and never in between' '
	cleanup windtunnel cluster down seldom &&
	windtunnel cluster up seldom --nodes 4 --clock virtual --charge none --set SlurmctldDebug=debug3 \
		--save-interval 120 --quiet &&
	dir="$WINDTUNNEL_STATE/seldom" && windtunnel cluster describe seldom | grep "saved every 120 s at most" &&
	burst --cluster seldom --output run && jq -e ".jobs_completed == 40" run/summary.json && saves >all &&
	test $(wc -l <all) -ge 5 && sed 1d all >later && ! grep -v "T..:.[02468]:00" later
'
held() { windtunnel cluster exec seldom -- squeue -h -j "$id" -o %r | grep JobHeldUser; }
hold_one() { id=$(windtunnel cluster exec seldom -- sbatch --parsable --hold --wrap true); }
test_expect_success 'slurmctld that reconfigures knows of jobs since the last save (from 24.05 on it executes itself anew)' '
	hold_one && windtunnel cluster exec seldom -- scontrol reconfigure && wt_poll 60 held
'
test_expect_success 'slurmctld that ends in order saves what it knows, at whatever time' '
	hold_one && windtunnel cluster stop seldom slurmctld && saves | tail -n 1 | grep "job id $((id + 1)) " &&
	windtunnel cluster start seldom slurmctld && held
'
test_done
