#!/usr/bin/perl
# compare.pl KNOWN RELEASE REAL VIRTUAL: what normalise.pl says of two clusters of that release of Slurm.  Prints each
# difference that KNOWN does not have, and each line of KNOWN that is always a difference and was none; exits with 1 if there
# are any.
# compare.pl --table KNOWN: print KNOWN as a table for the documentation.
#
# What was seen during an action by a watch that did not look for a while ("mark: gap") is not compared, nor is whether
# it saw jobs that run for a moment only ("mark: brief"): the same is in the trace of each job, from slurmctld's log,
# which is complete.
#
# A line of KNOWN, fields separated by tabs: where ("real", "virtual": what only these nodes show; "both"),
# "always" or "sometimes", a pattern of actions, a pattern of what was recorded, and in words what differs, and why.
# What follows a line "release 24.11 25.11" is known of these only; "release all": of all again.
use strict;
use warnings;

sub lines { my ($file) = @_; open my $in, '<', $file or die "$file: $!\n"; my @lines = <$in>; chomp @lines; return @lines; }

sub known_read {
	my ($file) = @_;
	my ($release, @known) = 'all';
	for (lines($file)) {
		next if /^(#|$)/;
		if (/^release (\d\d\.\d\d(?: \d\d\.\d\d)*|all)$/) { $release = $1; next }
		my ($where, $when, $action, $what, $why) = split /\t+/;
		die "$file: not five fields: $_\n" unless defined $why && $where =~ /^(real|virtual|both)$/ &&
			$when =~ /^(always|sometimes)$/;
		push @known, { where => $where, when => $when, action => $action, what => $what, why => $why, used => 0,
			release => $release };
	}
	return @known;
}

if ($ARGV[0] eq '--table') {
	my %why;
	print "| actions | which nodes show it | Slurm | what differs, and why |\n|---|---|---|---|\n";
	for (known_read($ARGV[1])) {
		next if $why{"$_->{release} $_->{why}"}++;
		my $action = $_->{action} eq '.*' ? 'all' : $_->{action};
		$action =~ s/\|/, /g;
		$action =~ s/\.\*/.../g;
		print "| $action | $_->{where}, $_->{when} | $_->{release} | $_->{why} |\n";
	}
	exit 0;
}

my ($known_file, $release, @files) = @ARGV;
my ($series) = $release =~ /^(\d+\.\d+)/;
my @known = grep { $_->{release} eq 'all' || " $_->{release} " =~ / \Q$series\E / } known_read($known_file);
my ($bad, %count) = 0;
my @name = ('real', 'virtual');
my (%gap, %brief);
for (map { lines($_) } @files) {
	$gap{$1} = 1 if /^(.*)\tmark: gap$/;
	$brief{$1} = 1 if /^(.*)\tmark: brief$/;
}
printf "# the watch looked too seldom during %d actions: %s\n", scalar keys %gap, join ' ', sort keys %gap if %gap;
for my $i (0, 1) {
	for (lines($files[$i])) {
		my ($action, $what) = split /\t/, $_, 2;
		next if $what =~ /^mark:/;
		if ($what =~ /^(job \S+: seen|node \S+):/) {
			next if $gap{$action};
			s/ (RUNNING|ALLOCATED|MIXED)(?= |$)//g, s/ $// if $brief{$action};
		}
		$count{$_}[$i]++;
	}
}
for my $line (sort keys %count) {
	my @n = map { $_ // 0 } @{$count{$line}}[0, 1];
	my ($action, $what) = split /\t/, $line, 2;
	my $broken = $what =~ /^WENT WRONG/;
	next if $n[0] == $n[1] && !$broken;
	my $where = $n[0] > $n[1] ? 'real' : 'virtual';
	my ($hit) = grep {
		$_->{where} =~ /^($where|both)$/ && $action =~ /^(?:$_->{action})$/ && $what =~ /^(?:$_->{what})$/
	} @known;
	if ($hit && !$broken) {
		$hit->{used} = 1;
		next;
	}
	print $broken ? "wrong" : "only $where", ": $action: $what\n";
	$bad++;
}
for (grep { $_->{when} eq 'always' && !$_->{used} } @known) {
	print "no such difference any more: $_->{where}: $_->{action}: $_->{what}\n";
	$bad++;
}
exit($bad ? 1 : 0);
