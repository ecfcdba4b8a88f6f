#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# function-figures.pl < files: how long the functions are, and how deep their statements stand in each other: median,
# 95th percentile and largest.  A function's braces stand in the first column, and are not counted; "else if" is no deeper
# than "if".
use strict;
use warnings;
use List::Util qw(max);

my @tokens;	# what is left of a function, while its statements are read

sub group_skip {	# from an opening bracket to behind its closing one
	my $depth = 0;
	while (@tokens) {
		my $token = shift @tokens;
		$depth++ if $token =~ /^[({\[]$/;
		$depth-- if $token =~ /^[)}\]]$/;
		return if !$depth;
	}
}

sub plain_skip {	# a declaration, an expression, or a label
	while (@tokens) {
		return if $tokens[0] eq '}';
		if ($tokens[0] =~ /^[({\[]$/) { group_skip(); next }
		return if (shift @tokens) eq ';';
	}
}

sub branches {
	my ($depth) = @_;
	group_skip();
	my $deepest = statement($depth + 1);
	return $deepest unless @tokens && $tokens[0] eq 'else';
	shift @tokens;
	if (@tokens && $tokens[0] eq 'if') {
		shift @tokens;
		return max($deepest, branches($depth));
	}
	return max($deepest, statement($depth + 1));
}

# Reads one statement that stands in 'depth' others; returns how deep the deepest in it stands.
sub statement {
	my ($depth) = @_;
	my $token = $tokens[0] // return $depth;
	if ($token eq '{') {
		my $deepest = $depth;
		shift @tokens;
		$deepest = max($deepest, statement($depth)) while @tokens && $tokens[0] ne '}';
		shift @tokens;
		return $deepest;
	}
	if ($token eq 'if') { shift @tokens; return branches($depth) }
	if ($token =~ /^(for|while|switch|\w*FOREACH\w*)$/) {
		shift @tokens;
		group_skip();
		return statement($depth + 1);
	}
	if ($token eq 'do') {
		shift @tokens;
		my $deepest = statement($depth + 1);
		plain_skip();
		return $deepest;
	}
	if ($token =~ /^(case|default)$/) { shift @tokens while @tokens && $tokens[0] ne ':'; shift @tokens; return $depth }
	plain_skip();
	return $depth;
}

sub nesting {
	my ($text) = @_;
	$text =~ s{("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|/\*.*?\*/|//[^\n]*|^\s*#[^\n]*)}{ }gms;
	@tokens = $text =~ /\w+|[^\s\w]/g;
	my $deepest = 0;
	$deepest = max($deepest, statement(0)) while @tokens;
	return $deepest;
}

sub figures_print {
	my ($what, @values) = @_;
	@values = sort { $a <=> $b } @values;
	printf "%s: median %d, 95th percentile %d, largest %d\n", $what, $values[$#values / 2], $values[$#values * .95],
		$values[-1];
}

my (@lines, @nesting);
while (my $file = <STDIN>) {
	chomp $file;
	open(my $in, '<', $file) or die "$file: $!\n";
	my ($begin, $body);
	while (<$in>) {
		if (/^\{$/) { ($begin, $body) = ($., ''); next }
		next unless $begin;
		if (!/^\}$/) { $body .= $_; next }
		push @lines, $. - $begin - 1;
		push @nesting, nesting($body);
		undef $begin;
	}
}
die "function-figures.pl: no functions\n" unless @lines;
print scalar(@lines), " functions\n";
figures_print('lines', @lines);
figures_print('nesting', @nesting);
