#!/bin/sh
test_description='windtunnel report: texts and marks have contrast enough, by day, by night and on paper'
. "$WT_SRCDIR/t/setup.sh"

# WCAG 2: 4.5 for text, 3 for what has to be seen in a picture.
cat >contrast.pl <<'EOF_PERL'
use strict;
my ($css, $draw) = map { local $/; open my $in, '<', $_ or die "$_: $!"; <$in> } @ARGV;
sub luminance {
	my @v = map { $_ <= 0.03928 ? $_ / 12.92 : (($_ + 0.055) / 1.055) ** 2.4 } map { hex($_) / 255 }
		(length $_[0] == 3 ? map { $_ x 2 } split //, $_[0] : unpack '(A2)3', $_[0]);
	return 0.2126 * $v[0] + 0.7152 * $v[1] + 0.0722 * $v[2];
}
sub contrast {
	my ($dark, $light) = sort { $a <=> $b } map { luminance($_) } @_;
	return ($light + 0.05) / ($dark + 0.05);
}
my (@roots) = $css =~ /:root \{(.*?)\}/gs;
my %day = $roots[0] =~ /--([\w-]+): #([0-9a-f]{3,6})/g;
my $looks = 0;
for my $root (@roots) {
	my %v = (%day, $root =~ /--([\w-]+): #([0-9a-f]{3,6})/g);
	next if $root !~ /--paper:/;
	$looks++;
	for my $on (qw(paper soft)) {
		printf "text %s on %s: %.2f\n", $_, $on, contrast($v{$_}, $v{$on})
			for grep { contrast($v{$_}, $v{$on}) < 4.5 } qw(ink grey link box);
	}
	printf "mark %s: %.2f\n", $_, contrast($v{$_}, $v{paper})
		for grep { contrast($v{$_}, $v{paper}) < 3 }
		(map { "c$_" } 0 .. 4), (map { "z$_" } 0 .. 6), qw(busy idle-ink box);
	printf "busy beside idle: %.2f\n", contrast($v{busy}, $v{idle}) if contrast($v{busy}, $v{idle}) < 3;
	my $night = luminance($v{paper}) < 0.5 ? 'dark' : 'light';
	for my $list ($draw =~ /$night: (\[[^\]]*\]|0x[0-9a-f]{6})/g) {
		printf "schedule %s: %.2f\n", $_, contrast($_, $v{paper})
			for grep { contrast($_, $v{paper}) < 3 } $list =~ /0x([0-9a-f]{6})/g;
	}
}
print "looks: $looks\n" if $looks != 3;
EOF_PERL
web="$WT_SRCDIR/harness/page/web"
test_expect_success 'contrast of texts and marks, by arithmetic' '
	perl contrast.pl "$web/page.css" "$web/gantt_draw.js" >low && wt_empty low
'
test_expect_success 'the arithmetic finds what is too pale' '
	sed "s/--grey: #[0-9a-f]*/--grey: #999999/; s/--z0: #[0-9a-f]*/--z0: #8fb4dc/" "$web/page.css" >pale.css &&
	sed "s/light: \[0x[0-9a-f]*/light: [0xb7d3ee/" "$web/gantt_draw.js" >pale.js &&
	perl contrast.pl pale.css pale.js >low && grep "^text grey on paper" low && grep "^mark z0: 2" low &&
	grep "^schedule b7d3ee: 1" low
'
test_done
