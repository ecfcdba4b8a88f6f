#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check-experiment.py PAGE FOLDER: are the figures of an experiment's page those of its runs?

The means of all cases and half their 95 % intervals, the cells of tables over two axes, and the points and bands of curves
over one are computed here anew from the summary.json of each run.  Prints what was compared; exit status 1 and one line for
each fault (the first 20) when something is wrong."""
import collections
import glob
import html
import importlib
import json
import math
import os
import re
import sys

page_check, side_check = importlib.import_module("check-page"), importlib.import_module("check-side")
fault, compared = page_check.fault, page_check.compared
PICTURE = 1000	# a chart is so many units high


def cases_of(folder):
    """{"stock, nodes 2": {figure: [its value in each run]}}; the folder of that case is stock_nodes=2."""
    cases = {}
    for path in sorted(glob.glob(os.path.join(folder, "*", "[0-9]*", "summary.json"))):
        name = os.path.basename(os.path.dirname(os.path.dirname(path))).replace("_", ", ").replace("=", " ")
        with open(path, encoding="utf-8") as file:
            for key, value in json.load(file).items():
                if isinstance(value, (int, float)):
                    cases.setdefault(name, collections.defaultdict(list))[key].append(value)
    return cases


def half(values):
    """Of the 95 % interval of a mean, by Student's t."""
    if len(values) < 2:
        return math.nan
    return side_check.t95(len(values) - 1) * math.sqrt(side_check.variance(values) / len(values))


def cell_check(name, cell, values_of):
    """A mean as programs read it, and half its interval as people do."""
    found = re.search(r'<data value="([^"]*)" data-key="(\w+)">', cell)
    if not found:
        fault(f"{name}: no value in {cell!r}")
        return
    values = values_of.get(found[2], [])
    if not values or not page_check.same(float(found[1]), side_check.mean(values), 1e-12):
        fault(f"{name}: {found[2]} is {found[1]}, not the mean of {values}")
        return
    told, wanted = re.search(r"\u00b1 (&lt;)?([^<]*)</small>", cell), half(values)
    if (told is None) != math.isnan(wanted) or told and not told[1] and not page_check.shown_matches(wanted, told[2]):
        fault(f"{name}: {found[2]} has the interval {told and told[0]!r}, not {wanted}")


def cells(row):
    return re.findall(r"<td[^>]*>(.*?)</td>", row)


def rows(table):
    """(name, the text behind it) of each row."""
    found = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', table, re.S)
    return [(html.unescape(name), rest) for name, rest in found]


def cases_check(text, cases):
    table = re.search(r'<table class="cases">.*?</table>', text, re.S)
    shown = rows(table[0]) if table else []
    if {name for name, _ in shown} != set(cases):
        fault(f"cases {sorted(name for name, _ in shown)}, not {sorted(cases)}")
    for name, row in shown:
        runs, *figures = cells(row)
        if name in cases and int(runs) != len(cases[name]["makespan_s"]):
            fault(f"{name}: {runs} runs")
        for cell in figures:
            compared["means of cases"] += bool(cell)
            if cell and name in cases:
                cell_check(name, cell, cases[name])


def heat_check(text, cases):
    for table in re.findall(r'<table class="heat".*?</table>', text, re.S):
        axes = [html.unescape(name) for name in re.search(r'<th scope="col">(.*?) \u2193 (.*?) \u2192</th>', table).groups()]
        columns = [html.unescape(name) for name in re.findall(r'<th scope="col">([^<\u2193]*)</th>', table)]
        for row, rest in rows(table):
            for column, cell in zip(columns, cells(rest), strict=True):
                name = f"{axes[0]} {row}, {axes[1]} {column}"
                compared["cells of tables over two axes"] += 1
                cell_check(name, cell, cases.get(name, {}))


def axis_of(figure):
    """What a height in the picture stands for, from the labels beside it."""
    labels = [(float(top) / 100 * PICTURE, float(text.replace(",", "")))
              for top, text in re.findall(r'<span style="top:([\d.]+)%">([\d,.-]+)</span>', figure)]
    (low, least), (high, most) = labels[0], labels[-1]
    return (lambda y: least + (y - low) / (high - low) * (most - least)), abs((most - least) / (high - low))


def point_check(name, height, value, unit, scales):
    near = [scale for scale in scales if abs(height - value * scale) <= 1.01 * unit]
    compared["points over one axis"] += 1
    if not near:
        fault(f"{name}: drawn at {height:g}, not {value:g}")
    return near or scales


def curves_check(text, cases):
    """By their order: a curve has its cases by the value of the axis."""
    for figure in re.findall(r'<figure class="tall over-grid".*?</figure>', text, re.S):
        key, (at, unit) = re.search(r'id="grid-(\w+)"', figure)[1], axis_of(figure)
        words = re.search(r"-name\">.* by ([^<(]*?)(?: \(logarithmic\))? <span", figure)[1]
        names = [html.unescape(name) for name in re.findall(r"</svg>([^<]+)</span>", figure)] or [""]
        scales = (1, 100, 1000, 1e-3, 1 / 1024)
        for series, (points, band) in enumerate(zip(re.findall(r'class="points p\d+" d="([^"]*)"', figure),
                                                    re.findall(r'class="band b\d+" d="([^"]*)"', figure))):
            prefix = (names[series] + ", " if names[series] else "") + words + " "
            of = sorted((name for name in cases if name.startswith(prefix)), key=lambda name: float(name[len(prefix):]))
            drawn = [int(y) for y in re.findall(r"M\d+ (-?\d+)h0", points)]
            edge = [int(y) for y in re.findall(r"[ML]\d+ (-?\d+)", band)]
            if len(drawn) != len(of) or len(edge) != 2 * len(of):
                fault(f"{key}: {len(drawn)} points and {len(edge)} of the band, of {of}")
                continue
            for i, name in enumerate(of):
                values = cases[name][key]
                reach = half(values) if len(values) > 1 else 0
                scales = point_check(f"{key} of {name}", at(drawn[i]), side_check.mean(values), unit, scales)
                point_check(f"{key} of {name}, above", at(edge[i]), side_check.mean(values) + reach, unit, scales)
                point_check(f"{key} of {name}, below", at(edge[-1 - i]), side_check.mean(values) - reach, unit, scales)


def main():
    path, folder = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    cases = cases_of(folder)
    for check in cases_check, heat_check, curves_check:
        check(text, cases)
    for what, count in compared.items():
        print(f"{count} {what}")
    for line in page_check.faults[:20]:
        print(f"fault: {line}")
    return 1 if page_check.faults else 0


if __name__ == "__main__":
    sys.exit(main())
