/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gantt.js - the schedule's section: what a reader does with it.  Pictures and answers come from a worker (gantt_engine.js),
 * so that the page never waits for them; until a new picture is there the old one is stretched.
 *
 * DOM event "wt-view" on document, both ways: detail { run, from, to, source } in seconds after the first submission. */
class Gantt extends GanttWords {
	constructor(section) {
		super();
		this.section = section;
		this.run = section.dataset.run;
		this.view = null;
		this.busy = this.stale = this.hitting = false;
		this.selected = { found: null, boxes: [] };
		this.hovered = { found: null, boxes: [] };
		this.pointers = new Map();
		this.colour = 'size';
		this.rows = 'node';
		this.sequence = 0;
		this.build();
		this.listen();
		this.start();
	}

	start() {
		const pick = name => [...document.querySelectorAll(`script.${name}`)].filter(block => block.dataset.run ===
												      this.run);
		const head = pick('gantt-head')[0], blocks = pick('gantt-data'),
		      code = document.getElementById('gantt-worker');

		try {
			if (!head || !code)
				throw new Error('the page is damaged: the schedule or the program that draws it is missing');
			this.worker =
				new Worker(URL.createObjectURL(new Blob([code.textContent], { type: 'text/javascript' })));
			this.worker.onmessage = event => this.heard(event.data);
			this.worker.onerror = event => {
				event.preventDefault();
				this.fail(event.message);
			};
			const { width, height } = this.size();

			this.ask('load', {
				head: head.textContent,
				blocks: blocks.map(block => block.textContent),
				to: Number(this.section.dataset.to) || 0,
				width,
				height
			});
			blocks.forEach(block => block.remove());
		} catch (error) {
			this.fail(error.message);
		}
	}

	ask(type, fields) { this.worker.postMessage({ type, ...fields }); }

	heard(message) {
		const name = 'on' + message.type[0].toUpperCase() + message.type.slice(1);

		this[name](message);
	}

	fail(text) {
		this.section.dataset.state = 'failed';
		this.busy = false;
		this.status.textContent = 'The schedule cannot be shown: ' + clean(text);
		this.status.setAttribute('role', 'alert');
	}

	onFailed({ text }) { this.fail(text); }

	onReady({ head, last, view, busy }) {
		Object.assign(this, { head, last, strip: { busy } });
		this.section.dataset.state = 'reading';
		this.tellStatus(head);
		this.setView(view, true); /* the charts show the whole run until somebody looks closer */
		this.paintStrip();
	}

	onProgress({ part }) { this.status.textContent = `Reading the schedule: ${Math.round(part * 100)} %`; }

	onNamed({ nodes, order, levels, kinds }) {
		Object.assign(this, { nodeNames: nodes, nodeOrder: order, levels });
		this.colourSelect.replaceChildren(
			...kinds.map(kind => element('option', { value: kind }, COLOUR_NAMES[kind])));
		if (levels.length)
			this.rowsSelect.append(element('option', { value: 'switch' }, 'switch'));
		this.rowsSelect.disabled = !levels.length;
		this.frame();
	}

	onComplete() {
		this.complete = true;
		this.section.dataset.state = 'complete';
		performance.mark('gantt-complete');
		this.tellStatus(this.head);
		this.refresh();
		this.askPrint();
	}

	zoom(factor, at = 0.5) {
		if (!this.view)
			return;
		const { t0, t1, r0, r1 } = this.view, span = Math.max(UNITS_LEAST, Math.min(this.last, (t1 - t0) * factor)),
				       t = t0 + (t1 - t0) * at;

		this.setView({ t0: t - span * at, t1: t + span * (1 - at), r0, r1 });
	}

	zoomRows(factor, at = 0.5) {
		if (!this.view)
			return;
		const { t0, t1, r0, r1 } = this.view, row = r0 + (r1 - r0) * at;
		const rows = Math.max(ROWS_LEAST, Math.min(this.head.node_count, (r1 - r0) * factor));

		this.setView({ t0, t1, r0: row - rows * at, r1: row + rows * (1 - at) });
	}

	pan(time, rows) {
		if (!this.view)
			return;
		const { t0, t1, r0, r1 } = this.view, t = (t1 - t0) * time, r = (r1 - r0) * rows;

		this.setView({ t0: t0 + t, t1: t1 + t, r0: r0 + r, r1: r1 + r });
	}

	home() {
		if (this.view)
			this.setView({ t0: 0, t1: this.last, r0: 0, r1: this.head.node_count });
	}

	rowsChanged() {
		if (this.selected.found)
			this.ask('show', { job: this.selected.found.job, rows: this.rows });
		this.refresh();
	}

	refresh() {
		this.frame();
		if (!this.view || this.section.dataset.state === 'failed')
			return;
		this.stale = true;
		this.section.dataset.settled = 'false';
		this.askPicture();
		clearTimeout(this.tableTimer);
		this.tableTimer = setTimeout(() => this.askTable(false), 400);
	}

	askPicture() {
		if (this.busy || !this.stale)
			return;
		const { width, height } = this.size(), scale = window.devicePixelRatio || 1;

		this.busy = true;
		this.stale = false;
		this.ask('draw', {
			seq: ++this.sequence,
			view: {
				...this.view,
				width: Math.round(width * scale),
				height: Math.round(height * scale),
				rows: this.rows,
				colour: this.colour,
				...this.theme()
			}
		});
	}

	/* The strip and the picture for paper need all jobs. */
	askPrint() {
		const { width } = this.size(), scale = window.devicePixelRatio || 1;

		this.ask('draw', {
			strip: true,
			view: this.fullView(Math.round(width * scale), Math.round(STRIP_HEIGHT * scale), this.theme())
		});
		this.ask('draw', {
			strip: true,
			view: {
				...this.fullView(PRINT_WIDTH * PRINT_SCALE, 420 * PRINT_SCALE,
						 { dark: false, paper: 0xffffff }),
				paperPicture: true
			}
		});
	}

	onPicture(message) {
		this.busy = false;
		this.picture = { view: message.view, canvas: this.canvasOf(message) };
		if (!this.section.dataset.drawn)
			performance.mark('gantt-drawn'); /* bench/report */
		this.section.dataset.drawn = message.seq;
		this.section.dataset.density = message.density;
		this.section.dataset.jobs = message.count;
		this.showLegend(message.legend, message.density);
		this.section.dataset.settled = !this.stale;
		this.frame();
		this.askPicture();
	}

	onStrip(message) {
		if (message.view.paperPicture) {
			this.showPrint(message);
			return;
		}
		this.strip.picture = this.canvasOf(message);
		this.paintStrip();
	}

	listen() {
		const on = (target, name, act, options) => target.addEventListener(name, act.bind(this), options);

		on(this.plot, 'keydown', this.key);
		on(this.plot, 'wheel', this.wheel, { passive: false });
		on(this.plot, 'pointerdown', this.down);
		on(this.plot, 'pointermove', this.move);
		on(this.plot, 'pointerup', this.up);
		on(this.plot, 'pointercancel', this.up);
		on(this.plot, 'pointerleave', this.leave);
		on(this.plot, 'dblclick', event => this.zoom(0.25, this.place(event).x));
		on(this.stripCanvas, 'pointerdown', this.stripMove);
		on(this.stripCanvas, 'pointermove', event => event.buttons && this.stripMove(event));
		on(document, 'wt-view', this.follow);
		on(matchMedia('(prefers-color-scheme: dark)'), 'change', this.themeChanged);
		new ResizeObserver(() => this.refresh()).observe(this.plot);
	}

	themeChanged() {
		this.refresh();
		if (this.complete)
			this.askPrint();
	}

	follow({ detail }) {
		if (!this.view || !detail || !(detail.to > detail.from) || detail.source === 'gantt' ||
		    detail.run !== undefined && detail.run !== this.run)
			return;
		this.setView({...this.view, t0: this.units(detail.from), t1: this.units(detail.to) }, true);
	}

	/* Parts of the picture's width and height. */
	place(event) {
		const rect = this.plot.getBoundingClientRect(), { left, width, height } = this.size();

		return {
			x: Math.max(0, Math.min(1, (event.clientX - rect.left - left) / width)),
			y: Math.max(0, Math.min(1, (event.clientY - rect.top) / height))
		};
	}

	key(event) {
		const keys = {
			ArrowLeft: () => this.pan(-0.2, 0),
			ArrowRight: () => this.pan(0.2, 0),
			ArrowUp: () => this.pan(0, -0.2),
			ArrowDown: () => this.pan(0, 0.2),
			'+': () => this.zoom(0.5),
			'=': () => this.zoom(0.5),
			'-': () => this.zoom(2),
			PageUp: () => this.zoomRows(0.5),
			PageDown: () => this.zoomRows(2),
			Home: () => this.home(),
			n: () => this.step(1),
			N: () => this.step(1),
			p: () => this.step(-1),
			P: () => this.step(-1),
			Escape: () => this.letGo()
		};

		if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key])
			return;
		event.preventDefault();
		keys[event.key]();
	}

	wheel(event) {
		if (!event.ctrlKey && document.activeElement !== this.plot)
			return;
		event.preventDefault();
		const { x, y } = this.place(event), factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240)));

		if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
			this.pan(event.deltaX / 1000, 0);
		else if (event.altKey)
			this.zoomRows(factor, y);
		else
			this.zoom(factor, x);
	}

	down(event) {
		this.pointers.set(event.pointerId, {...this.place(event), moved: false });
		this.plot.setPointerCapture(event.pointerId);
		this.plot.focus({ preventScroll: true });
	}

	move(event) {
		const here = this.place(event), before = this.pointers.get(event.pointerId);

		if (!before) {
			this.hover(event, here);
			return;
		}
		if (this.pointers.size === 2) {
			this.pinch(event.pointerId, here);
		} else if (before.moved || Math.hypot(here.x - before.x, here.y - before.y) > 0.008) {
			this.pan(before.x - here.x, before.y - here.y);
			this.pointers.set(event.pointerId, {...here, moved: true });
		}
	}

	pinch(id, here) {
		const before = this.pointers.get(id),
		      [other] = [...this.pointers].filter(([key]) => key !== id).map(([, place]) => place);
		const wide = Math.abs(before.x - other.x), now = Math.abs(here.x - other.x),
		      tall = Math.abs(before.y - other.y);

		if (wide > 0.02 && now > 0.02)
			this.zoom(wide / now, other.x);
		if (tall > 0.1 && Math.abs(here.y - other.y) > 0.1)
			this.zoomRows(tall / Math.abs(here.y - other.y), other.y);
		this.pointers.set(id, {...here, moved: true });
		other.moved = true;
	}

	up(event) {
		const before = this.pointers.get(event.pointerId);

		this.pointers.delete(event.pointerId);
		if (before && !before.moved && event.type === 'pointerup')
			this.hover(event, this.place(event), true);
	}

	leave() {
		this.hovered = { found: null, boxes: [] };
		this.details.hidden = true;
		this.frame();
	}

	/* One question at a time; the latest place wins. */
	hover(event, { x, y }, keep) {
		if (!this.view)
			return;
		const { t0, t1, r0, r1 } = this.view, rect = this.plot.getBoundingClientRect();

		this.wanted = {
			time: t0 + x * (t1 - t0),
			row: r0 + y * (r1 - r0),
			reach: (t1 - t0) / this.size().width * 3,
			rows: this.rows,
			left: event.clientX - rect.left,
			top: event.clientY - rect.top,
			keep
		};
		this.section.dataset.asked = this.wanted.number = ++this.sequence;
		this.askHit();
	}

	askHit() {
		if (this.hitting || !this.wanted)
			return;
		this.hitting = this.wanted;
		this.wanted = null;
		this.ask('hit', this.hitting);
	}

	onHit({ found, boxes }) {
		const { left, top, keep, number } = this.hitting;

		this.hitting = null;
		this.hovered = { found, boxes };
		if (keep)
			this.select({ found, boxes });
		this.details.hidden = !found;
		if (found) {
			this.details.replaceChildren(this.describe(found));
			const wide = this.details.offsetWidth, tall = this.details.offsetHeight, box = this.size();

			this.details.style.left =
				`${Math.max(0, left + 16 + wide > box.whole ? left - wide - 12 : left + 16)}px`;
			this.details.style.top = `${Math.max(0, Math.min(top + 12, box.height - tall))}px`;
		}
		this.section.dataset.answered = number;
		this.frame();
		this.askHit();
	}

	select(selected) {
		this.selected = selected;
		if (selected.found)
			this.section.dataset.selected = selected.found.job;
		else
			delete this.section.dataset.selected;
	}

	letGo() {
		this.select({ found: null, boxes: [] });
		this.leave();
		this.live.textContent = '';
	}

	step(by) {
		if (this.view)
			this.ask('step', {
				job: this.selected.found ? this.selected.found.job : -1,
				by,
				view: {...this.view, rows: this.rows }
			});
	}

	search(event) {
		const text = this.searchInput.value.trim();

		event.preventDefault();
		if (this.view && text)
			this.ask('search',
				 { text, after: this.selected.found ? this.selected.found.job : -1, rows: this.rows });
	}

	/* A job that was searched or stepped to: seen, outlined and said. */
	onShown({ found, boxes, count, searched }) {
		if (searched !== undefined)
			this.section.dataset.found = count;
		if (!found) {
			this.live.textContent =
				count === -1 ? 'Names are still being read.' : `No job is called ${clean(searched)}.`;
			return;
		}
		this.select({ found, boxes });
		this.bringIntoView(found, boxes);
		this.live.textContent = (count > 1 ? `${count} jobs. ` : '') + `Job ${found.id} ${clean(found.name)}: ` +
					this.facts(found).map(([name, value]) => `${name} ${value}`).join(', ') + '.';
	}

	bringIntoView({ start, end }, boxes) {
		if (start === undefined)
			return;
		const { t0, t1, r0, r1 } = this.view, last = end === null ? this.last : end, view = {...this.view };

		if (start < t0 || last > t1) {
			const span = Math.max(t1 - t0, (last - start) * 1.2);

			Object.assign(view, { t0: (start + last - span) / 2, t1: (start + last + span) / 2 });
		}
		if (boxes.length && (boxes[0][0] < r0 || boxes[0][1] > r1)) {
			const rows = Math.max(r1 - r0, (boxes[0][1] - boxes[0][0]) * 1.2),
			      middle = (boxes[0][0] + boxes[0][1]) / 2;

			Object.assign(view, { r0: middle - rows / 2, r1: middle + rows / 2 });
		}
		this.setView(view);
	}

	stripMove(event) {
		if (!this.view)
			return;
		const rect = this.stripCanvas.getBoundingClientRect(), { left, width } = this.size(),
		      { t0, t1, r0, r1 } = this.view;
		const t = (event.clientX - rect.left - left) / width * this.last,
		      r = (event.clientY - rect.top) / STRIP_HEIGHT * this.head.node_count;

		this.setView({ t0: t - (t1 - t0) / 2, t1: t + (t1 - t0) / 2, r0: r - (r1 - r0) / 2, r1: r + (r1 - r0) / 2 });
	}

	/* A view within the run; told to the charts unless it came from them. */
	setView(view, silent) {
		const span = Math.min(this.last, Math.max(UNITS_LEAST, view.t1 - view.t0)), all = this.head.node_count || 1;
		const rows = Math.min(all, Math.max(Math.min(ROWS_LEAST, all), view.r1 - view.r0));
		const t0 = Math.max(0, Math.min(this.last - span, view.t0)), r0 = Math.max(0, Math.min(all - rows, view.r0));

		this.view = { t0, t1: t0 + span, r0, r1: r0 + rows };
		this.section.dataset.view = JSON.stringify(this.view);
		this.refresh();
		if (!silent)
			document.dispatchEvent(new CustomEvent('wt-view', {
				detail: {
					run: this.run,
					source: 'gantt',
					from: this.seconds(t0),
					to: this.seconds(t0 + span)
				}
			}));
	}
}

for (const section of document.querySelectorAll('.gantt'))
	new Gantt(section);
