// SPDX-License-Identifier: GPL-2.0-or-later
// Fills the live page: a snapshot at first, then what has changed.  Names are foreign text: they only ever become text nodes.
"use strict";
(function () {
	const POINTS = 1440, JOBS = 25, RATE_FRAMES = 20;
	const SVG = "http://www.w3.org/2000/svg";
	const state = {}, jobs = new Map();
	let points = [], frames = [], due = false, over = false;
	const at = (id) => document.getElementById(id);

	// Characters that are not seen, or turn the direction of their neighbours, are shown by their number.
	function plain(text) {
		return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
			(c) => "\\u" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0"));
	}
	/* A word of a command for a shell, in quotes where it needs them. */
	function shell(word) { return /^[\w.\/@%+=:,-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'"; }
	function known(v) { return v !== null && v !== undefined && !isNaN(v); }
	function duration(s) {
		if (!known(s))
			return "not known";
		if (s > 0 && s < 0.001)
			return Math.round(1e6 * s) + " \u00b5s";
		if (s < 1)
			return Math.round(1000 * s) + " ms";
		if (s < 60)
			return +s.toFixed(1) + " s";
		const whole = Math.round(s), units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
		const first = units.findIndex((u) => whole >= u[0]), second = units[first + 1];
		return Math.floor(whole / units[first][0]) + " " + units[first][1] +
			(second ? " " + Math.floor(whole % units[first][0] / second[0]) + " " + second[1] : "");
	}
	function axis(s) {
		const two = (n) => (n < 10 ? "0" : "") + n, whole = Math.round(s), h = Math.floor(whole / 3600), m = Math.floor(whole / 60) % 60;
		return (h ? h + ":" + two(m) : m) + ":" + two(whole % 60);
	}
	function number(v, digits) { return known(v) ? v.toLocaleString("en", { maximumFractionDigits: digits || 0 }) : "not known"; }
	function percent(v) { return known(v) ? number(100 * v, 1) + " %" : "not known"; }
	function set(id, text) {
		const element = typeof id === "string" ? at(id) : id;
		if (element.textContent !== text)
			element.textContent = text;
	}

	// ---- what comes ----
	function take(message, fresh) {
		if (fresh || message.again) {
			jobs.clear();
			points = [];
			frames = [];
		}
		Object.assign(state, message.set || {});
		for (const point of message.points || [])
			points.push(point);
		if (points.length > POINTS)
			points = points.filter((_, i) => i % 2 === 0);
		for (const job of message.jobs || []) {
			jobs.delete(job.id);	// the latest stands last
			jobs.set(job.id, job);
		}
		while (jobs.size > JOBS)
			jobs.delete(jobs.keys().next().value);
		frames.push({ clock: state.clock_s, started: state.started, ended: state.ended });
		if (frames.length > RATE_FRAMES)
			frames.shift();
		if (!due) {
			due = true;
			requestAnimationFrame(draw);
		}
	}

	// ---- words ----
	// Starts or ends in a minute of the run's clock, over the last frames.
	function rate(key) {
		const first = frames[0], last = frames[frames.length - 1];
		return last && last.clock > first.clock ? 60 * (last[key] - first[key]) / (last.clock - first.clock) : NaN;
	}
	function lead() {
		if (state.phase === "starting")
			return state.doing ? "Starting: " + plain(state.doing) + "." : "Starting.";
		if (state.phase === "finishing")
			return "All jobs have ended" + (state.doing ? ": " + plain(state.doing) + "." : "; the results are being written.");
		if (state.kind === "cluster")
			return state.phase === "ended" ? "The cluster is down." :
				(known(state.registered) ? number(state.registered) + " of " : "") + number(state.nodes) + " nodes have registered; " +
				(state.places_free ? number(state.places_free) + " more may join; " : "") +
				number(state.running) + " jobs run.";
		const done = number(state.ended) + " of " + number(state.jobs) + " jobs have ended";
		if (state.phase === "ended")
			return done + " after " + duration(state.clock_s) + ".";
		return done + " after " + duration(state.clock_s) + (known(state.left_s) ? "; about " + duration(state.left_s) + " left." : ".");
	}
	function what() {
		const parts = [];
		if (known(state.nodes) && state.nodes)
			parts.push(number(state.nodes) + " nodes");
		if (state.cpus)
			parts.push(number(state.cpus) + " CPUs");
		if (state.clock)
			parts.push(plain(state.clock) + " time");
		if (state.kind === "run")
			parts.push("seed " + state.seed);
		if (state.run_count)
			parts.push("run " + state.run_number + " of " + state.run_count);
		return parts.join(" \u00b7 ");
	}
	function ended() {
		const bad = state.exit_status !== 0 && state.kind === "run", element = at("ended");
		element.hidden = state.phase !== "ended";
		element.classList.toggle("bad", bad);
		set("how", state.kind === "cluster" ? "The cluster has ended." :
			state.exit_status === -1 ? "The run was killed: it has no results." :
			state.exit_status === 130 ? "The run has ended: it was interrupted." :
			"The run has ended, with exit status " + state.exit_status + (state.failure ? ": " + plain(state.failure) : "."));
		set("folder", plain(state.folder || ""));
		set("report", "windtunnel report " + shell(plain(state.folder || "")) + "  \u2192  " + plain(state.folder || "") + "/report.html");
	}
	function busyNow() {
		if (state.kind === "cluster")
			return state.nodes ? state.nodes_allocated / state.nodes : NaN;
		return state.cpus ? state.cpus_allocated / state.cpus : NaN;
	}
	function tiles() {
		const cpu = points.length ? points[points.length - 1][5] : NaN;
		const time = ["Time", duration(state.kind === "cluster" ? state.wall_s : state.clock_s),
			state.clock === "virtual" ? "virtual; " + duration(state.wall_s) + " by the machine's clock" : "real time"];
		if (state.kind === "cluster")
			return [time, ["Nodes busy", percent(busyNow()), number(state.nodes_completing) + " completing"],
				["Running", number(state.running), "jobs on virtual nodes"],
				["Started", number(state.started), number(state.ended) + " ended"],
				["Heartbeats", number(state.heartbeats), number(state.heartbeat_reports_lost) + " reports lost"],
				["slurmctld", percent(cpu) + " CPU", known(state.controller_rss_kib) ? number(state.controller_rss_kib / 1024, 1) + " MiB" : ""]];
		return [time, ["CPUs busy", percent(busyNow()), number(state.nodes_allocated) + " nodes busy, " + number(state.nodes_idle) + " idle" +
				(state.nodes_completing ? ", " + number(state.nodes_completing) + " completing" : "") + (state.nodes_down ? ", " + number(state.nodes_down) + " down" : "")],
			["Queue", number(state.pending) + " pending", number(state.running) + " running, " + number(state.submitted) + " of " + number(state.jobs) + " submitted"],
			["Rates", number(rate("started"), 1) + " started", number(rate("ended"), 1) + " ended, in each minute of the run"],
			["Waits so far", known(state.wait_median_s) ? "half over " + duration(state.wait_median_s) : "none yet",
				known(state.wait_p90_s) ? "a tenth over " + duration(state.wait_p90_s) + ", longest " + duration(state.wait_max_s) : "from submission to start"],
			["slurmctld", percent(cpu) + " CPU", known(state.submit_median_s) ? "half of its answers to submissions took over " + duration(state.submit_median_s) : ""]];
	}
	function tilesDraw() {
		const list = at("tiles"), wanted = tiles();
		while (list.children.length < wanted.length) {
			const tile = document.createElement("div");
			tile.className = "tile";
			tile.append(document.createElement("dt"), document.createElement("dd"));
			tile.lastChild.append(document.createElement("b"), document.createElement("small"));
			list.append(tile);
		}
		wanted.forEach(function (texts, i) {
			set(list.children[i].firstChild, texts[0]);
			set(list.children[i].lastChild.firstChild, texts[1]);
			set(list.children[i].lastChild.lastChild, texts[2]);
		});
	}

	// ---- tables ----
	function rowHeader() {
		const header = document.createElement("th");
		header.scope = "row";
		return header;
	}
	function rows(body, wanted) {
		while (body.rows.length > wanted.length)
			body.deleteRow(-1);
		wanted.forEach(function (cells, r) {
			const row = body.rows[r] || body.insertRow();
			cells.forEach(function (text, c) {
				set(row.cells[c] || (c ? row.insertCell() : row.appendChild(rowHeader())), text);
			});
		});
	}
	function us(v) { return known(v) ? duration(v / 1e6) : "not known"; }
	function controller() {
		const list = [["CPU time", duration(state.controller_cpu_s)],
			["Memory", known(state.controller_rss_kib) ? number(state.controller_rss_kib / 1024, 1) + " MiB" : "not known"]];
		if (state.kind === "cluster") {
			for (const daemon of state.daemons || [])
				list.push([plain(daemon.name), (daemon.alive ? "runs" : "does not run") + (daemon.restarts ? ", started again " + daemon.restarts + " times" : "")]);
			list.push(["Messages of the nodes", number(state.messages_sent) + ", " + number(state.messages_retried) + " sent again, " + number(state.messages_lost) + " lost"]);
			return list;
		}
		list.push(["Messages handled", number(state.rpc_count)], ["Mean time of a message", state.rpc_count ? us(state.rpc_time_us / state.rpc_count) : "not known"],
			["Last cycle of the main scheduler", us(state.schedule_cycle_last_us)], ["Last cycle of the backfill scheduler", us(state.backfill_cycle_last_us)],
			["Threads that handle messages", number(state.server_threads)], ["Messages to nodes that wait", number(state.agent_queue)],
			["Asked for this", duration(state.answer_age_s) + " before"]);
		return list;
	}
	function jobsDraw() {
		const list = [...jobs.values()].reverse();
		at("jobs").hidden = !list.length;
		at("no-jobs").hidden = list.length > 0;
		rows(at("jobs").tBodies[0], list.map((j) => [plain(j.name), String(j.id), number(j.nodes), j.cpus ? number(j.cpus) : "",
			known(j.wait_s) ? duration(j.wait_s) : "", known(j.run_s) ? duration(j.run_s) : "", j.state]));
	}

	// ---- charts ----
	function element(name, attributes) {
		const e = document.createElementNS(SVG, name);
		for (const key in attributes)
			e.setAttribute(key, attributes[key]);
		return e;
	}
	function steps(x, y, from, to, top) {
		let path = "", last = null;
		for (let i = 0; i < x.length; i++) {
			if (!known(y[i]))
				continue;
			const px = (1000 * (x[i] - from) / (to - from)).toFixed(2), py = (100 - 100 * Math.min(y[i] / top, 1)).toFixed(2);
			path += last === null ? "M" + px + " " + py : "H" + px + "V" + py;
			last = px;
		}
		return { path: path, last: last };
	}
	function nice(v) {
		const power = Math.pow(10, Math.floor(Math.log10(v)));
		return [1, 2, 5, 10].map((f) => f * power).find((n) => n >= v * 0.999);
	}
	function labels(box, wanted, place) {
		while (box.children.length > wanted.length)
			box.lastChild.remove();
		wanted.forEach(function (label, i) {
			const span = box.children[i] || box.appendChild(document.createElement("span"));
			set(span, label[1]);
			span.style[place] = (place === "top" ? 100 - label[0] : label[0]) + "%";
		});
	}
	function timeStep(span) {
		return [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400].find((s) => span / s <= 8) || nice(span / 8);
	}
	function chart(id, curves, top, text) {
		const figure = at(id), x = points.map((p) => p[0]), from = x.length ? Math.min(x[0], 0) : 0, to = Math.max(x.length ? x[x.length - 1] : 0, from + 1);
		let svg = figure.querySelector(".canvas svg");
		if (!svg) {
			svg = element("svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none", "aria-hidden": "true" });
			figure.querySelector(".canvas").append(svg);
		}
		svg.replaceChildren(element("path", { class: "grid", d: "M0 0H1000M0 50H1000" }), ...curves.map(function (y, i) {
			const line = steps(x, y, from, to, top), area = id === "busy" && line.last !== null;
			return element("path", { class: "c c" + i + (area ? " area" : ""), d: area ? line.path + "V100H" + (1000 * (x[0] - from) / (to - from)).toFixed(2) + "Z" : line.path });
		}));
		labels(figure.querySelector(".y"), [[0, "0"], [50, text(top / 2)], [100, text(top)]], "top");
		const step = timeStep(to - from), ticks = [];
		for (let t = Math.ceil(from / step) * step; t <= to; t += step)
			ticks.push([100 * (t - from) / (to - from), axis(t)]);
		labels(figure.querySelector(".x"), ticks, "left");
	}
	function keys() {
		const box = at("queue-keys");
		if (box.children.length)
			return;
		["pending", "running"].forEach(function (name, i) {
			const key = document.createElement("span"), svg = element("svg", { viewBox: "0 0 20 6", "aria-hidden": "true" });
			key.className = "key";
			svg.append(element("path", { class: "c c" + i, d: "M0 3H20" }));
			key.append(svg, name);
			box.append(key);
		});
	}
	function charts() {
		const column = (n) => points.map((p) => p[n]), most = (...lists) => Math.max(1, ...lists.flat().filter(known));
		const queue = state.kind === "cluster" ? [column(3).map(() => NaN), column(3)] : [column(2), column(3)];
		const cpu = column(5), seen = cpu.filter(known);
		keys();
		set("busy-name", state.kind === "cluster" ? "Nodes with a job" : "CPUs that jobs have");
		chart("busy", [column(1)], 1, percent);
		chart("queue", queue, nice(most(...queue)), (v) => number(v, 1));
		chart("cpu", [cpu], seen.length ? nice(Math.max(0.01, ...seen)) : 1, (v) => number(v, 3));
		for (const [id, value] of [["busy", percent(busyNow())], ["queue", number(state.pending) + " pending, " + number(state.running) + " running"],
			["cpu", points.length && known(points[points.length - 1][5]) ? number(points[points.length - 1][5], 3) : ""]])
			set(at(id).querySelector(".at"), value);
	}

	function draw() {
		due = false;
		document.body.classList.toggle("cluster", state.kind === "cluster");
		document.title = (state.kind === "run" && known(state.share) && state.phase === "running" ? Math.floor(100 * state.share) + " % " : "") +
			plain(state.title || "") + " - windtunnel";
		set("title", plain(state.title || "windtunnel"));
		set("what", what());
		set("lead", lead());
		at("outage").hidden = !state.outage;
		set("outage", state.outage ? "slurmctld does not answer: " + plain(state.outage) : "");
		const share = state.phase === "ended" && state.exit_status === 0 ? 1 : known(state.share) ? state.share : 0;
		at("done").style.width = 100 * share + "%";
		at("bar").setAttribute("aria-valuenow", Math.floor(100 * share));
		ended();
		tilesDraw();
		charts();
		rows(at("controller").tBodies[0], controller());
		jobsDraw();
		document.body.dataset.frames = String(+(document.body.dataset.frames || 0) + 1);
		document.body.dataset.phase = state.phase;
	}

	const source = new EventSource("events");
	function lost(is) {
		at("lost").hidden = !is;
		document.body.classList.toggle("stale", is);
	}
	source.addEventListener("snapshot", function (event) { lost(false); take(JSON.parse(event.data), true); });
	source.addEventListener("delta", function (event) { take(JSON.parse(event.data), false); });
	source.addEventListener("end", function () { over = true; source.close(); });
	source.addEventListener("error", function () { if (!over) lost(true); });
})();
