#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# names.pl < files: struct tags, enum constants, header guards and file names that exist more than once in the tree.
# A constant that only .c files have, each for itself (the keys of options, say), counts for its file alone.
use strict;
use warnings;

my %seen;	# kind -> name -> places
sub see { my ($kind, $name, $place) = @_; push @{$seen{$kind}{$name}}, $place }
while (my $file = <STDIN>) {
	chomp $file;
	my ($name) = $file =~ m,([^/]*)$,;
	see('file', $name, $file);
	local $/;
	open(my $in, '<', $file) or die "$file: $!\n";
	my $text = <$in>;
	# In one go, because what looks like a comment in a string is none, nor is a '"' the begin of a string.
	$text =~ s{("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|/\*.*?\*/|//[^\n]*}{defined $1 ? '""' : ' '}gse;
	see('header guard', $1, $file) if $name =~ /\.h$/ && $text =~ /^#ifndef (\w+)\n#define \1$/m;
	see("$1 tag", $2, $file) while $text =~ /\b(struct|union|enum)\s+(\w+)\s*\{/g;
	while ($text =~ /\benum\b\s*\w*\s*\{([^}]*)\}/g) {
		see('enum constant', $_, $file) for map { /^\s*(\w+)/ ? $1 : () } split /,/, $1;
	}
}
for my $kind (sort keys %seen) {
	for my $name (sort keys %{$seen{$kind}}) {
		my @places = @{$seen{$kind}{$name}};
		next if @places < 2 || ($kind eq 'enum constant' && !grep { /\.h$/ } @places);
		print "$kind $name: @places\n";
	}
}
