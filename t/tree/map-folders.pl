#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# map-folders.pl PAGE: the folders with files of ours that this page does not name.  Run in the root of the tree.  A folder
# is named as "harness/page/", alone or before a file of it; one below doc/data/ or debian/ by the folder above it.
use strict;
use warnings;
use File::Find;

my %folders;
find({ no_chdir => 1, wanted => sub {
	s,^\./,,;
	return $File::Find::prune = 1
		if -d && m,^(\.git|_?build.*|_inst|autom4te\.cache|trash.*|(doc/data|debian)/.*)$|(^|/)\.(deps|libs)$,;
	$folders{$1} = 1 if -f && m,^(.*)/,;
} }, '.');
open(my $in, '<', $ARGV[0]) or die "$ARGV[0]: $!\n";
my $page = join '', <$in>;
for my $folder (sort keys %folders) {
	print "$folder/ is not named in $ARGV[0]\n" unless $page =~ m,(?<![\w/.-])\Q$folder\E/,;
}
