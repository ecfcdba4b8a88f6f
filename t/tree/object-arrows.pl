#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# object-arrows.pl ROOMS.TXT SOURCE-DIR BUILD-DIR: object files that need a function or a variable of a folder that neither
# they nor what they may include may include: declared by hand, no include tells of it.
use strict;
use warnings;
use File::Find;

my ($table, $sources, $build) = @ARGV;
my (%may, %defined_in, %needs);
open(my $in, '<', $table) or die "$table: $!\n";
while (<$in>) {
	s/#.*//;
	next unless /^(\S+):\s*([^+\n]*)/;
	my $room = $1;
	$may{$room}{$_} = 1 for $room, 'lib', split ' ', $2;
}
sub closure {
	my ($room, $seen) = @_;
	return if $seen->{$room}++;
	closure($_, $seen) for keys %{$may{$room} // {}};
}
sub object_take {
	return unless /\.o$/ && !/(^|-)(test|fuzz|bench)_/;
	my $room = $File::Find::dir =~ s,/\.libs$,,r;
	my $name = s/^.*-//r;
	my $source = "$room/$name" =~ s/\.o$/.c/r;
	return if !$may{$room} || $needs{"$room/$name"} || !grep { -e "$_/$source" } $sources, $build;
	my $needed = $needs{"$room/$name"} = {};
	open(my $nm, '-|', 'nm', $_) or die "nm: $!\n";
	while (<$nm>) {
		my @field = split;
		if (@field == 3 && $field[1] =~ /^[TDBRVWC]$/) { $defined_in{$field[2]}{$room} = 1 }
		elsif (@field == 2 && $field[0] =~ /^[Uw]$/) { $needed->{$field[1]} = 1 }
	}
}
chdir $build or die "$build: $!\n";
find({ wanted => \&object_take, follow => 0 }, grep { -d } map { s,/.*,,r } sort keys %may);
for my $object (sort keys %needs) {
	my ($room, %near) = $object =~ m,^(.*)/,;
	next if $room eq 'cmd';		# the program, which has all verbs
	closure($room, \%near);
	for my $symbol (sort keys %{$needs{$object}}) {
		my @of = keys %{$defined_in{$symbol} // {}};
		# libwtclock and libwtaddress have functions of the C library, and libwtmunge those of libmunge.
		print "$object needs $symbol of @of\n" if @of && !grep { $near{$_} || $_ eq 'harness/clock' ||
			($_ eq 'harness/fence' && $symbol eq 'bind') ||
			($_ eq 'harness/credential' && $symbol =~ /^munge_/) } @of;
	}
}
