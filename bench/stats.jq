# SPDX-License-Identifier: GPL-2.0-or-later
# bench/stats.jq - statistics of an array of numbers, for jq -L bench 'include "stats"; ...'.

def mean: add / length;
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
# Of a sample; null when there is one number only.
def sd: length as $n | mean as $m | if $n < 2 then null else map((. - $m) * (. - $m)) | add / ($n - 1) | sqrt end;
# Student's t, two-sided 95 %, by degrees of freedom; from 30 on as at 30.
def t95: [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
	2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045,
	2.042][([., 30] | min) - 1];
# Half width of the mean's 95 % interval.
def ci95: length as $n | if $n < 2 then null else sd / ($n | sqrt) * ($n - 1 | t95) end;
