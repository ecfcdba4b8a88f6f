#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# arrows.pl ROOMS.TXT < files: the includes that lead where rooms.txt does not allow, and what it allows in vain.  Run in the
# root of the tree, with all of its files: of a folder without files nothing is in vain.
use strict;
use warnings;

my ($table) = @ARGV;
my (%may, %test_may, %arrow, %seen);
open(my $in, '<', $table) or die "$table: $!\n";
while (<$in>) {
	s/#.*//;
	next unless /^(\S+):\s*(.*?)\s*(?:\+\s*(.*?)\s*)?$/;
	my ($room, $allowed, $for_tests) = ($1, $2, $3 // '');
	$arrow{$room}{$_} = 1 for split ' ', "$allowed $for_tests";
	$may{$room}{$_} = 1 for $room, 'lib', split ' ', $allowed;
	$test_may{$room}{$_} = 1 for keys %{$may{$room}}, split ' ', $for_tests;
}
my %tops = map { s,/.*,,r => 1 } keys %may;
while (my $file = <STDIN>) {
	chomp $file;
	my ($room, $name) = $file =~ m,^(.*)/([^/]*)$, or next;
	$seen{$room} = 1;
	if (!$may{$room}) { print "$file: the folder $room does not stand in $table\n"; next }
	my $allowed = $name =~ /^(test|fuzz|bench)_/ ? $test_may{$room} : $may{$room};
	open(my $source, '<', $file) or die "$file: $!\n";
	while (<$source>) {
		next unless m,^\s*(?:/\*.*?\*/\s*)?#\s*include\b\s*(.*),;	# as the preprocessor takes it
		my ($kind, $what) = $1 =~ m,^(["<])([^">]+),;
		if (!$kind) { print "$file: an include by a macro\n"; next }
		next if $kind eq '<' && !$tops{$what =~ s,/.*,,r};
		print "$file: $what is no header\n" unless $what =~ /\.h$/;
		next if $what eq 'config.h' || $what =~ m,^(src|slurm)/,;
		if ($what !~ m,/,) { print "$file: \"$what\" is not relative to the root of the tree\n"; next }
		(my $other = $what) =~ s,/[^/]*$,,;
		delete $arrow{$room}{$other};
		print "$file: $room may not include $what\n" unless $allowed->{$other};
	}
}
for my $room (sort keys %seen) {
	print "$table: $room includes nothing of $_\n" for sort keys %{$arrow{$room} // {}};
}
