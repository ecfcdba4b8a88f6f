#!/bin/sh
test_description='a backup slurmctld takes over while copies run; the primary comes back; a stopped one gives no rights'
. "$WT_SRCDIR/t/takeover.sh"
[ "$(id -u)" != 0 ] || ! why=$(takeover_possible) || takeover_namespaces "$0" "$@"
. "$WT_SRCDIR/t/setup.sh"

[ -n "$TAKEOVER_INSIDE" ] || { skip_all="no namespaces with two host names: ${why:-only root may make them}" && test_done; }
PATH="$WT_BUILDDIR/plugins/straggler:$PATH"
plugins=$WT_BUILDDIR/plugins/straggler/slurm agent=$WT_BUILDDIR/plugins/straggler/wt-agentd work=$WT_TMP/w
mkdir "$work" && chmod 755 "$WT_TMP" "$work"
cleanup takeover_end
STEP=0.25 HOLD=yes && export STEP HOLD
wait_at_least_s=240	# as wt_poll
takeover_after_s=12	# a busy machine may keep a primary silent for some seconds
takeover_task
owner_is() { grep "pid $(ctl_pid "$1") of ctl$1" "$work/state/windtunnel_straggler.owner"; }

test_expect_success 'a primary and a backup, with names that go slowly in their folder' '
	takeover_slow && takeover_conf 5 && munged_start && slurmds_start && ctl_start 1 && wait_for 60 ctl_answers 1 &&
	ctl_start 2 &&
	wait_for 60 ctl_is 2 backup && owner_is 1
'
# What it was told and had not saved it may forget: nothing ends meanwhile.
test_expect_success 'the primary is killed while a copy runs: the backup takes over' '
	array_submit "$work/out" && wait_for 90 copy_runs && wait_for 30 copy_saved && ctl_kill 1 &&
	wait_for 60 ctl_is 2 primary &&
	wait_for 60 ctl_answers 2 && owner_is 2
'
some_are_over() { [ "$(once)" = 3 ] && queue=$(squeue -h -r -j "$job" -o " %K ") && ! echo "$queue" | grep " [012] "; }
test_expect_success 'the backup gives rights, too' '
	>"$OUT/go.0" && >"$OUT/go.1" && >"$OUT/go.2" && wait_for 120 some_are_over
'
test_expect_success 'the primary comes back, and the backup steps back: each task is published once, neither ends itself' '
	ctl_start 1 && wait_for 60 ctl_is 1 primary && wait_for 60 ctl_is 2 backup && wait_for 60 ctl_answers 1 &&
	owner_is 1 && >"$OUT/go" &&
	wait_for 120 empty && test "$(once)" = 7 && test "$(twice)" = 0 && ! split_brain &&
	! grep "error: straggler" "$work"/ctl[12].log
'
unsaved() { grep "error: straggler: .*nobody may publish until that can be written" "$work/ctl1.log"; }
# Slurm's own state cannot be written either: what it is told meanwhile it keeps in memory.
test_expect_success 'the state folder can be read only while a copy runs: nobody publishes, which is said once' '
	array_submit "$work/out2" && wait_for 120 copy_runs &&
	>"$work/readonly" && >"$OUT/go" &&
	wait_for 60 eval "any \"$OUT\"/asking.*.2" && wait_for 60 unsaved && ! any "$OUT"/publishing.* &&
	test "$(unsaved | wc -l)" = 1 && ctl_is 1 primary && ctl_is 2 backup && test "$(once)" = 0
'
test_expect_success 'it can be written again: each task is published once, which is said once' '
	rm "$work/readonly" && wait_for 180 empty && test "$(once)" = 7 && test "$(twice)" = 0 &&
	test "$(unsaved | wc -l)" = 1 && test "$(grep -c "straggler: .* is written again" "$work/ctl1.log")" = 1 &&
	ctl_is 1 primary && ctl_is 2 backup && ! split_brain
'
ask() {
	WT_PROGRESS_FILE=x WT_STRAGGLER_CONF="$work/straggler.conf" SLURM_JOB_ID="$(squeue -h -r -j "$long" -o "%i %A" |
		sed -n "s/^${long}_$1 //p")" \
		WT_INSTANCE="${long}_$1.0.00000000000000aa" wt-commit --timeout "$2" true
}
test_expect_success 'a primary that was stopped and goes on after the take-over gives no right, and says so once' '
	long=$(sbatch --parsable -n1 -o /dev/null --speculate --array=0-1 --wrap "sleep 300") &&
	wait_for 60 eval "[ \$(squeue -h -t R -r -j $long | wc -l) = 2 ]" &&
	ask 0 60 && kill -STOP "$(ctl_pid 1)" && wait_for 90 ctl_is 2 primary && wait_for 60 owner_is 2 &&
	kill -CONT "$(ctl_pid 1)" &&
	wait_for 30 grep "belongs to another slurmctld now (pid .* of ctl2)" "$work/ctl1.log" &&
	test_expect_code 1 ask 1 3 && test_expect_code 1 ask 0 3 &&
	test "$(grep "error: straggler" "$work/ctl1.log" | grep -vc "nobody may publish until")" = 1
'
test_done
