# SPDX-License-Identifier: GPL-2.0-or-later
"""What a page is to those who do not see all of it: on a narrow screen, and through a screen reader.

fits(page) and accessible(page) return a list of what is not so; all that can be opened is open while they look, but for the
data of charts, of which the first stand for all: their lines would be hundreds of thousands of nodes."""

# Roles of Chromium's tree that mean nothing without a name.
NAMED = {"application", "button", "Canvas", "checkbox", "combobox", "DisclosureTriangle", "figure", "heading", "image",
         "img", "link", "listbox", "radio", "region", "searchbox", "slider", "table", "textbox"}


def opened(page, act):
    """What act() returns while details are open; those that were closed are closed again."""
    page.js("""window.wasClosed = [...document.querySelectorAll('details:not([open])')].filter(
        (details, _, all) => !details.matches('.data') || details === all.find(other => other.matches('.data')));
        wasClosed.forEach(details => { details.open = true })""")
    try:
        return act()
    finally:
        page.js("wasClosed.forEach(d => { d.open = false }); delete window.wasClosed")


LAID_OUT = """(() => {
    const faults = [];
    for (const pair of document.querySelectorAll('.pair')) {
        const plots = [...pair.querySelectorAll('.canvas')].map(plot => plot.getBoundingClientRect());
        plots.forEach((plot, i) => {
            if (i && plot.left > plots[i - 1].left + 1 && Math.abs(plot.bottom - plots[i - 1].bottom) > 0.5)
                faults.push(`charts beside each other end at ${plots[i - 1].bottom} and ${plot.bottom}`);
        });
    }
    return faults.slice(0, 5);
})()"""


def fits(page):
    """The page can be read without moving it sideways: what is wider has a scroll bar of its own.  Charts beside each
    other stand on one line."""
    def look():
        return sideways() + page.js(LAID_OUT)

    def sideways():
        return page.js("""(() => {
            const root = document.documentElement, limit = root.clientWidth;
            if (root.scrollWidth <= limit)
                return [];
            const wide = [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > limit + 0.5);
            return [`the page is ${root.scrollWidth} wide, and the screen ${limit}`, ...wide.slice(-3).map(e =>
                `${e.tagName} ${e.getAttribute('class') || ''} ${e.textContent.trim().slice(0, 40)}`)];
        })()""")
    return look() + opened(page, lambda: look() + hidden(page))


def hidden(page):
    """What nobody should have to move a table for: its caption, and whether a difference is clear."""
    return page.js("""[...document.querySelectorAll('caption > span, .differences td.unit')].filter(e => {
            const own = document.createRange(), box = e.closest('.scroll').getBoundingClientRect();
            own.selectNodeContents(e);
            return e.getClientRects().length && own.getBoundingClientRect().right > box.right + 0.5;
        }).slice(0, 3).map(e => `cut off: ${e.textContent.trim().slice(0, 60)}`)""")


def value(node, key):
    return node.get(key, {}).get("value")


def tree(page):
    """Nodes of the accessibility tree in the order in which they are read, those that are left out of it without."""
    page.call("Accessibility.enable")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    page.call("Accessibility.disable")
    by_id, order = {node["nodeId"]: node for node in nodes}, []

    def walk(node):
        if not node.get("ignored"):
            order.append(node)
        for child in node.get("childIds", []):
            if child in by_id:
                walk(by_id[child])
    walk(nodes[0])
    return by_id, order


def headings_faults(order):
    faults, before = [], 0
    for node in order:
        if value(node, "role") != "heading":
            continue
        level = next(p["value"]["value"] for p in node["properties"] if p["name"] == "level")
        if level > before + 1:
            faults.append(f"heading {value(node, 'name')!r} of level {level} stands below one of level {before}")
        before = level
    if not before:
        faults.append("there is no heading")
    return faults


def table_faults(by_id, table):
    """Each has columns with headers, and no more cells in a row than columns."""
    roles, todo = set(), [table]
    while todo:
        node = todo.pop()
        roles.add(value(node, "role"))
        todo += [by_id[child] for child in node.get("childIds", []) if child in by_id]
    name = value(table, "name")
    if not roles & {"columnheader", "rowheader"}:
        return [f"table {name!r} has no headers: {sorted(filter(None, roles))}"]
    return []


def accessible(page):
    """Headings in order, a name for each thing that has to have one, headers in each table."""
    by_id, order = opened(page, lambda: tree(page))
    faults = headings_faults(order)
    for node in order:
        role, name = value(node, "role"), (value(node, "name") or "").strip()
        focusable = any(p["name"] == "focusable" and p["value"]["value"] for p in node.get("properties", []))
        if not name and (role in NAMED or focusable and role not in ("RootWebArea", "generic", "main")):
            faults.append(f"a {role} without a name, in {value(by_id.get(node.get('parentId'), {}), 'role')}")
        if role == "LayoutTable":
            faults.append("a table that is taken for layout")
        if role == "table":
            faults += table_faults(by_id, node)
    if len(order) < 20:
        faults.append(f"the tree has {len(order)} nodes")
    return faults[:10]
