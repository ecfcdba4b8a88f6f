/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gantt_picture.js - what of the schedule's section is drawn: axes, outlines and the strip around the worker's pictures. */
class GanttPicture {
	size() {
		const style = getComputedStyle(this.plot), left = parseFloat(style.paddingLeft) || 0;
		const right = parseFloat(style.paddingRight) || 0, whole = this.plot.clientWidth;
		const height = Math.max(60, this.plot.clientHeight - AXIS_HEIGHT);

		return { left, right, whole, width: Math.max(40, whole - left - right), height };
	}

	theme() {
		const paper = colourNumber(getComputedStyle(this.plot).backgroundColor),
		      known = Number.isNaN(paper) ? 0xffffff : paper;

		return { paper: known, dark: isDark(known) };
	}

	seconds(units) { return (units * this.head.unit_ms + this.head.origin_ms) / 1000; }

	units(seconds) { return (seconds * 1000 - this.head.origin_ms) / this.head.unit_ms; }

	fullView(width, height, theme) {
		return {
			t0: 0,
			t1: this.last,
			r0: 0,
			r1: this.head.node_count || 1,
			width,
			height,
			rows: this.rows,
			colour: this.colour,
			...theme
		};
	}

	canvasOf(message) {
		const made = document.createElement('canvas'), { width, height } = message.view;

		made.width = width;
		made.height = height;
		made.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(message.buffer), width, height), 0,
						   0);
		return made;
	}

	showLegend({ names, colours, hatched }, density) {
		const items =
			names.map((name, i) =>
					  name &&
					  element('li', {}, element('span', {
							  class: 'gantt-swatch' +
									 (i === hatched && !density ? ' gantt-hatched' : ''),
							  style: `--swatch:${cssColour(colours[i])}`
						  }),
						  clean(name)))
				.filter(Boolean);

		if (density)
			items.push(element('li', {},
					   'Too many jobs to tell apart: the colour is the mean of each pixel. ' +
						   'Zoom in for single jobs.'));
		this.legend.replaceChildren(...items);
	}

	/* The picture as it would be without a browser's help: for paper, and kept as an image, because a worker
	 * cannot be waited for while the browser prints. */
	showPrint(message) {
		const left = 70, made = document.createElement('canvas'), height = 420, ctx = made.getContext('2d');

		made.width = (left + PRINT_WIDTH) * PRINT_SCALE;
		made.height = (height + AXIS_HEIGHT) * PRINT_SCALE;
		ctx.scale(PRINT_SCALE, PRINT_SCALE);
		ctx.fillStyle = '#fff';
		ctx.fillRect(0, 0, left + PRINT_WIDTH, height + AXIS_HEIGHT);
		ctx.drawImage(this.canvasOf(message), left, 0, PRINT_WIDTH, height);
		this.paintAxes(ctx, { left, width: PRINT_WIDTH, whole: left + PRINT_WIDTH, height }, message.view, '#222',
			       '#0002');
		made.toBlob(blob => {
			if (this.print.src)
				URL.revokeObjectURL(this.print.src);
			this.print.src = URL.createObjectURL(blob);
			this.print.hidden = false;
			this.section.dataset.print = 'ready';
		});
	}

	frame() {
		if (this.framing)
			return;
		this.framing = true;
		requestAnimationFrame(() => {
			this.framing = false;
			this.paint();
			this.paintStrip();
		});
	}

	/* A canvas for the element's size in the screen's own pixels. */
	context(canvas, width, height) {
		const scale = window.devicePixelRatio || 1, ctx = canvas.getContext('2d');

		if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
			canvas.width = Math.round(width * scale);
			canvas.height = Math.round(height * scale);
		}
		ctx.setTransform(scale, 0, 0, scale, 0, 0);
		ctx.clearRect(0, 0, width, height);
		return ctx;
	}

	paint() {
		if (!this.view)
			return;
		const box = this.size(), ctx = this.context(this.canvas, box.whole, box.height + AXIS_HEIGHT),
		      { t0, t1, r0, r1 } = this.view;
		const ink = getComputedStyle(this.plot).color, paper = cssColour(this.theme().paper);

		ctx.save();
		ctx.beginPath();
		ctx.rect(box.left, 0, box.width, box.height);
		ctx.clip();
		ctx.imageSmoothingEnabled = false;
		if (this.picture) {
			const { view, canvas } = this.picture, x = box.width / (t1 - t0), y = box.height / (r1 - r0);

			ctx.drawImage(canvas, box.left + (view.t0 - t0) * x, (view.r0 - r0) * y, (view.t1 - view.t0) * x,
				      (view.r1 - view.r0) * y);
		}
		this.paintOutline(ctx, box, this.hovered, ink, paper, 1.5);
		this.paintOutline(ctx, box, this.selected, ink, paper, 2.5);
		ctx.restore();
		this.paintAxes(ctx, box, this.view, ink,
			       getComputedStyle(this.plot).getPropertyValue('--gantt-grid') || '#8884');
	}

	paintOutline(ctx, box, { found, boxes }, ink, paper, width) {
		if (!found || found.start === undefined)
			return;
		const { t0, t1, r0, r1 } = this.view, x = t => box.left + (t - t0) / (t1 - t0) * box.width,
				       y = r => (r - r0) / (r1 - r0) * box.height;
		const left = x(found.start), right = Math.max(left + 2, x(found.end === null ? this.last : found.end));

		for (const [colour, wide] of [[paper, width + 3], [ink, width]]) {
			ctx.strokeStyle = colour;
			ctx.lineWidth = wide;
			for (const [from, to] of boxes)
				ctx.strokeRect(left, y(from), right - left, Math.max(2, y(to) - y(from)));
		}
	}

	paintAxes(ctx, box, view, ink, grid) {
		const span_s = (view.t1 - view.t0) * this.head.unit_ms / 1000,
		      step = tickStep(span_s, Math.max(2, box.width / 90));
		const from_s = this.seconds(view.t0), to_s = this.seconds(view.t1);

		ctx.font = '12px system-ui, sans-serif';
		ctx.fillStyle = ink;
		ctx.strokeStyle = grid;
		ctx.lineWidth = 1;
		ctx.textAlign = 'center';
		ctx.textBaseline = 'top';
		for (let n = Math.ceil(from_s / step - 1e-9); n * step <= to_s + 1e-9; n++) {
			const x = Math.round(box.left + (n * step - from_s) / (to_s - from_s) * box.width) + 0.5;

			ctx.beginPath();
			ctx.moveTo(x, 0);
			ctx.lineTo(x, box.height + 4);
			ctx.stroke();
			const text = duration(n * step, step), half = ctx.measureText(text).width / 2;

			ctx.fillText(text, Math.min(x, box.whole - half), box.height + 6);
		}
		this.paintRows(ctx, box, view, grid);
	}

	/* Names at the left: of nodes, or of the lowest switches that have room for their names. */
	paintRows(ctx, box, view, grid) {
		const y = row => (row - view.r0) / (view.r1 - view.r0) * box.height, most = Math.max(2, box.height / 22);
		const level =
			this.rows === 'switch' && this.levels
				? this.levels.find(l => [...l.first].filter(row => row >= view.r0 && row < view.r1).length <=
							most) ||
					  this.levels[this.levels.length - 1]
				: null;
		const step = [1, 2, 5]
				     .flatMap(m => [1, 10, 100, 1e3, 1e4, 1e5].map(p => m * p))
				     .sort((a, b) => a - b)
				     .find(n => (view.r1 - view.r0) / n <= most) ||
			     1e6;

		ctx.textAlign = 'right';
		ctx.textBaseline = 'middle';
		const label = (text, row) => {
			ctx.beginPath();
			ctx.moveTo(box.left - 4, Math.round(y(row)) + 0.5);
			ctx.lineTo(level ? box.left + box.width : box.left, Math.round(y(row)) + 0.5);
			ctx.strokeStyle = grid;
			ctx.stroke();
			ctx.fillText(clean(text).slice(0, 24), box.left - 6,
				     Math.max(7, Math.min(box.height - 6, y(row + 0.5))), box.left - 8);
		};

		if (level)
			level.first.forEach((row, i) => row >= view.r0 - 1 && row < view.r1 && label(level.names[i], row));
		for (let row = Math.ceil(view.r0 / step) * step; !level && row < view.r1 && row < this.head.node_count;
		     row += step)
			label(this.rowName(row), row);
	}

	rowName(row) {
		const node = this.rows === 'switch' && this.nodeOrder && this.nodeOrder.length ? this.nodeOrder[row] : row;

		return this.nodeNames && this.nodeNames[node] || String(node);
	}

	/* The whole run above: its density, or until that is there how many nodes are busy; and what the chart shows
	 * of it. */
	paintStrip() {
		if (!this.view)
			return;
		const box = this.size(), ctx = this.context(this.stripCanvas, box.whole, STRIP_HEIGHT),
		      { t0, t1, r0, r1 } = this.view;
		const style = getComputedStyle(this.plot), x = t => box.left + t / this.last * box.width,
		      all = this.head.node_count || 1;

		if (this.strip.picture)
			ctx.drawImage(this.strip.picture, box.left, 0, box.width, STRIP_HEIGHT);
		ctx.fillStyle = '#6f8fb0';
		for (let i = 0; !this.strip.picture && i < this.strip.busy.length; i++) {
			const tall = Math.min(1, this.strip.busy[i] / all) * STRIP_HEIGHT;

			ctx.fillRect(box.left + i / this.strip.busy.length * box.width, STRIP_HEIGHT - tall,
				     box.width / this.strip.busy.length + 0.5, tall);
		}
		ctx.strokeStyle = style.color;
		ctx.globalAlpha = 0.35;
		ctx.strokeRect(box.left + 0.5, 0.5, box.width - 1, STRIP_HEIGHT - 1);
		ctx.globalAlpha = 1;
		ctx.lineWidth = 2;
		ctx.strokeRect(x(t0) + 1, r0 / all * STRIP_HEIGHT + 1, Math.max(4, x(t1) - x(t0) - 2),
			       Math.max(4, (r1 - r0) / all * STRIP_HEIGHT - 2));
	}
}
