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
	}

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
