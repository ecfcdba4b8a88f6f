#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check-speculation.py [--section] PAGE LOG: does the page tell of job arrays that speculate what their log tells?

Computed anew from heartbeats.jsonl: how many tasks ended, were slow, had copies, and who won, in the first sentences and in
those of each array; the nodes where slow tasks began; each progress line, as it is drawn and in its data; each row of the
table of attempts.  With --section the page is that of a run's folder, which has no first sentences about them.  Prints what
was compared; exit status 1 and one line for each fault (the first 20) when something is wrong."""
import argparse
import collections
import html
import importlib
import itertools
import json
import math
import re
import sys

check = importlib.import_module("check-page")
RATIO = 1.2		# times the mean: slow
LINES_MAX = 400		# drawn of each kind
POINTS_MAX = 64		# of a line, about; the rest of it is left out
ROWS_MAX = 60
NODES_MAX = 4		# named in the first sentences
ARRAYS_MAX = 20
Beat = collections.namedtuple("Beat", "task attempt received elapsed progress end")


class Array:
    """One job array of the log."""

    def __init__(self, name, tasks):
        self.name, self.tasks = name, tasks
        self.beats, self.attempts, self.told, self.end_s = [], [], {}, None

    def see(self, line):
        if line["type"] in ("heartbeat", "copy"):
            self.beats.append(Beat(line["task"], line.get("attempt", 1), line["received_s"], line["elapsed_s"],
                                   line["progress"], line.get("end", False)))
        elif line["type"] == "attempt":
            self.attempts.append(line)
        elif line["type"] == "task":
            self.told[line["task"]] = line.get("straggler", False)
        elif line["type"] == "end":
            self.end_s = line["time_s"]

    def close(self):
        self.from_s = min((beat.received - beat.elapsed for beat in self.beats), default=math.nan)
        self.span_s = max((beat.received for beat in self.beats), default=math.nan) - self.from_s
        self.copies = [attempt for attempt in self.attempts if attempt["attempt"] > 1]
        self.won = [attempt for attempt in self.copies if attempt["won"]]
        self.taken_over = {attempt["task"] for attempt in self.won}
        self.ended = {beat.task for beat in self.beats if beat.end}
        self.slow = ({attempt["task"] for attempt in self.attempts} | self.long_ones() |
                     {beat.task for beat in self.beats if beat.attempt > 1})

    def long_ones(self):
        if self.told:
            return {task for task, straggler in self.told.items() if straggler}
        originals = sorted((beat for beat in self.beats if beat.attempt == 1), key=lambda beat: beat.received)
        lasted, starts = {}, collections.defaultdict(lambda: math.inf)
        for beat in originals:
            starts[beat.task] = min(starts[beat.task], beat.received - beat.elapsed)
            if beat.end:
                lasted.setdefault(beat.task, beat.elapsed)
        if not lasted:
            return set()
        limit = RATIO * sum(lasted.values()) / len(lasted)
        end_s = originals[-1].received if self.end_s is None else self.end_s
        return {task for task, start in starts.items() if lasted.get(task, end_s - start) >= limit}

    def lines(self):
        """(task, attempt) -> [(time, progress)] in order: of who was stopped, up to where it was."""
        lines = collections.defaultdict(list)
        for beat in sorted(self.beats, key=lambda beat: (beat.received, beat.elapsed, beat.end)):
            done = beat.end and (beat.attempt > 1 or beat.task not in self.taken_over)
            lines[beat.task, beat.attempt].append((beat.received - self.from_s, 1 if done else beat.progress))
        return dict(sorted(lines.items()))

    def kind(self, task, attempt):
        return "copy" if attempt > 1 else "slow" if task in self.slow else "steady"

    def ran_s(self, attempt):
        return max((beat.elapsed for beat in self.beats
                    if (beat.task, beat.attempt) == (attempt["task"], attempt["attempt"])), default=math.nan)


def arrays_read(path):
    """In the order of their ends; those without one last."""
    opened, closed = {}, []
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            if line["type"] == "job":
                opened[line["job"]] = Array(line["job"], line["tasks"])
            elif "job" in line:
                opened[line["job"]].see(line)
            if line["type"] == "end":
                closed.append(opened.pop(line["job"]))
    arrays = closed + list(opened.values())
    for array in arrays:
        array.close()
    return arrays


# ---- words ----


def expect(what, got, wanted):
    check.compared["sentences and figures"] += 1
    if got != wanted:
        check.fault(f"{what}: {got!r}, not {wanted!r}")


def plain(text):
    return html.unescape(re.sub(r"<[^>]*>", "", text))


def figures(text):
    return [(key, float(value)) for value, key in re.findall(r'<data value="([^"]*)" data-key="(\w+)"', text)]


def copies_words(array):
    return ("copy was" if len(array.copies) == 1 else "copies were") + f" made, of which {len(array.won)} won."


def winners_known(array):
    return bool(array.attempts) or all(beat.attempt == 1 for beat in array.beats)


def sentence_check(array, text):
    slow = len(array.slow)
    wanted = (f"Array {array.name}: {len(array.ended)} of {array.tasks} tasks ended; {slow} "
              f"{'was' if slow == 1 else 'were'} found slow or took at least 1.2 times the mean; ")
    values = [("tasks_ended", len(array.ended)), ("tasks_slow", slow)]
    if winners_known(array):
        wanted += f"{len(array.copies)} {copies_words(array)}"
        values += [("copies", len(array.copies)), ("copies_won", len(array.won))]
    else:
        wanted += "copies ran, but who won is not in the log."
    expect(f"sentence of array {array.name}", plain(text), wanted)
    expect(f"figures of array {array.name}", figures(text), values)


def lead_words(arrays):
    tasks, ended = sum(array.tasks for array in arrays), sum(len(array.ended) for array in arrays)
    slow, copies, won = (sum(len(part(array)) for array in arrays)
                         for part in (lambda a: a.slow, lambda a: a.copies, lambda a: a.won))
    longest = max((array.span_s for array in arrays if array.span_s > 0), default=0)
    count = f"All {ended:,}" if ended == tasks > 1 else f"{ended:,}" if ended == tasks else f"{ended:,} of {tasks:,}"
    of = f"job array {arrays[0].name}" if len(arrays) == 1 else f"{len(arrays):,} job arrays"
    took = ("; it took DURATION" if len(arrays) == 1 else "; the longest took DURATION") if longest else ""
    words = f"{count} task{'' if tasks == 1 else 's'} of {of} ended{took}. "
    if not slow and not copies:
        return words + "None of them was slow, and none had a copy.", longest
    words += f"{slow:,} {'was' if slow == 1 else 'were'} slow; "
    if not all(map(winners_known, arrays)):
        return words + "copies ran, but who won is not in the log.", longest
    return words + f"{copies:,} {'copy was' if copies == 1 else 'copies were'} made, of which {won:,} won.", longest


def lead_check(page, arrays):
    """Each figure is in its place and, as shown_check () sees to, is what is shown; the duration is compared as a number."""
    lead = re.search(r'<p class="lead">(.*?)</p>', page.text, re.S)
    wanted, longest = lead_words(arrays)
    text = re.sub(r'<data [^>]*data-key="longest_array_s">[^<]*</data>', "DURATION", lead[1] if lead else "")
    expect("first sentence", plain(text), wanted)
    took = dict(figures(lead[1] if lead else "")).get("longest_array_s", 0)
    if not check.same(took, longest, 1e-12, 1e-9):
        check.fault(f"longest array: {took} s, not {longest}")
    began = dict.fromkeys(attempt["node"] for array in arrays for attempt in array.attempts
                          if attempt["attempt"] == 1 and attempt.get("node"))
    named = re.search(r'<p class="loss">Slow tasks began on (.*?)\.</p>', page.text)
    expect("nodes where slow tasks began", re.findall(r"<b>(.*?)</b>", named[1] if named else ""), list(began)[:NODES_MAX])
    expect("other nodes", bool(named) and named[1].endswith(" and other nodes"), len(began) > NODES_MAX)


# ---- progress ----


def data_check(array, figure):
    table = re.search(r'data-name="run1-progress-%s.csv">task,attempt,time_s,progress\n(.*?)</pre>' % re.escape(array.name),
                      figure, re.S)
    got = [tuple(map(float, row.split(","))) for row in (table[1] if table else "").splitlines()]
    wanted = [(task, attempt, time, progress) for (task, attempt), points in array.lines().items()
              for time, progress in points]
    check.compared["points of progress"] += len(got)
    if len(got) != len(wanted):
        check.fault(f"progress of array {array.name}: {len(got)} points, not {len(wanted)}")
    for mine, theirs in zip(wanted, got):
        if mine[:2] != theirs[:2] or not all(check.same(a, b, 1e-5, check.NEAR_S) for a, b in zip(mine[2:], theirs[2:])):
            check.fault(f"progress of array {array.name}: {theirs}, not {mine}")
            return


def is_line(got, points, span_s):
    """From the first to the last point, by points of the line in its order; a long line may lack some in between."""
    wanted = [(10000 * time / span_s, 1000 - 1000 * progress) for time, progress in points]

    def near(a, b):
        return abs(a[0] - b[0]) <= 0.51 and abs(a[1] - b[1]) <= 0.51

    most = math.ceil(len(wanted) / POINTS_MAX)	# points from one that is drawn to the next
    if not got or not near(got[0], wanted[0]) or not near(got[-1], wanted[-1]):
        return False
    at = {0}		# points of the line that may be the one that was drawn last
    for point in got[1:]:
        at = {after for before in at for after in range(before + 1, min(before + most, len(wanted) - 1) + 1)
              if near(point, wanted[after])}
    return len(wanted) - 1 in at


def drawn_check(array, figure):
    canvas = re.search(r'<svg viewBox="0 0 10000 1000".*?</svg>', figure, re.S)
    paths = re.findall(r'<path class="c (\w+)" d="M([^"]*)"', canvas[0] if canvas else "")
    by_kind = collections.defaultdict(list)
    for (task, attempt), points in array.lines().items():
        by_kind[array.kind(task, attempt)].append((task, attempt, points))
    wanted = [(kind, line) for kind in ("steady", "slow", "copy") for line in by_kind[kind][:LINES_MAX]]
    expect(f"lines of array {array.name}", *([(kind, len(list(group))) for kind, group in itertools.groupby(lines)]
                                             for lines in ([kind for kind, _ in paths], [kind for kind, _ in wanted])))
    for (_, path), (kind, (task, attempt, points)) in zip(paths, wanted):
        check.compared[f"{kind} lines as drawn"] += 1
        got = [tuple(map(float, point.split())) for point in path.split("L")]
        if not is_line(got, points, array.span_s):
            check.fault(f"line of task {task}, attempt {attempt} of array {array.name}: {path[:80]}, not {points[:4]}...")


def axis_check(array, figure):
    """m:ss, h:mm:ss or seconds; a longer one is not looked at."""
    for left, text in re.findall(r'<span[^>]* style="left:([\d.]+)%">([\d:.]+)(?: s)?</span>', figure):
        seconds = 0.0
        for part in text.split(":"):
            seconds = 60 * seconds + float(part)
        check.compared["ticks"] += 1
        if abs(float(left) - 100 * seconds / array.span_s) > 0.006:
            check.fault(f"tick {text} of array {array.name} at {left} %, not {100 * seconds / array.span_s}")


# ---- the table ----


def row_of(array, attempt):
    task = attempt.get("task_id", f"? (number {attempt['task']} of the log)")
    stopped = attempt["task"] in array.taken_over
    ran_s = array.ran_s(attempt)
    return [f"{array.name}_{task}", f"{attempt['attempt']}{' (copy)' if attempt['attempt'] > 1 else ''}",
            attempt.get("node", "not known"), "not known" if math.isnan(ran_s) else ran_s,
            attempt.get("state", "not known"), "won" if attempt["won"] else "stopped" if stopped else ""]


def table_check(array, part):
    rows = [[check.cell_value(cell) for cell in re.split(r"</t[hd]>(?:<td[^>]*>)?", row)[:-1]]
            for row in re.findall(r'<tr><th scope="row">(.*?)</tr>', part, re.S)]
    wanted = [row_of(array, attempt) for attempt in array.attempts[:ROWS_MAX]]
    check.compared["rows of attempts"] += len(rows)
    for got, row in zip(rows, wanted):
        if got != row:
            check.fault(f"row of attempts of array {array.name}: {got}, not {row}")
    expect(f"number of rows of array {array.name}", len(rows), len(wanted))


def array_check(array, part):
    sentence_check(array, part[3:part.index("</p>")])
    if array.span_s > 0:
        figure = re.search(r'<figure class="progress tall".*?</figure>', part, re.S)
        for each in data_check, drawn_check, axis_check:
            each(array, figure[0] if figure else "")
    table_check(array, part)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--section", action="store_true")
    parser.add_argument("page")
    parser.add_argument("log")
    args = parser.parse_args()
    arrays, page = arrays_read(args.log), check.Page(args.page)
    section = re.search(r'<h2 id="run1-stragglers">.*?</section>', page.text, re.S)
    parts = re.split(r"(?=<p>Array )", section[0] if section else "")[1:]
    expect("arrays", len(parts), min(len(arrays), ARRAYS_MAX))
    for array, part in zip(arrays, parts):
        array_check(array, part)
    if not args.section:
        lead_check(page, arrays)
    check.shown_check(page)
    for what, count in check.compared.items():
        print(f"{count} {what}")
    for line in check.faults[:20]:
        print(f"fault: {line}")
    return 1 if check.faults else 0


if __name__ == "__main__":
    sys.exit(main())
