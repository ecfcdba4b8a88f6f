#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# map-files.pl PAGE...: the files and folders that these pages name, and that are not there.  Run in the root of the tree.
# A name without a folder is looked for beside the last file of its line that has one ("record/a.c, b.c"), then anywhere;
# "gantt*.js" needs one file at least.  Links are relative to their page.
use strict;
use warnings;

my %by_name;
for my $path (split /\n/, `find . -name '.git' -prune -o -name 'build*' -prune -o -type f -print`) {
	$path =~ s,^\./,,;
	push @{$by_name{$1}}, $path if $path =~ m,([^/]*)$,;
}
my $top = join '|', map { quotemeta } grep { -d && !/^(build|autom4te)/ } glob '*';
for my $page (@ARGV) {
	(my $folder = $page) =~ s,[^/]*$,,;
	open(my $in, '<', $page) or die "$page: $!\n";
	my $fenced;
	while (my $line = <$in>) {
		$fenced = !$fenced if $line =~ /^```/;
		while ($line =~ m,\]\(([^):#]+)\),g) { print "$page:$.: link to $1\n" unless -e "$folder$1" }
		next if $fenced;
		my $beside = '';
		for my $name ($line =~ m,[\w./*\$-]+,g) {
			$name =~ s/\.+$//;
			next if $name =~ m/\$|NAME|NNNN|\.la$|^\*+$/;	# a pattern, and what only a build has
			next unless $name =~ m,^(?:$top)/, || $name =~ m,^[^/]*[\w*]\.(?:c|h|js|css|pl|sh|t)$,;
			if ($name =~ m,/,) {
				print "$page:$.: $name\n" unless grep { -e } glob $name;
				$beside = $name =~ s,[^/]*$,,r;
			} else {
				my @found = $beside ? grep { -e } glob "$beside$name" : @{$by_name{$name} // []};
				print "$page:$.: $name\n" unless @found;
			}
		}
	}
}
