# SPDX-License-Identifier: GPL-2.0-or-later
"""gantt.py CHECK[,CHECK...] FILE [WORD...]: a page in a browser that is started once; each check opens the page anew, and
prints that it passed, or what is not so."""
import json
import re
import sys

import reader
from browser import Browser, Failed

GANTT = "document.querySelector('.gantt')"
PIXELS = """(() => {
    const canvas = document.querySelector('.gantt-canvas'), copy = document.createElement('canvas');
    copy.width = canvas.width;
    copy.height = canvas.height;
    const ctx = copy.getContext('2d', { willReadFrequently: true });
    ctx.drawImage(canvas, 0, 0);
    const data = new Uint32Array(ctx.getImageData(0, 0, canvas.width, canvas.height).data.buffer), counts = new Map();
    for (const pixel of data)
        counts.set(pixel, (counts.get(pixel) || 0) + 1);
    let hash = 0;
    for (const pixel of data)
        hash = Math.imul(hash, 31) + pixel | 0;
    return { hash, colours: counts.size, most: Math.max(...counts.values()) / data.length };
})()"""


# All of which a made-up run has something to show.
COLOURINGS = ["size", "class", "user", "account", "partition", "qos", "state", "wait", "switches"]


def expect(condition, text):
    if not condition:
        raise Failed(text)


class Schedule:
    """The page with its schedule drawn and all of it read."""

    def __init__(self, browser, path, state="complete", **look):
        self.page = browser.open("file://" + path, **look)
        self.page.wait(f"['complete', 'failed'].includes({GANTT}.dataset.state)")
        expect(self.data("state") == state, f"the schedule is {self.data('state')}: {self.text('.gantt-status')}")
        if state == "complete":
            self.settle()

    def data(self, name):
        return self.page.js(f"{GANTT}.dataset.{name}")

    def text(self, selector):
        return self.page.js(f"document.querySelector('{selector}').textContent")

    def settle(self):
        """Until the picture on the screen is that of the view."""
        self.page.wait("""(async () => {
            const frame = () => new Promise(done => requestAnimationFrame(done));
            await frame();
            await frame();
            return document.querySelector('.gantt').dataset.settled === 'true';
        })()""", "the picture settles")

    def pixels(self):
        self.settle()
        return self.page.js(PIXELS)

    def box(self, selector=".gantt-plot"):
        self.page.js(f"document.querySelector('{selector}').scrollIntoView({{ block: 'center' }})")
        box = self.page.js(f"JSON.stringify(document.querySelector('{selector}').getBoundingClientRect())")
        return json.loads(box)

    def view(self):
        return json.loads(self.data("view"))

    def key(self, key):
        self.page.js("document.querySelector('.gantt-plot').focus()")
        before = self.data("view")
        self.page.key(key)
        self.page.wait(f"{GANTT}.dataset.view !== '{before}'", f"the view after {key}")
        return self.view()

    def search(self, text):
        self.page.js("delete %s.dataset.found" % GANTT)
        self.page.js(f"document.querySelector('.gantt input').value = {json.dumps(text)}")
        self.page.js("document.querySelector('.gantt form').requestSubmit()")
        self.page.wait(f"{GANTT}.dataset.found !== undefined")
        return int(self.data("found"))

    def choose(self, number, value):
        self.page.js(f"""(() => {{
            const select = document.querySelectorAll('.gantt select')[{number}];
            select.value = '{value}';
            select.dispatchEvent(new Event('change'));
        }})()""")

    def quiet(self):
        expect(not self.page.errors, f"errors: {self.page.errors}")
        others = [url for url in self.page.requests if not url.startswith(("file:", "blob:"))]
        expect(not others, f"requests: {others}")


def check_start(browser, path):
    """The browser opens a page at all."""
    page = browser.open("file://" + path)
    page.wait("document.title === 'started'")


def look_whole(page, dark):
    """Nothing is wider than the screen, each chart is seen, and a screen reader, which knows no colours, finds its way."""
    faults = reader.fits(page)
    expect(not faults, f"sideways: {faults}")
    empty = page.js("""[...document.querySelectorAll('figure')].filter(figure => !figure.closest('details:not([open])') &&
        ![...figure.querySelectorAll('.canvas svg')].some(svg => svg.getBoundingClientRect().width > 100 &&
        [...svg.querySelectorAll('path.c')].some(path => path.getAttribute('d')))).map(figure => figure.id)""")
    expect(not empty, f"charts without a curve: {empty}")
    faults = [] if dark else reader.accessible(page)
    expect(not faults, f"for a screen reader: {faults}")


def check_opens(browser, path, curves=".chart .canvas path.c"):
    """A page without a schedule, by day and by night, and on paper: charts are there, nothing is thrown or asked for."""
    for width in (1280, 400):
        page = browser.open("file://" + path, width=width, dark=width == 400, touch=width == 400)
        count = page.js(f"[...document.querySelectorAll('{curves}')].filter(p => p.getAttribute('d')).length")
        expect(count >= 3, f"{count} curves")
        expect(not page.js("document.querySelectorAll('.gantt').length"), "there is a schedule")
        for dark in (width == 400, width != 400):
            page.look(width, 900, dark, touch=width == 400)
            look_whole(page, dark)
        expect(page.pdf(path + ".pdf") > 10000, "nothing is printed")
        expect(not page.errors, f"errors: {page.errors}")
        expect(all(url.startswith("file:") for url in page.requests), f"requests: {page.requests}")
        page.close()


def check_fits(browser, path):
    """Whatever is on a page, by day on a large screen and by night on a small one: nothing of it has to be looked for."""
    for width in (1280, 400):
        page = browser.open("file://" + path, width=width, dark=width == 400, touch=width == 400)
        look_whole(page, width == 400)
        page.close()


def whole_picture(schedule, width, dark):
    """A picture, in which no part is wider than the screen."""
    pixels = schedule.pixels()
    expect(pixels["colours"] > 8 and pixels["most"] < 0.9, f"{width}, {dark}: nothing is drawn: {pixels}")
    wide = schedule.page.js("""Math.max(...[...document.querySelectorAll('.gantt, .gantt :not(.gantt-scroll *)')]
        .map(element => element.getBoundingClientRect().right))""")
    expect(wide <= width, f"the schedule reaches to {wide} at {width}")
    over = schedule.page.js("""[...document.querySelectorAll('.x span, .losses, .tile, .chart, p')]
        .filter(element => element.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
        .map(element => element.className + ' ' + element.textContent.slice(0, 30))""")
    expect(not over, f"wider than {width}: {over}")
    look_whole(schedule.page, dark)


def check_drawn(browser, path):
    """Pictures at both widths, by day and by night, whichever it is at first, and nothing asked of anybody."""
    for width in (1280, 400):
        at_first = width == 400
        schedule = Schedule(browser, path, width=width, dark=at_first, touch=width == 400)
        for dark in (at_first, not at_first):
            schedule.page.look(width, 900, dark, touch=width == 400)
            whole_picture(schedule, width, dark)
        schedule.quiet()
        schedule.page.close()


def jobs_in_view(schedule):
    """How many jobs the table of the window counts."""
    schedule.settle()
    schedule.page.js("document.querySelector('.gantt details').open = false")
    schedule.page.js("document.querySelector('.gantt tbody').replaceChildren()")
    schedule.page.js("document.querySelector('.gantt details').open = true")
    schedule.page.wait("document.querySelectorAll('.gantt tbody tr').length > 0")
    return int(re.search(r"([\d,]+) jobs", schedule.text(".gantt details"))[1].replace(",", ""))


def check_opening(browser, path):
    """Where few large jobs have the first nodes, the page opens on rows that have more."""
    schedule = Schedule(browser, path)
    opened = schedule.view()
    seen = jobs_in_view(schedule)
    expect(opened["r0"] > 0, f"the first view is {opened}")
    while schedule.view()["r0"] > 0:
        schedule.key("ArrowUp")
    top = schedule.view()
    expect(top["t0"] == opened["t0"] and abs(top["r1"] - opened["r1"] + opened["r0"]) < 1, f"the top of {opened}: {top}")
    top = jobs_in_view(schedule)
    expect(seen > top, f"the first view shows {seen} jobs, the first rows have {top}")
    schedule.quiet()


def tab_to(page, selector):
    """From the search field on, by the key Tab alone, until the element has the focus."""
    page.js("document.querySelector('.gantt input').focus()")
    for _ in range(20):
        page.key("Tab")
        if page.js(f"document.activeElement.matches('{selector}')"):
            return
    raise Failed(f"Tab does not come to {selector}")


def without_mouse(schedule):
    """What is searched, and the chart, are reached and left by keys; buttons act by Enter."""
    page = schedule.page
    tab_to(page, ".gantt-zoom button:last-child")
    page.key("Enter")
    schedule.page.wait(f"JSON.parse({GANTT}.dataset.view).t0 === 0", "Enter on the last button shows the whole run")
    before = schedule.data("view")
    tab_to(page, ".gantt-plot")
    page.key("+")
    page.wait(f"{GANTT}.dataset.view !== '{before}'", "the chart that Tab came to hears +")
    page.key("Tab")
    expect(not page.js("document.activeElement.matches('.gantt-plot, body')"), "Tab does not leave the chart")
    page.js("document.querySelector('.gantt input').focus(); document.querySelector('.gantt input').value = ''; "
            f"delete {GANTT}.dataset.found")
    page.key("7")
    page.key("Enter")
    page.wait(f"{GANTT}.dataset.found !== undefined", "Enter in the search field searches")
    whole_run(schedule)


def whole_run(schedule):
    schedule.page.js("document.querySelector('.gantt-zoom button:last-child').click(); document.activeElement.blur()")
    schedule.settle()


def check_keys(browser, path):
    keys(Schedule(browser, path))


def keys(schedule):
    without_mouse(schedule)
    whole = schedule.view()
    drawn = schedule.pixels()["hash"]
    nearer = schedule.key("+")
    expect(abs(nearer["t1"] - nearer["t0"] - (whole["t1"] - whole["t0"]) / 2) < 2, f"+ of {whole} is {nearer}")
    expect(schedule.pixels()["hash"] != drawn, "the picture is the same after +")
    moved = schedule.key("ArrowRight")
    expect(moved["t0"] > nearer["t0"] and abs(moved["t1"] - moved["t0"] - nearer["t1"] + nearer["t0"]) < 1, f"-> is {moved}")
    rows = schedule.key("PageUp")
    expect(rows["r1"] - rows["r0"] < moved["r1"] - moved["r0"], f"Page Up is {rows}")
    expect(schedule.key("Home") == whole, "Home is not the whole run")
    expect(schedule.pixels()["hash"] == drawn, "the picture of the whole run is another one than before")
    schedule.page.key("Escape")
    schedule.page.wait(f"{GANTT}.dataset.selected === undefined", "Escape lets go")
    for key, job in (("n", "0"), ("n", "1"), ("p", "0")):
        schedule.page.key(key)
        schedule.page.wait(f"{GANTT}.dataset.selected === '{job}'", f"{key} goes to job {job}")
        schedule.page.wait("document.querySelector('.gantt-live').textContent.startsWith('Job ')")
    schedule.quiet()


def check_charts_hover(page):
    """The values of a chart at the mouse are told, and those of all charts over the same time."""
    chart = "document.querySelector('.chart[data-axis=time] %s')"
    page.js(chart % ".canvas" + ".scrollIntoView({ block: 'center' })")
    box = json.loads(page.js("JSON.stringify(" + chart % ".canvas" + ".getBoundingClientRect())"))
    page.mouse("mouseMoved", box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    page.wait(chart % "output.at" + ".textContent.trim() !== ''", "a chart tells its values")


def search_real(schedule, word):
    """By a part of the name, by the number of a job that has it, and what is not there."""
    expect(schedule.search(word) >= 1, f"no job is called {word}")
    number = re.search(r"Job (\d+) ", schedule.text(".gantt-live"))[1]
    expect(schedule.search(number) == 1 and f"Job {number} " in schedule.text(".gantt-live"), f"{number} is not found")
    expect(schedule.search("no-such-job") == 0, "a job is called no-such-job")


def check_tour(browser, path, word, schedules="1"):
    """A page of real runs: drawn at both widths, by day and by night, and used by mouse, keys, search and printer."""
    for width in (1280, 400):
        schedule = Schedule(browser, path, width=width, touch=width == 400)
        schedule.page.wait("[...document.querySelectorAll('.gantt')].every(gantt => gantt.dataset.state === 'complete')")
        count = schedule.page.js("document.querySelectorAll('.gantt').length")
        expect(count == int(schedules), f"{count} schedules")
        for dark in (False, True):
            schedule.page.look(width, 900, dark, touch=width == 400)
            schedule.settle()
            for number in range(count):
                pixels = schedule.page.js(PIXELS.replace("('.gantt-canvas')", f"All('.gantt-canvas')[{number}]"))
                expect(pixels["colours"] > 8 and pixels["most"] < 0.9, f"{width}, {dark}: nothing is drawn: {pixels}")
            look_whole(schedule.page, dark)
        if width == 1280:
            schedule.page.look(width, 900)
            check_charts_hover(schedule.page)
            keys(schedule)
            pointer(schedule)
            search_real(schedule, word)
            printed(schedule, path)
        schedule.quiet()
        schedule.page.close()


def hovered(schedule):
    """A job's details below the mouse."""
    box = schedule.box()
    for step in range(40):		# somewhere there is a job
        schedule.page.mouse("mouseMoved", box["x"] + box["width"] / 2, box["y"] + box["height"] / 2 + (step * 37 % 100 - 50))
        schedule.page.wait(f"{GANTT}.dataset.asked === {GANTT}.dataset.answered")
        if not schedule.page.js("document.querySelector('.gantt-details').hidden"):
            break
    expect(schedule.text(".gantt-details").startswith("Job "), "no details below the mouse")


def check_once(browser, path, jobs, nodes, word):
    """A page of many nodes or jobs, opened once: both widths, by day and by night, hover, zoom, search, paper."""
    schedule = Schedule(browser, path)
    expect(f"{int(jobs):,} of {int(jobs):,} jobs ran on {int(nodes):,} nodes" in schedule.text(".gantt"), "what is shown")
    for width in (1280, 400):
        for dark in (False, True):
            schedule.page.look(width, 900, dark)
            pixels = schedule.pixels()
            expect(pixels["colours"] > 8 and pixels["most"] < 0.9, f"{width}, {dark}: nothing is drawn: {pixels}")
            look_whole(schedule.page, dark)
    schedule.page.look(1280, 900)
    schedule.settle()
    check_charts_hover(schedule.page)
    hovered(schedule)
    before, drawn = schedule.view(), schedule.pixels()["hash"]
    after = schedule.key("+")
    expect(after["t1"] - after["t0"] < before["t1"] - before["t0"], f"+ of {before} is {after}")
    expect(schedule.pixels()["hash"] != drawn, "the picture is the same after +")
    expect(schedule.key("Home")["t0"] == 0, "Home is not the whole run")
    schedule.settle()
    search_real(schedule, word)
    expect(schedule.search(jobs) >= 1 and f"Job {jobs} " in schedule.text(".gantt-live"), f"job {jobs} is not found")
    printed(schedule, path)
    schedule.quiet()


def check_pointer(browser, path):
    """Details below the mouse, the wheel, and dragging."""
    pointer(Schedule(browser, path))


def pointer(schedule):
    whole_run(schedule)
    box = schedule.box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    hovered(schedule)
    taken = schedule.page.js("!document.querySelector('.gantt-plot').dispatchEvent("
                             "new WheelEvent('wheel', { deltaY: -120, bubbles: true, cancelable: true }))")
    expect(not taken, "the wheel zooms without the focus")
    schedule.page.click(x, y)
    before = schedule.data("view")
    schedule.page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-120)
    schedule.page.wait(f"{GANTT}.dataset.view !== '{before}'", "the wheel zooms with the focus")
    before = schedule.view()
    schedule.page.mouse("mousePressed", x, y, button="left", clickCount=1)
    for step in range(1, 6):
        schedule.page.mouse("mouseMoved", x + 30 * step, y, button="left", buttons=1)
    schedule.page.mouse("mouseReleased", x + 150, y, button="left", clickCount=1)
    after = schedule.view()
    expect(after["t0"] < before["t0"] or before["t0"] == 0, f"dragged from {before} to {after}")
    schedule.quiet()


def check_touch(browser, path):
    schedule = Schedule(browser, path, width=400, touch=True)
    box = schedule.box()
    x, y, before = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, schedule.view()
    schedule.page.touch("touchStart", (x - 20, y), (x + 20, y))
    for step in range(1, 6):
        schedule.page.touch("touchMove", (x - 20 - 15 * step, y), (x + 20 + 15 * step, y))
    schedule.page.touch("touchEnd")
    schedule.page.wait(f"{GANTT}.dataset.view !== '{json.dumps(before, separators=(',', ':'))}'", "a pinch zooms")
    after = schedule.view()
    expect(after["t1"] - after["t0"] < before["t1"] - before["t0"], f"pinched from {before} to {after}")
    schedule.quiet()


def check_search(browser, path):
    """By number, by a part of the name, and what is not there; colours and rows; the table."""
    schedule = Schedule(browser, path)
    expect(schedule.search("17") == 1 and "Job 17 " in schedule.text(".gantt-live"), f"17: {schedule.text('.gantt-live')}")
    expect(schedule.search("tiny.") > 1, "no job is called tiny")
    expect("jobs. Job " in schedule.text(".gantt-live"), f"tiny: {schedule.text('.gantt-live')}")
    expect(schedule.search("no-such-job") == 0, "a job is called no-such-job")
    expect("No job is called" in schedule.text(".gantt-live"), f"no-such-job: {schedule.text('.gantt-live')}")
    offered = schedule.page.js("[...document.querySelectorAll('.gantt select')[0].options].map(option => option.value)")
    expect(offered == COLOURINGS, f"colours by {offered}")
    seen = {}
    for colour in COLOURINGS:
        schedule.choose(0, colour)
        seen.setdefault(schedule.pixels()["hash"], []).append(colour)
    same = [colours for colours in seen.values() if len(colours) > 1]
    expect(not same, f"these colourings look the same: {same}")
    schedule.choose(1, "switch")
    schedule.settle()
    schedule.page.js("document.querySelector('.gantt details').open = true")
    schedule.page.wait("document.querySelectorAll('.gantt tbody tr').length > 0")
    schedule.quiet()


CHARTS = """(run => [...document.getElementById(run).closest('.run').querySelectorAll('.chart[data-axis=time]')]
    .map(figure => ({
    from: +figure.dataset.from, to: +figure.dataset.to,
    ticks: [...figure.querySelectorAll('.x span')].map(span => [parseFloat(span.style.left), span.textContent]),
    paths: [...figure.querySelectorAll('.canvas path.c')].map(path => path.getAttribute('d'))
})))('%s')"""


def seconds(text):
    value = 0
    for part in text.split(":"):
        value = 60 * value + float(part)
    return value


def check_charts(schedule, run, begin, end):
    """All charts over time show what the schedule shows, with labels where their times are; and all of it again."""
    page = schedule.page
    page.wait(f"{CHARTS % run}.every(chart => Math.abs(chart.to - {end}) < 1e-6)", "the charts follow the schedule")
    part = page.js(CHARTS % run)
    expect(len(part) >= 3, f"{len(part)} charts over time")
    for chart in part:
        expect(abs(chart["from"] - begin) < 1e-6, f"a chart begins at {chart['from']}, not {begin}")
        expect(len(chart["ticks"]) >= 3, f"labels: {chart['ticks']}")
        for left, text in chart["ticks"]:
            if "d" not in text:
                place = (seconds(text) - begin) / (end - begin) * 100
                expect(abs(left - place) < 1, f"{text} stands at {left} %, not at {place} %")
        expect(any(path.startswith("M") for path in chart["paths"]), "a chart is empty")
    schedule.key("Home")
    page.wait(f"{CHARTS % run}.every(chart => chart.from === 0 && chart.to > {end})", "the charts show the whole run again")
    again = [chart["paths"] for chart in page.js(CHARTS % run)]
    expect(again == schedule.whole, "the whole run is drawn otherwise than before")


def check_picking(schedule):
    """A span that the mouse is dragged over in a chart is shown by all; a double click brings the whole run back."""
    mouse, box = schedule.page.mouse, schedule.box("#run1-queue .canvas")
    x, y, width = box["x"], box["y"] + box["height"] / 2, box["width"]
    before, chart = schedule.data("view"), schedule.page.js("({...document.querySelector('#run1-queue').dataset})")
    mouse("mousePressed", x + 0.25 * width, y, button="left", clickCount=1)
    mouse("mouseMoved", x + 0.75 * width, y, button="left", buttons=1)
    mouse("mouseReleased", x + 0.75 * width, y, button="left", clickCount=1)
    schedule.page.wait(f"{GANTT}.dataset.view !== '{before}'", "the schedule shows what was picked in a chart")
    heard = schedule.page.js("window.heard")
    first, last = float(chart["from"]), float(chart["to"])
    expect(heard["source"] == "chart" and abs(heard["from"] - (first + 0.25 * (last - first))) < 0.01 * (last - first) and
           abs(heard["to"] - (first + 0.75 * (last - first))) < 0.01 * (last - first), f"picked {heard} of {chart}")
    check_charts(schedule, heard["run"], heard["from"], heard["to"])
    expect(not schedule.page.js("document.querySelectorAll('.pick').length"), "what marked the span is still there")
    schedule.key("+")
    schedule.page.wait("document.querySelector('#run1-queue').dataset.to !== '%s'" % chart["to"], "the charts follow")
    box = schedule.box("#run1-queue .canvas")
    for clicks in 1, 2:
        for kind in "mousePressed", "mouseReleased":
            mouse(kind, box["x"] + width / 2, box["y"] + 5, button="left", clickCount=clicks)
    schedule.page.wait("document.querySelector('#run1-queue').dataset.to === '%s'" % chart["to"],
                       "a double click shows the whole run")


def check_follow(browser, path):
    """The event that charts and schedule send each other."""
    schedule = Schedule(browser, path)
    schedule.page.js("document.addEventListener('wt-view', event => { window.heard = event.detail; })")
    schedule.whole = [chart["paths"] for chart in schedule.page.js(CHARTS % schedule.data("run"))]
    schedule.key("+")
    heard = schedule.page.js("window.heard")
    expect(heard["source"] == "gantt" and heard["to"] > heard["from"], f"heard {heard}")
    middle = (heard["from"] + heard["to"]) / 2
    before = schedule.data("view")
    schedule.page.js("document.dispatchEvent(new CustomEvent('wt-view', { detail: { run: '%s', source: 'chart', "
                     "from: %f, to: %f } }))" % (heard["run"], heard["from"], middle))
    schedule.page.wait(f"{GANTT}.dataset.view !== '{before}'", "the schedule follows a chart")
    check_charts(schedule, heard["run"], heard["from"], middle)
    check_picking(schedule)
    schedule.page.js("document.dispatchEvent(new CustomEvent('wt-view', { detail: 'nonsense' }))")
    schedule.page.js("document.dispatchEvent(new CustomEvent('wt-view', { detail: { source: 'chart', from: 'x' } }))")
    schedule.pixels()
    schedule.quiet()


def check_print(browser, path):
    """Paper shows the whole run at three times the resolution, whatever is on the screen."""
    printed(Schedule(browser, path, dark=True), path)


def printed(schedule, path):
    schedule.page.wait(f"{GANTT}.dataset.print === 'ready'")
    wide = schedule.page.wait("document.querySelector('.gantt-print').naturalWidth")
    expect(wide >= 3000, f"the picture for paper is {wide} wide")
    schedule.page.call("Emulation.setEmulatedMedia", {"media": "print"})
    shown = schedule.page.js("['.gantt-print', '.gantt-plot', '.gantt-tools'].map(s => "
                             "getComputedStyle(document.querySelector(s)).display)")
    expect(shown == ["block", "none", "none"], f"on paper: {shown}")
    foot = schedule.page.js("[...document.querySelectorAll('tfoot')].map(foot => getComputedStyle(foot).display)")
    expect(foot and all(display == "table-row-group" for display in foot), f"a sum at the end of each sheet: {foot}")
    shown = schedule.page.js("[...document.querySelectorAll('details:not([open])')].filter(d => d.offsetHeight).length")
    expect(shown == 0, f"{shown} things to open, on paper")
    pdf = schedule.page.pdf(path + ".pdf")
    expect(pdf > 20000, f"the PDF has {pdf} bytes")
    schedule.quiet()


def damaged(path, change):
    with open(path, encoding="utf-8") as page:
        text = page.read()
    begin = text.index(">", text.index('class="gantt-data"')) + 1
    end = text.index("<", begin)
    with open(path + ".damaged.html", "w", encoding="utf-8") as page:
        page.write(change(text, begin, end))
    return path + ".damaged.html"


def check_damage(browser, path):
    """A page that lost a part says so in this section, and nothing is thrown."""
    def flip(text, begin, end):
        at = begin + (end - begin) // 8
        return text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1:]
    changes = {
        "a changed byte": flip,
        "a lost end": lambda text, begin, end: text[:begin + (end - begin) // 2 // 4 * 4] + text[end:],
        "no base64": lambda text, begin, end: text[:begin] + "!!!!" + text[begin + 4:],
        "no head": lambda text, begin, end: text.replace('class="gantt-head"', 'class="gone"'),
        "a head that is cut off": lambda text, begin, end: text.replace('"columns"', '"columns', 1),
        "no columns": lambda text, begin, end: text.replace('"columns":{', '"columns":{},"gone":{', 1),
    }
    for name, change in changes.items():
        try:
            schedule = Schedule(browser, damaged(path, change), state="failed")
            expect("cannot be shown" in schedule.text(".gantt-status"), schedule.text(".gantt-status"))
            schedule.quiet()
            schedule.page.close()
        except Failed as reason:
            raise Failed(f"{name}: {reason}") from None


def check_hostile(browser, path):
    """Names with markup, control characters and right-to-left marks are words."""
    schedule = Schedule(browser, path)
    expect(schedule.search("5") >= 1, "no job 5")
    live = schedule.text(".gantt-live")
    expect("<img src=x onerror=alert(1)>" in live and "\u202e" not in live and "\u0007" not in live, f"job 5 is {live!r}")
    schedule.search("</script>")
    schedule.page.js("document.querySelector('.gantt details').open = true")
    schedule.page.wait("document.querySelectorAll('.gantt tbody tr').length > 0")
    expect(not schedule.page.js("document.querySelector('.gantt img[src=x]')"), "markup of a name became an element")
    schedule.quiet()


def legends_faults(page):
    """Legends of all colourings: what is named there may be long."""
    faults = []
    for colour in page.js("[...document.querySelectorAll('.gantt select')[0].options].map(option => option.value)"):
        page.js(f"""(() => {{
            const select = document.querySelectorAll('.gantt select')[0];
            select.value = '{colour}';
            select.dispatchEvent(new Event('change'));
        }})()""")
        page.wait("""(async () => {
            for (let i = 0; i < 3; i++)
                await new Promise(done => requestAnimationFrame(done));
            return document.querySelector('.gantt').dataset.settled === 'true';
        })()""", f"colours by {colour}")
        faults += [f"colours by {colour}: {fault}" for fault in reader.fits(page)]
    return faults


def check_odd(browser, *paths):
    """Pages of odd runs: each is whole, fits, is read, and throws nothing, whatever there is to be drawn."""
    for path in paths:
        try:
            page = browser.open("file://" + path)
            page.wait("[...document.querySelectorAll('.gantt')].every(gantt => "
                      "['complete', 'failed'].includes(gantt.dataset.state))")
            faults = page.js("[...document.querySelectorAll('.gantt[data-state=failed]')].map(gantt => gantt.textContent)")
            faults += page.js("/\\b(NaN|Infinity|undefined)\\b/.exec(document.body.innerText) || []") + reader.fits(page)
            page.look(400, 900)
            faults += reader.fits(page) + reader.accessible(page) + page.errors
            if "long" in path.rpartition("/")[2]:
                faults += legends_faults(page)
            expect(not faults, str(faults))
            page.close()
        except Failed as reason:
            raise Failed(f"{path}: {reason}") from None


def passed(browser, check, path, more):
    try:
        globals()["check_" + check](browser, path, *more)
        print(f"{check}: passed", flush=True)
        return True
    except Failed as reason:
        print(f"{check}: {reason}", flush=True)
        return False


def main():
    checks, path, *more = sys.argv[1:]
    with Browser() as browser:
        results = []
        for check in checks.split(","):
            results.append(passed(browser, check, path, more))
            browser.clear()
    sys.exit(not all(results))


main()
