#!/usr/bin/perl
# normalise.pl RECORD SLURMCTLD.LOG: print what the actions of a record (see lane.sh) have led to, one line each:
#	ACTION<tab>WHAT
# free of what differs from run to run: times, ids, process ids, addresses, sizes, and the order of what happens at the
# same time.
use strict;
use warnings;

my ($dir, $log) = @ARGV;
my (%action, %jobs, %job_action, %job_short, %node_of, @out);
$ENV{TZ} //= 'UTC';

# States that may be too short for a look every 0.02 s.  That they were passed is in the job's trace, from slurmctld's log.
# InvalidAccount: 23.11 without slurmdbd says so of each job that waits for its backfill scheduler (doc/releases.md).
my $passing_reason = qr/None|Priority|Resources|Prolog|Dependency|BeginTime|InvalidAccount|ReqNodeNotAvail.*/;
my $passing_job = qr/^(PENDING:($passing_reason)|CONFIGURING.*|.*COMPLETING.*|REQUEUED.*)$/;
# What of slurmctld's log says where a job is: in its order, and complete.
my @trace = (
	[qr/^_slurm_rpc_submit_batch_job: /, 'submitted'],
	# Which of the three it is depends on who looks first.
	[qr/^(sched: Allocate|sched\/backfill: _start_job: Started)/, 'started'],
	[qr/^sched: _slurm_rpc_allocate_resources JobId=\S+ NodeList=[^(]/, 'started'],
	[qr/^_job_complete: JobId=\S+ (?!done)(.*)/, 'ended'], [qr/^_job_complete: JobId=\S+ done/, 'done'],
	[qr/^TRACE_JOBS: deallocate_nodes: /, 'completing'], [qr/^TRACE_JOBS: cleanup_completing: /, 'completed'],
	[qr/^TRACE_JOBS: job_epilog_complete: enter /, 'epilog'],
	[qr/^_slurm_rpc_(requeue|suspend|resume)/, 'asked'], [qr/^Requeuing /i, 'requeued'],
	[qr/^Time limit exhausted/, 'time limit'],
	[qr/^_slurm_rpc_kill_job: REQUEST_KILL_JOB/, 'cancelled'],
);
# What says nothing about the nodes: how messages were grouped, which scheduler looked at a job and when, sizes.
my $noise = join '|',
	'^error: slurm_find_preemptable_jobs: JobId=\S+ not pending',
	'^sched: (Allocate|_slurm_rpc_allocate)',
	'^sched/backfill',
	'^sched: JobId=\S+ has invalid account', '^debug:  set_job_failed_assoc_qos_ptr: ',
	'^STEPS: (_slurm_rpc_job_step_create|step_create_from_msg) for (configuring |\S+: Requested nodes are busy)',
	'^debug2: (sched/backfill|node_did_resp|select/|sched: JobId|Processing|Tree|Spawning|agent|Performing|Testing)',
	'^debug2: _slurm_rpc_(dump|get|epilog|node_reg|complete_prolog)',
	'^debug:  (Still waiting for boot|_make_agent|_thread_per|sched|laying|Spawning|validate_node_specs: node \S+ reg)',
	'^STEPS: (_pick_step|step pick|Picked|step (de)?alloc)',
	'^TRACE_JOBS:',
	'evaluating JobId';

sub lines { my ($file) = @_; open my $in, '<', $file or return (); my @lines = <$in>; chomp @lines; return @lines; }

sub epoch {	# of a time in slurmctld's log
	my ($text) = @_;
	$text =~ /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)(\.\d+)?/ or return 0;
	require POSIX;
	return POSIX::mktime($6, $5, $4, $3, $2 - 1, $1 - 1900, 0, 0, -1) + ($7 // 0);
}

sub put { my ($name, $what) = @_; push @out, "$name\t$what"; }

sub normal {	# the words of one action
	my ($name, $text) = @_;
	my ($a, $b) = @{$action{$name}{nodes}};
	return $text unless defined $a;
	my ($p, $q) = map { /(\d+)/ } $a, $b;

	$text =~ s/\bn\[$p[-,]$q\]/AB/g;
	$text =~ s/\b$a\b/A/g;
	$text =~ s/\b$b\b/B/g;
	$text =~ s/JobId=(\d+)_(\d+)\((\d+)\)/'JobId=' . ($job_short{$1} \/\/ 'J?') . '_N'/ge;
	$text =~ s/JobId=(\d+)\+(\d+)\((\d+)\)/'JobId=' . ($job_short{$1} \/\/ 'J?') . "+$2"/ge;
	$text =~ s/JobId=(\d+)_[*\d]+/'JobId=' . ($job_short{$1} \/\/ 'J?') . '_N'/ge;
	$text =~ s/((?:Step|StepId=|step ))(\d+)(?=\.)/$1 . ($job_short{$2} \/\/ $2)/gei;
	$text =~ s/(JobId=|Job |allocation )(\d+)\b/$1 . ($job_short{$2} \/\/ $2)/gei;
	$text =~ s/ ?\busec=\d+//g;
	$text =~ s/ SLUID=s\w+//g;	# an id, from 25.11 on
	$text =~ s/^(Slurmd PID +=|Active Steps +=) \d+/$1 N/;
	$text =~ s/(InitPrio=|priority )-?\d+/$1P/g;
	$text =~ s/\d{4}-\d\d-\d\dT[\d:.]+/TIME/g;
	$text =~ s/\brebooted \d+ secs/rebooted N secs/;
	$text =~ s/(?:[A-Z][a-z]{2} ){2} ?\d+ \d\d:\d\d:\d\d \d{4}/TIME/g;
	$text =~ s/127\.\d+\.\d+\.\d+(:\d+)?/ADDRESS/g;
	$text =~ s/\bl$action{$name}{lane}\b/PARTITION/g;
	$text =~ s/\b(pid|uid|UID)([= ])\d+/$1$2N/g;
	# The Epilog of a job that was requeued because its node went down: whether it ends before the node is back is
	# chance.
	my $late = qr/complete response from DOWN node \S+|duplicate epilog complete response/;
	$text =~ s/(job_epilog_complete: JobId=\S+) ($late)/$1 late response/;
	return $text;
}

# Marks for compare.pl: actions during which the watch did not look for a while, and those with brief jobs.
sub marks_read {
	my %brief = map { $_ => 1 } lines("$dir/brief");
	my @gaps = map { [(split /\t/)[2, 0]] } grep { /\tgap\t/ } lines("$dir/watch");
	for my $name (sort keys %action) {
		my $a = $action{$name};
		put($name, "mark: brief") if $brief{$name};
		put($name, "mark: gap") if grep { $_->[0] < $a->{end} && $_->[1] > $a->{begin} } @gaps;
	}
}

sub actions_read {
	for (lines("$dir/actions")) {
		my ($lane, $name, $begin, $end) = split /\t/;
		$action{$name} = { lane => $lane, begin => $begin, end => $end,
			nodes => $lane eq 'main' ? [] : ['n' . 2 * $lane, 'n' . (2 * $lane + 1)] };
		put($name, "ran");
	}
}

sub commands_read {
	for (lines("$dir/commands")) {
		my ($name, $number, $code) = split /\t/;
		next unless $action{$name};
		put($name, "command $number: exit $code");
		my %seen;
		for (lines("$dir/$name.$number.out")) {
			next if /^(srun|salloc): (defined options|debug|end of|-+|launch\/slurm|.* : |jobid|Waiting)/;
			next if /^(srun|salloc): (Nodes .* ready|launching|route|job \d+ (queued and|has been)|Pending job)/;
			next if /^(srun|salloc): (Job \d+ step creation|Step created)/ || /^\d+$/;
			# launch/slurm's of old, without its name since it has become a part of srun (23.02)
			next if /^srun: (Node \S+, \d+ tasks started|Received task exit|First task exited)/;
			next if /^srun: \S+: tasks? [^:]+: /;
			s/^Submitted batch job \d+/Submitted/;
			s/^(Booted|Last slurmctld msg time) +=.*/$1/;
			$seen{normal($name, $_)}++;
		}
		put($name, "command $number: says: $_") for sort keys %seen;
	}
	for my $name (sort keys %action) {
		put($name, "WENT WRONG: $_") for lines("$dir/$name.said");
	}
}

sub watch_read {
	my (%state, %first);
	for (grep { /\tjob\t/ } lines("$dir/watch")) {
		my ($time, $job, $id, $name, $state, $reason, $exit, $derived, $restarts) = split /\t/, $_, -1;
		my ($act, $short) = split m{/}, $name, 2;
		next unless defined $short && $action{$act};
		$jobs{$id} //= { action => $act, name => $short, seen => [] };
		my $job_record = $jobs{$id};
		$job_record->{last} = "$state reason $reason exit $exit derived $derived restarts $restarts";
		$state = "PENDING:$reason" if $state =~ /^PENDING/;
		next if $state =~ $passing_job;
		$state .= "(restart $restarts)" if $restarts;
		push @{$job_record->{seen}}, $state if ($job_record->{seen}[-1] // '') ne $state;
	}
	my %number;
	for my $id (sort { $a <=> $b } keys %jobs) {
		my $j = $jobs{$id};
		my $n = $number{$j->{action}}{$j->{name}}++;
		$job_short{$id} = $j->{name} . ($n ? ".$n" : '');
		$job_action{$id} = $j->{action};
	}
	for my $id (sort { $a <=> $b } keys %jobs) {
		my $j = $jobs{$id};
		# Tasks of an array are alike, and which of them comes first is chance.
		put($j->{action}, "job $j->{name}: last: $j->{last}");
		put($j->{action}, "job $j->{name}: seen: @{$j->{seen}}");
	}
}

sub nodes_read {
	for my $name (sort keys %action) {
		my ($a, %seen) = $action{$name};
		for (grep { /\tnode\t/ } lines("$dir/watch")) {
			my ($time, undef, $node, $state, $reason) = split /\t/, $_, -1;
			next unless $time >= $a->{begin} && $time <= $a->{end} && grep { $_ eq $node } @{$a->{nodes}};
			# PLANNED: what backfill thinks of, also of a node that has got a job meanwhile
			$state =~ s/\+?(COMPLETING|PLANNED)//g;
			# Between two jobs; until the first answer after State=RESUME, or until a reboot is sent.
			next if $state =~ /^(IDLE(\+NOT_RESPONDING|(\+DRAIN)?\+REBOOT_REQUESTED)?|)$/;
			my $text = $state . ($reason ne '' ? "($reason)" : '');
			push @{$seen{$node}}, $text if ($seen{$node}[-1] // '') ne $text;
		}
		put($name, "node " . normal($name, $_) . ": " . normal($name, join ' ', @{$seen{$_} // []}))
			for @{$a->{nodes}};
	}
}

sub log_read {
	my (%trace, %text);
	for (lines($log)) {
		/^\[(\S+)\] (.*)/ or next;
		my ($time, $line, $name) = (epoch($1), $2);
		my ($id) = $line =~ /(?:JobId=|StepId=)(\d+)/;
		($id) = $line =~ /JobId=\d+_\S*\((\d+)\)/ if $line =~ /JobId=\d+_\S*\(\d+\)/;
		if (defined $id) {
			$name = $job_action{$id} or next;
			for (@trace) {
				my ($regex, $word) = @$_;
				next unless $line =~ $regex;
				$word .= "($1)" if $word eq 'ended';
				# Logged after slurmctld has released its lock: the job may have been started by then.
				if ($word eq 'submitted') { unshift @{$trace{$id}}, $word }
				else { push @{$trace{$id}}, $word }
				last;
			}
		} else {
			($name) = grep {
				my $a = $action{$_};
				@{$a->{nodes}} && $time >= $a->{begin} && $time <= $a->{end} &&
					$line =~ /\b($a->{nodes}[0]|$a->{nodes}[1])\b/
			} keys %action;
			next unless defined $name;
		}
		$text{$name}{normal($name, $line)} = 1 unless $line =~ $noise;
	}
	for my $id (sort { $a <=> $b } keys %trace) {
		my $way = join ' ', @{$trace{$id}};
		$way =~ s/epilog( epilog)*/epilogs/g unless @{$action{$job_action{$id}}{nodes}};
		put($job_action{$id}, "job $jobs{$id}{name}: trace: $way");
	}
	# On all nodes it is chance who does what where.
	for my $name (sort grep { @{$action{$_}{nodes}} } keys %text) {
		put($name, "log: $_") for sort keys %{$text{$name}};
	}
}

actions_read();
marks_read();
watch_read();
commands_read();
nodes_read();
log_read();
print map { "$_\n" } sort @out;
