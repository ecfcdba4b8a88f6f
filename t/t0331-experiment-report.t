#!/bin/sh
test_description='windtunnel report EXPERIMENT: the question, the sentences, the cases, the grid; in a browser'
. "$WT_SRCDIR/t/setup.sh"

clock="clock: virtual, charge: none"
# Sanitizers do not go together with a preloaded library.
if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	clock="clock: real"
fi
experiment() {	# experiment NAME REPEAT GRID...
	name=$1 repeat=$2
	shift 2
	cat >"$name.yaml" <<-END &&
	title: How many nodes, & is <b>"more"</b> better?
	seed: 5
	repeat: $repeat
	figures: [makespan_s, wait_mean_s, controller_cpu_per_job_s]
	workload: {kind: burst, jobs: 8, run-time: 20, time-scale: 0.1}
	cluster: {shape: "pack:1 core:1 pu:1", $clock}
	$(printf '%s\n' "$@")
	END
	windtunnel experiment run --quiet "$name.yaml" >"$name.out" 2>&1 || { cat "$name.out"; false; }
}

slow=slow-by-a-name-that-is-longer-than-the-screen-of-a-telephone-is-wide
test_expect_success 'a grid of one axis: curves with a band for each figure, and each mean as in the runs' '
	experiment one 2 "variants:" "  stock:" "  $slow: {slurm.conf: {SchedulerParameters: batch_sched_delay=9}}" "grid:" \
		"  cluster.nodes: [2, 4, 8]" &&
	page=one/report.html &&
	grep -q "<h1 id=\"experiment\">How many nodes, &amp; is &lt;b&gt;" $page &&
	grep -c "<figure class=\"tall over-grid\"" $page >figures && echo 3 >want && test_cmp want figures &&
	test "$(grep -o "<path class=\"band b[01]\"" $page | wc -l)" = 6 &&
	for case in "stock_nodes=2" "${slow}_nodes=8"; do
		jq -s "[.[].makespan_s] | add / 2" "one/$case/1/summary.json" "one/$case/2/summary.json" >mean &&
		name=$(echo "$case" | sed "s/_nodes=/, nodes /") &&
		sed -n "/<table class=\"cases\"/,/<\/table>/p" $page | grep -F "$name<" |
			sed "s/.*<data value=\"\([^\"]*\)\" data-key=\"makespan_s\">.*/\1/" >shown &&
		perl -e "exit(abs(\$ARGV[0] - \$ARGV[1]) > 1e-9 * \$ARGV[0])" "$(cat mean)" "$(cat shown)" || return 1
	done
'
test_expect_success 'sentences are those of compare, and measured and modelled figures have columns of their own' '
	windtunnel experiment compare --json one >json &&
	jq -r ".cases[].with_first.figures[]? | .sentence" json | sort >want && test_line_count -gt 10 want &&
	grep -o "<li><span data-figure=[^<]*" one/report.html | sed "s/.*\">//" | sort >got && test_cmp want got &&
	sed -n "/<table class=\"cases\"/,/<\/thead>/p" one/report.html | grep -o "class=\"kind [a-z]*\"" | sort | uniq -c |
		sed "s/^ *//" >kinds && grep -q "^1 class=\"kind real\"\$" kinds
'
test_expect_success 'bench/plots draws cases, on a grid and without one, and refuses what it cannot draw' '
	plots=$WT_SRCDIR/bench/plots && "$plots" cases one makespan_s grid.svg "makespan, s" && xmllint --noout grid.svg &&
	grep -q "makespan, s" grid.svg && grep -q ">stock</tspan>\|>stock<" grid.svg && grep -q "$slow" grid.svg &&
	experiment plain 2 "variants:" "  all \`touch ran\` \$(touch ran) of it:" \
		"  later: {slurm.conf: {SchedulerParameters: batch_sched_delay=9}}" &&
	"$plots" cases plain wait_mean_s plain.svg "mean wait, ms" 1000 && xmllint --noout plain.svg &&
	grep -q "all touch ran .*of it" plain.svg && test ! -e ran && grep -q "mean wait, ms" plain.svg &&
	test_expect_code 2 "$plots" cases plain cost none.svg 2>err && grep "no case in plain has the figure cost" err &&
	test ! -e none.svg && test_expect_code 2 "$plots" cases 2>err && test_expect_code 2 "$plots" draw 2>err &&
	grep "draw.*neither" err && "$plots" --help | grep -q "^Usage"
'
test_expect_success 'two axes: a table with a colour for each cell; one run says that nothing is known about chance' '
	experiment two 1 "grid:" "  cluster.nodes: [2, 4]" "  slurm.conf.EpilogMsgTime: [2000, 1, 200]" &&
	page=two/report.html && test "$(grep -c "<table class=\"heat\"" $page)" = 3 &&
	test "$(grep -o "<td style=\"--heat:[0-9]*%\">" $page | wc -l)" = 18 &&
	grep -q "takes two runs of each at least" $page && ! grep -q "class=\"asserted\"" $page &&
	test "$(grep -c "<article class=\"run\"" $page)" = 6
'
test_expect_success 'an experiment of which nothing has ended is told so; a damaged index, too' '
	mkdir none && cp two/index.sqlite none/ && test_expect_code 1 windtunnel report none 2>err &&
	grep -q "no run of this experiment has ended well" err && test ! -e none/report.html &&
	mkdir bad && echo "no index" >bad/index.sqlite && test_expect_code 1 windtunnel report bad 2>err &&
	test_line_count = 1 err
'
test_expect_success 'no output over the index, the description, or a file of a run of the experiment' '
	cp two/index.sqlite two/experiment.yaml . && case=$(basename "$(dirname "$(ls -d two/*/1 | head -n 1)")") &&
	ln -s two/index.sqlite alias && cp "two/$case/1/summary.json" . && mkdir -p "two/failed/1" &&
	for file in index.sqlite experiment.yaml index.sqlite-wal "$case/1/summary.json" "$case/summary.json" \
		"failed/1/jobs.csv"; do
		for option in --output --openmetrics; do
			test_expect_code 1 windtunnel report two $option "two/$file" >out 2>err && test_line_count = 1 err &&
			grep "two/$file: is what two.* is read from" err || { echo "$option $file"; return 1; }
		done
	done &&
	test_expect_code 1 windtunnel report two --output alias 2>err && test ! -e "two/failed/1/jobs.csv" &&
	cmp index.sqlite two/index.sqlite && cmp experiment.yaml two/experiment.yaml &&
	cmp summary.json "two/$case/1/summary.json" && test ! -e two/index.sqlite-wal && rmdir two/failed/1 two/failed &&
	windtunnel report two --openmetrics two/metrics.txt
'
command -v python3 >/dev/null && test_set_prereq PYTHON
recomputed() { python3 "$WT_SRCDIR/t/check-experiment.py" "$@" >recomputed || { cat recomputed; return 1; }; }
# noticed FOLDER CHANGE FAULT: a page that sed has changed so has this fault
noticed() {
	sed "$2" "$1/report.html" >spoilt.html && ! cmp -s spoilt.html "$1/report.html" &&
	! recomputed spoilt.html "$1" >/dev/null && grep "^fault: $3" recomputed ||
		{ echo "not noticed: $2"; cat recomputed; return 1; }
}
test_expect_success PYTHON 'all means and intervals, in tables and curves, recomputed from the runs; a change is noticed' '
	recomputed one/report.html one && cat recomputed && grep "^18 means of cases\$" recomputed &&
	grep "^54 points over one axis\$" recomputed && recomputed two/report.html two &&
	grep "^18 cells of tables over two axes\$" recomputed &&
	noticed one "/<table class=\"cases\"/,/<\/table>/ s/value=\"\([^\"]*\" data-key=\"wait_mean_s\"\)/value=\"1\1/" \
		".* wait_mean_s is 1.*, not the mean of" &&
	noticed one "/<table class=\"cases\"/,/<\/table>/ s/\(± \)[0-9.]*/\198765/" ".* has the interval" &&
	noticed one "s/\(class=\"points p1\" d=\"M[0-9]* \)[0-9]*/\1990/" ".* of $slow, .*: drawn at" &&
	noticed one "s/\(class=\"band b0\" d=\"M[0-9]* \)-*[0-9]*/\1999/" ".* of stock, .*, above: drawn at" &&
	noticed two "/<table class=\"heat\"/,/<\/table>/ s/value=\"/&1/" "nodes .*, EpilogMsgTime .* is 1"
'
test_expect_success PYTHON 'an index of somebody else: its names are text, on the page and on the terminal' '
	cp -R two evil && python3 -c "import sqlite3; d = sqlite3.connect(\"evil/index.sqlite\");
d.execute(\"UPDATE experiment_case SET name = char(27) || name || \x27<img src=x>\x27\"); d.commit()" &&
	windtunnel report evil >out && ! grep -q "<img" evil/report.html && windtunnel experiment compare evil >out &&
	! grep -q "$(printf "\033")" out
'
command -v chromium >/dev/null && command -v python3 >/dev/null && test_set_prereq BROWSER
test_expect_success BROWSER 'in a browser, wide and narrow: no error, no request, nothing wider than the page' '
	cat >look.py <<-END &&
	import sys
	sys.path.insert(0, "$WT_SRCDIR/t")
	import reader
	from browser import Browser
	with Browser() as browser:
	    for name in ("one", "two"):
	        for width, dark in ((1280, False), (400, True)):
	            page = browser.open(f"file://$WT_TMP/pages/{name}.html", width=width, height=900, dark=dark)
	            asked = [url for url in page.requests if not url.startswith(("file:", "blob:", "data:"))]
	            wide = page.js("document.documentElement.scrollWidth - innerWidth")
	            drawn = page.js("[...document.querySelectorAll(\".over-grid svg path.c, table.heat td\")]"
	                            ".filter(e => e.getBoundingClientRect().width > 5).length")
	            faults = reader.fits(page) + reader.accessible(page)
	            if page.errors or asked or wide > 0 or drawn < 6 or faults:
	                sys.exit(f"{name} {width}: {page.errors} {asked} {wide} too wide, {drawn} drawn, {faults}")
	            page.close()
	END
	mkdir "$WT_TMP/pages" && cp one/report.html "$WT_TMP/pages/one.html" &&
	cp two/report.html "$WT_TMP/pages/two.html" &&
	PYTHONDONTWRITEBYTECODE=1 python3 look.py
'
test_done
