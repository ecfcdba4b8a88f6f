#!/bin/sh
test_description='windtunnel report --plots: plots for papers, drawn by gnuplot from data that are those of the run'
. "$WT_SRCDIR/t/setup.sh"

if ! command -v gnuplot >/dev/null; then
	skip_all='no gnuplot (Debian package gnuplot-nox), which draws'
	test_done
fi
bench_run="$WT_BUILDDIR/harness/page/bench_run"
plots="cdf-slowdown cdf-submission cdf-turnaround cdf-wait queue rate-ended rate-started rate-submitted running utilisation"
near() { perl -e 'exit(abs($ARGV[0] - $ARGV[1]) > $ARGV[2])' -- "$1" "$2" "$3" || { echo "$1 is not $2"; return 1; }; }
# drawn DIR: each plot is there in three formats, which are what they are called
drawn() {
	for plot in $plots; do
		xmllint --noout "$1/$plot.svg" 2>/dev/null || head -c 500 "$1/$plot.svg" | grep -q "<svg" || echo "$plot.svg"
		tail -n 2 "$1/$plot.svg" | grep -q "</svg>" || echo "$plot.svg has no end"
		head -c 5 "$1/$plot.pdf" | grep -q "%PDF-" && tail -c 10 "$1/$plot.pdf" | grep -q "%%EOF" || echo "$plot.pdf"
		head -c 8 "$1/$plot.png" | od -An -tx1 | grep -q "89 50 4e 47 0d 0a 1a 0a" || echo "$plot.png"
	done >wrong
	wt_empty wrong
}

test_expect_success 'a run: ten plots as SVG, PDF and PNG' '
	"$bench_run" --jobs 3000 --nodes 100 made && windtunnel report made --plots plots >out 2>err && cat err &&
	echo "plots: plots (10, each as .svg, .pdf and .png, with its .gp and .csv)" >expected && test_cmp expected out &&
	test ! -e made/report.html && drawn plots && test "$(ls plots | wc -l)" = 50
'
test_expect_success 'their data are those of jobs.csv' '
	perl -F, -lane "
		if (\$. == 1) { @n = @F; next }
		if (\$F[0] > \$end) { \$end = \$F[0] } \$area += \$y * (\$F[0] - \$x); (\$x, \$y) = @F;
		END { print \$area / \$end / 100 }" plots/utilisation-1.csv >area &&
	near "$(cat area)" "$(jq .utilization made/summary.json)" 1e-3 &&
	near "$(tail -n 1 plots/cdf-wait-1.csv | cut -d, -f1)" "$(jq .wait_max_s made/summary.json)" 1e-3 &&
	awk -F, "NR > 1 && \$2 >= 50 { print \$1; exit }" plots/cdf-turnaround-1.csv >median &&
	median=$(jq .turnaround_median_s made/summary.json) && near "$(cat median)" "$median" "${median%%.*}e-2" &&
	awk -F, "NR > 2 { n += y * (\$1 - x) } { x = \$1; y = \$2 } END { print n }" plots/rate-started-1.csv >started &&
	near "$(cat started)" 3000 0.5
'
test_expect_success 'a job that ends at the very end of the last bar counts there' '
	"$bench_run" --jobs 700 --nodes 24 edge && sed -i "2,\$ { 3,\$d; s/143\.256000/120.000000/g }" edge/jobs.csv &&
	grep -q "120\.000000" edge/jobs.csv && windtunnel report edge --plots edges >out 2>err &&
	awk -F, "NR > 2 { n += y * (\$1 - x) } { x = \$1; y = \$2 } END { print n }" edges/rate-ended-1.csv >ended &&
	near "$(cat ended)" 1 0.001
'
test_expect_success 'several runs in one plot, and a script that a user has changed draws again' '
	"$bench_run" --jobs 500 --nodes 50 --shared --seed 7 other && windtunnel report made other --plots both >out &&
	drawn both && test "$(grep -c "\"other\"" both/queue.gp)" = 1 && test "$(grep -c "\"made\"" both/queue.gp)" = 1 &&
	grep -q ">other<" both/queue.svg && grep -q ">made<" both/queue.svg &&
	sed -i "s/jobs that waited/Warteschlange/" both/queue.gp && (cd both && gnuplot queue.gp) &&
	grep -q "Warteschlange" both/queue.svg
'
test_expect_success 'a path that gnuplot could run, and quotes, are text' '
	odd="\`touch harm\`\"; system(\"touch harm\") #" && cp -R other "$odd" &&
	windtunnel report "$odd" --plots odd >out &&
	drawn odd && ! find . "$WT_TMP" -name harm | grep . && grep -q "touch harm" odd/queue.svg
'
test_expect_success 'what a run does not tell is left out, and said' '
	cp -R other less && rm less/summary.json && windtunnel report less --plots less-plots >out 2>err && cat err &&
	grep "^windtunnel report: plots: utilisation: less does not tell it$" err && test ! -e less-plots/utilisation.svg &&
	test -s less-plots/queue.svg && grep "^plots: less-plots (9," out
'
test_expect_success 'without gnuplot: which package has it, and scripts and data are there' '
	verb=$(command -v windtunnel) && mkdir nothing &&
	test_expect_code 1 env PATH="$PWD/nothing" "$verb" report made --plots bare 2>err &&
	grep "install Debian.s gnuplot-nox, or draw KEY.gp elsewhere" err && test_line_count = 1 err &&
	test -s bare/queue.gp && test -s bare/queue-1.csv && (cd bare && gnuplot queue.gp) && test -s bare/queue.pdf
'
# In DIR a stranger has laid links to the run's files and pipes under the plots' names.
test_expect_success 'names in the folder that are links, second names of files, pipes: replaced, never written to' '
	cp -R other trap && mkdir lain && echo mine >victim && ln -s ../trap/jobs.csv lain/queue-1.csv &&
	ln -s ../victim lain/queue.svg && ln trap/summary.json lain/queue.png && ln -s ../victim lain/queue.gp &&
	ln -s nowhere lain/queue.pdf && mkfifo lain/running.gp lain/running.svg lain/running-1.csv &&
	timeout 300 windtunnel report trap --plots lain >out && drawn lain && echo mine >expected &&
	test_cmp expected victim && cmp other/jobs.csv trap/jobs.csv && cmp other/summary.json trap/summary.json &&
	test ! -e lain/nowhere && ! find lain -type l | grep . && ! find lain -type p | grep . &&
	test "$(ls -A lain | wc -l)" = 50
'
test_expect_success 'a folder under the name of a plot: one line, and nothing else is left behind' '
	mkdir -p taken/queue.svg/x && test_expect_code 1 windtunnel report other --plots taken 2>err &&
	test "$(grep -c "^windtunnel report: " err)" = 1 && grep "taken/queue.svg: cannot put the new file there" err &&
	! ls -A taken | grep windtunnel
'
# Data and scripts of 200 jobs find room on each of these disks, and not all pictures do.
mkdir "$WT_TMP/small"
small='mount -t tmpfs -o size="$0" tmpfs "$1" && shift && exec "$@"'
unshare -m sh -c "$small" 600k "$WT_TMP/small" true 2>/dev/null && test_set_prereq SMALL_DISK
test_have_prereq SMALL_DISK || echo "# what a full disk does to pictures is left out: no disk can be mounted here"
test_expect_success SMALL_DISK 'a full disk is told, and no picture is cut' '
	"$bench_run" --jobs 200 --nodes 20 few &&
	cat >fill <<-\END &&
	verb=$1 small=$2
	"$verb" report few --plots "$small/p" >out 2>err
	echo $? >code
	for file in "$small"/p/*.svg; do test ! -e "$file" || tail -n 2 "$file" | grep -q "</svg>" || echo "$file"; done >cut
	for file in "$small"/p/*.pdf; do test ! -e "$file" || tail -c 9 "$file" | grep -q "%%EOF" || echo "$file"; done >>cut
	for file in "$small"/p/*.png; do test ! -e "$file" || tail -c 8 "$file" | grep -aq IEND || echo "$file"; done >>cut
	ls -A "$small/p" | grep windtunnel >>cut
	ls "$small/p" | grep -c "[.]gp\$" >scripts
	true
	END
	for size in 360k 420k 500k 600k; do
		unshare -m sh -c "$small" $size "$WT_TMP/small" sh ./fill "$(command -v windtunnel)" "$WT_TMP/small" &&
		cat err && echo 1 >expected && test_cmp expected code && wt_empty cut && wt_empty out &&
		echo 10 >expected && test_cmp expected scripts &&
		grep -E "No space left|gnuplot did not write all of it|gnuplot failed" err || return 1
	done
'
# A gnuplot that waits, and a report that is killed while it does.
mkdir slow
cat >slow/gnuplot <<\END
#!/bin/sh
basename "$PWD" >"$WT_TMP/private"
echo $$ >"$WT_TMP/gnuplot.pid"
exec sleep 1000
END
chmod +x slow/gnuplot
gnuplot_waits() { test -s "$WT_TMP/gnuplot.pid"; }
# slow_start DIR: a report into DIR whose gnuplot waits; its process id is in $report, its private folder in $private
slow_start() {
	PATH="$PWD/slow:$PATH" windtunnel report few --plots "$1" >slow.out 2>&1 &
	report=$!
	wt_poll 120 gnuplot_waits && private=$(cat "$WT_TMP/private") && test -d "$1/$private"
}
report_kill() { kill -9 $report && { wait $report; report=; }; }
gnuplot_kill() { kill -9 $(cat "$WT_TMP/gnuplot.pid") && rm "$WT_TMP/gnuplot.pid"; }
slow_end() {
	test -z "$report" || report_kill
	! gnuplot_waits || gnuplot_kill
}
report=
cleanup slow_end
test_expect_success 'what a killed report left behind goes with the next call; what else is called so, or is in use, stays' '
	test -d few || "$bench_run" --jobs 200 --nodes 20 few &&
	slow_start left && { report_kill; true; } && gnuplot_kill &&
	mkdir -m 700 left/.windtunnel-plots.sOmeOt left/.windtunnel-plots.mIxedX left/.windtunnel-plots.tooLong aim &&
	mkdir -m 755 left/.windtunnel-plots.oPenTo && echo mine >left/.windtunnel-plots.oPenTo/queue.svg &&
	echo mine >aim/queue.svg && ln -s "$PWD/aim" left/.windtunnel-plots.lInkTo &&
	ln -s "$PWD/aim/queue.svg" left/.windtunnel-plots.sOmeOt/queue.svg &&
	ln -s "$PWD/aim" left/.windtunnel-plots.sOmeOt/queue.pdf && touch left/.windtunnel-plots.sOmeOt/queue.gp.123.new &&
	echo mine >left/.windtunnel-plots.mIxedX/thesis.tex && echo mine >left/.windtunnel-plots.mIxedX/queue.png &&
	killed=$private && slow_start left && windtunnel report few --plots left >out && drawn left &&
	ls -A left | grep windtunnel | sort >got &&
	{ echo "$private" && printf ".windtunnel-plots.%s\n" lInkTo mIxedX oPenTo tooLong; } | sort >wanted &&
	test_cmp wanted got &&
	test ! -e "left/$killed" && echo mine >expected && test_cmp expected aim/queue.svg &&
	test_cmp expected left/.windtunnel-plots.oPenTo/queue.svg &&
	echo thesis.tex >expected && ls -A left/.windtunnel-plots.mIxedX >got && test_cmp expected got &&
	gnuplot_kill && { wait $report; report=; } && test ! -e "left/$private"
'
mkdir liar none
cat >liar/gnuplot <<\END
#!/bin/sh
tr "'" '\n' | grep -E '[.](svg|pdf|png)$' | while read -r name; do echo "<svg>" >"$name"; done
END
printf '#!/bin/sh\n' >none/gnuplot
chmod +x liar/gnuplot none/gnuplot
test_expect_success 'a gnuplot that says success, and draws half a picture, or none' '
	test_expect_code 1 env PATH="$PWD/liar:$PATH" windtunnel report other --plots half 2>err &&
	test_line_count = 1 err && grep "half/utilisation.svg: gnuplot did not write all of it; is the disk full?" err &&
	! ls -A half | grep -E "svg|pdf|png|windtunnel" && test -s half/queue.gp && test -s half/queue-1.csv &&
	test_expect_code 1 env PATH="$PWD/none:$PATH" windtunnel report other --plots half 2>err &&
	test_line_count = 1 err && grep "half/utilisation.svg: gnuplot did not draw it" err
'
test_expect_success 'a folder that cannot be made is one line' '
	test_expect_code 1 windtunnel report made --plots nowhere/plots 2>err && test_line_count = 1 err &&
	touch file && test_expect_code 1 windtunnel report made --plots file 2>err && test_line_count = 1 err
'
test_done
