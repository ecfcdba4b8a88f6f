// SPDX-License-Identifier: GPL-2.0-or-later
// The page without this script has all figures and charts; with it, charts tell the value under the pointer, and data become files.
"use strict";
(function () {
	function two(n) { return (n < 10 ? "0" : "") + n; }
	function clock(s) {
		const whole = Math.floor(s), h = Math.floor(whole / 3600), m = Math.floor(whole / 60) % 60;
		return (h ? h + ":" + two(m) : m) + ":" + two(whole % 60);
	}
	function short(v) { return v >= 1000 ? Math.round(v).toLocaleString("en") : String(+v.toPrecision(4)); }

	// The curves of a chart, from the data beside it: [{ name, x: [], y: [] }].
	function curves(figure) {
		if (figure.curves)
			return figure.curves;
		const byName = new Map();
		const lines = figure.querySelector(".data pre").textContent.split("\n");
		for (let i = 1; i < lines.length; i++) {
			const [name, x, y] = lines[i].split(",");
			if (!name)
				continue;
			if (!byName.has(name))
				byName.set(name, { name: name, x: [], y: [] });
			byName.get(name).x.push(+x);
			byName.get(name).y.push(y === "" ? NaN : +y);
		}
		figure.curves = [...byName.values()];
		return figure.curves;
	}
	function valueAt(curve, x) {
		let low = 0, high = curve.x.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (curve.x[middle] <= x)
				low = middle + 1;
			else
				high = middle;
		}
		return low ? curve.y[low - 1] : NaN;
	}
	function xAt(figure, share) {
		const from = +figure.dataset.from, to = +figure.dataset.to;
		if (figure.dataset.axis === "time" || figure.dataset.axis === "duration")
			return from + share * (to - from);
		return from * Math.pow(to / from, share);
	}
	function show(figure, share) {
		const x = xAt(figure, share), canvas = figure.querySelector(".canvas");
		let cross = canvas.querySelector(".cross");
		if (!cross) {
			cross = document.createElement("div");
			cross.className = "cross";
			canvas.append(cross);
		}
		cross.style.left = 100 * share + "%";
		const values = curves(figure).map((c) => [c.name, valueAt(c, x)]).filter((v) => !isNaN(v[1]));
		const at = figure.dataset.axis === "number" ? short(x) : figure.dataset.axis === "time" || x >= 60 ? clock(x) : short(x) + " s";
		figure.querySelector(".at").textContent = at + ": " + values.map((v) => (values.length > 1 ? v[0] + " " : "") + short(v[1])).join(", ");
	}
	function hide(figure) {
		const cross = figure.querySelector(".cross");
		if (cross)
			cross.remove();
		figure.querySelector(".at").textContent = "";
	}
	// Charts over time of one run have one axis: all show the same moment.
	function together(figure) {
		if (figure.dataset.axis !== "time")
			return [figure];
		return figure.closest(".run").querySelectorAll(".chart[data-axis=time]");
	}
	for (const figure of document.querySelectorAll(".chart")) {
		const canvas = figure.querySelector(".canvas");
		canvas.addEventListener("pointermove", function (event) {
			const box = canvas.getBoundingClientRect();
			const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
			together(figure).forEach((f) => show(f, share));
		});
		canvas.addEventListener("pointerleave", () => together(figure).forEach(hide));
		if (figure.dataset.axis === "time")
			picking(figure, canvas);
	}

	// A span of time that the mouse is dragged over is what all charts and the schedule then show; a double click: the whole run.
	function picking(figure, canvas) {
		let begin = null, mark = null;
		function shareOf(event) {
			const box = canvas.getBoundingClientRect();
			return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
		}
		function end() {
			if (mark)
				mark.remove();
			begin = mark = null;
		}
		function send(from, to) {
			const run = figure.closest(".run").getAttribute("aria-labelledby");
			document.dispatchEvent(new CustomEvent("wt-view", { detail: { run, from, to, source: "chart" } }));
		}
		canvas.addEventListener("pointerdown", function (event) {
			if (event.pointerType !== "mouse" || event.button)
				return;
			end();
			begin = shareOf(event);
			canvas.setPointerCapture(event.pointerId);
			event.preventDefault();
		});
		canvas.addEventListener("pointermove", function (event) {
			if (begin === null)
				return;
			if (!mark) {
				mark = document.createElement("div");
				mark.className = "pick";
				canvas.append(mark);
			}
			const at = shareOf(event);
			mark.style.left = 100 * Math.min(begin, at) + "%";
			mark.style.width = 100 * Math.abs(at - begin) + "%";
		});
		canvas.addEventListener("pointerup", function (event) {
			const from = begin, to = shareOf(event), wide = Math.abs(to - from) * canvas.clientWidth >= 8;
			end();
			if (from !== null && wide)
				send(xAt(figure, Math.min(from, to)), xAt(figure, Math.max(from, to)));
		});
		canvas.addEventListener("pointercancel", end);
		canvas.addEventListener("dblclick", function () {
			if (figure.whole)
				send(...figure.whole.time);
		});
	}

	// ---- charts over time follow the schedule's view: one x axis for all ----

	function tickStep(length) {
		const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000];
		if (length <= 10) {
			const power = Math.pow(10, Math.floor(Math.log10(length / 10)));
			return [1, 2, 5, 10].map((n) => n * power).find((n) => length / n <= 10);
		}
		return steps.find((n) => length / n <= 10) || 864000 * Math.ceil(length / 8640000);
	}
	function tickText(s, step) {
		if (s >= 86400)
			return Math.floor(s / 86400) + "d " + Math.floor(s % 86400 / 3600) + "h";
		const decimals = step < 1 ? Math.ceil(-Math.log10(step) - 1e-9) : 0;
		return clock(+s.toFixed(decimals)) + (decimals ? (s % 1).toFixed(decimals).slice(1) : "");
	}
	function ticks(figure, from, to) {
		const step = tickStep(to - from), row = figure.querySelector(".x");
		row.replaceChildren();
		for (let i = Math.ceil(from / step - 1e-9), n = 0; i * step <= to * (1 + 1e-9); i++, n++) {
			const span = document.createElement("span"), share = (i * step - from) / (to - from);
			span.className = (n % 2 ? "odd" : "") + (share > .93 ? " end" : "");
			span.style.left = 100 * share + "%";
			span.style.transform = share > .93 ? "translateX(-100%)" : share < .03 ? "none" : "";
			span.textContent = tickText(i * step, step);
			row.append(span);
		}
	}
	// A curve between from and to, and the next points on both sides.
	function outline(curve, from, to, top, step, area) {
		const x = (v) => Math.round(Math.min(2e5, Math.max(-1e5, 1e5 * (v - from) / (to - from)))) / 10;
		const y = (v) => Math.round(1000 - 1000 * Math.min(1, Math.max(0, v / top)));
		let d = "", begun = false, last = 0;
		for (let i = 0; i < curve.x.length; i++) {
			if (i + 1 < curve.x.length && curve.x[i + 1] < from)
				continue;
			const gap = isNaN(curve.y[i]), at = x(curve.x[i]);
			if (begun && area && gap)
				d += "H" + (step ? at : last) + "V1000Z";
			else if (!begun && !gap)
				d += "M" + at + " " + (area ? "1000V" : "") + y(curve.y[i]);
			else if (!gap)
				d += step ? "H" + at + "V" + y(curve.y[i]) : "L" + at + " " + y(curve.y[i]);
			begun = !gap;
			last = at;
			if (curve.x[i] > to)
				break;
		}
		return begun && area ? d + "V1000Z" : d;
	}
	function moveBox(figure, from, to) {
		const box = figure.querySelector(".box"), label = figure.querySelector(".boxed"), [first, last] = figure.whole.time;
		if (!box)
			return;
		const [x, width] = figure.whole.box, time = (v) => first + v / 10000 * (last - first);
		const left = (time(x) - from) / (to - from), right = (time(x + width) - from) / (to - from);
		box.setAttribute("x", 10000 * Math.max(-1, left));
		box.setAttribute("width", 10000 * Math.max(0, Math.min(2, right) - Math.max(-1, left)));
		label.hidden = right <= 0 || left >= 1;
		label.style.left = left + right > 1 ? "" : 100 * Math.max(0, left) + "%";
		label.style.right = left + right > 1 ? 100 * Math.max(0, 1 - right) + "%" : "";
	}
	function moveMarks(figure, from, to) {
		figure.querySelectorAll(".canvas .mark").forEach(function (mark) {
			const share = (mark.dataset.x - figure.whole.time[0]) / (figure.whole.time[1] - figure.whole.time[0]);
			const at = figure.whole.time[0] + Math.min(1, Math.max(0, share)) * (figure.whole.time[1] - figure.whole.time[0]);
			mark.setAttribute("d", "M" + Math.round(10000 * Math.min(2, Math.max(-1, (at - from) / (to - from)))) + " 0V1000");
		});
	}
	// What it was when the page was opened.
	function remember(figure) {
		const box = figure.querySelector(".box"), label = figure.querySelector(".boxed");
		figure.whole = {
			time: [+figure.dataset.from, +figure.dataset.to],
			ticks: figure.querySelector(".x").innerHTML,
			paths: [...figure.querySelectorAll(".canvas path.c")].map((path) => path.getAttribute("d")),
			box: box && [+box.getAttribute("x"), +box.getAttribute("width")],
			label: label && label.getAttribute("style")
		};
	}
	function showWhole(figure) {
		const box = figure.querySelector(".box"), label = figure.querySelector(".boxed"), { time, ticks, paths } = figure.whole;
		moveMarks(figure, ...time);
		[figure.dataset.from, figure.dataset.to] = time;
		figure.querySelector(".x").innerHTML = ticks;
		figure.querySelectorAll(".canvas path.c").forEach((path, i) => path.setAttribute("d", paths[i]));
		if (box) {
			box.setAttribute("x", figure.whole.box[0]);
			box.setAttribute("width", figure.whole.box[1]);
			label.setAttribute("style", figure.whole.label);
			label.hidden = false;
		}
	}
	function showPart(figure, from, to) {
		figure.dataset.from = from;
		figure.dataset.to = to;
		ticks(figure, from, to);
		for (const path of figure.querySelectorAll(".canvas path.c")) {
			const curve = curves(figure).find((c) => c.name === path.dataset.curve), is = (name) => path.classList.contains(name);
			if (curve)
				path.setAttribute("d", outline(curve, from, to, +figure.dataset.top, is("step"), is("area")));
		}
		moveBox(figure, from, to);
		moveMarks(figure, from, to);
	}
	function follow(run, from, to) {
		const article = document.getElementById(run) && document.getElementById(run).closest(".run");
		if (!article)
			return;
		for (const figure of article.querySelectorAll(".chart[data-axis=time]")) {
			if (!figure.whole)
				remember(figure);
			hide(figure);
			const [first, last] = figure.whole.time;
			if (from <= first && to >= last * .999)
				showWhole(figure);
			else
				showPart(figure, from, to);
		}
	}
	// Views come as fast as a finger moves: the latest of each run is drawn once a frame.
	const views = new Map();
	document.addEventListener("wt-view", function ({ detail }) {
		if (!detail || typeof detail.run !== "string" || !(detail.to > detail.from))
			return;
		if (!views.size)
			requestAnimationFrame(function () {
				views.forEach(([from, to], run) => follow(run, from, to));
				views.clear();
			});
		views.set(detail.run, [detail.from, detail.to]);
	});
	addEventListener("beforeprint", () => document.querySelectorAll(".chart[data-axis=time]").forEach((f) => f.whole && showWhole(f)));

	function button(text, action) {
		const b = document.createElement("button");
		b.type = "button";
		b.textContent = text;
		b.addEventListener("click", action);
		return b;
	}
	for (const pre of document.querySelectorAll(".data pre"))
		pre.before(button("Save as CSV", function () {
			const a = document.createElement("a");
			a.href = URL.createObjectURL(new Blob([pre.textContent], { type: "text/csv" }));
			a.download = pre.dataset.name;
			a.click();
			setTimeout(() => URL.revokeObjectURL(a.href), 1000);
		}));
})();
