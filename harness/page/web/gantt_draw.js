/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gantt_draw.js - in the page's worker, behind gantt_decode.js: pictures of a part of the schedule, and what lies where.
 * A view is { t0, t1, r0, r1, width, height, rows: 'node'|'switch', colour, dark, paper }: times, rows, pixels of the
 * picture, and the page's own colour (0xRRGGBB). */
const index = {
	groups: []
};                 /* by floor(log2 duration): jobs in order of start */
const places = {}; /* by kind of rows: rangeBegin, rangeEnd, first, stop, and with shared nodes low, high (of 255) */

function buildIndex() {
	const { start, end, ran } = data, counts = new Uint32Array(33), at = new Uint32Array(33);
	const group = job => 32 - Math.clz32(end[job] - start[job]);

	for (let job = 0; job < ran; job++)
		counts[group(job)]++;
	index.groups = Array.from(counts, count => new Uint32Array(count));
	for (let job = 0; job < ran; job++) {
		const g = group(job);

		index.groups[g][at[g]++] = job;
	}
	places.node = { rangeBegin: data.rangeBegin, rangeEnd: data.rangeEnd, first: data.first, stop: data.stop };
}

/* The first of the jobs, which are in order of start, that starts at 'time' or later. */
function jobFrom(jobs, time) {
	let low = 0, high = jobs.length;

	while (low < high) {
		const middle = low + high >>> 1;

		if (data.start[jobs[middle]] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Jobs that run, if for no time at all, between t0 and t1: into index.found; returns how many. */
function jobsBetween(t0, t1) {
	const { end, ran } = data;
	let count = 0;

	if (!index.found)
		index.found = new Uint32Array(ran);
	for (let g = 0; g < index.groups.length; g++) {
		const jobs = index.groups[g], last = jobFrom(jobs, t1);

		for (let i = jobFrom(jobs, t0 - (g ? 2 ** g : 0)); i < last; i++)
			if (end[jobs[i]] >= t0)
				index.found[count++] = jobs[i];
	}
	return count;
}

/* Colours: sRGB numbers 0xRRGGBB; neighbours in a ramp differ in lightness, so that they are told apart without colour.
 * All have a contrast of 3 or more with the page's paper (t0905). */
const RAMP = {
	light: [0x6496cb, 0x4a85c3, 0x3b74b1, 0x336599, 0x2c5683, 0x24476c, 0x1d3856, 0x14283d],
	dark: [0x35689e, 0x3c77b5, 0x4e87c4, 0x6698cc, 0x80a9d5, 0x9cbcde, 0xb9cfe8, 0xd8e4f2]
};
const KINDS = {
	light: [0x2f6db3, 0xb85c00, 0x2e7d4f, 0x9c3d8f, 0x7a6a00, 0x00808a, 0xb3394d, 0x5a4fb5, 0x6b4a2b],
	dark: [0x6fa8e8, 0xf0a050, 0x6cc492, 0xd98acd, 0xcdbb4a, 0x4fc3cd, 0xf08897, 0xa59cf5, 0xc29b77]
};
const OTHER = {
	light: 0x767676,
	dark: 0x9a9a9a
},
      WHOLE = {
	      light: 0xd9690b,
	      dark: 0xff9a3c
      };
const STEPS = 8;

function switchesTouched(job) {
	const leaves = data.levels[0].first, place = placesBy('switch');
	let count = 0, last = NONE;

	for (let k = place.rangeBegin[job]; k < place.rangeEnd[job]; k++) {
		const from = leafOf(leaves, place.first[k]), to = leafOf(leaves, place.stop[k] - 1);

		count += to - from + (from === last ? 0 : 1);
		last = to;
	}
	return count;
}

function leafOf(leaves, row) {
	let low = 0, high = leaves.length;

	while (high - low > 1) {
		const middle = low + high >>> 1;

		if (leaves[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* { of: colour number of each job, names, colours(theme), hatched: a number or NONE } */
function colouring(kind) {
	const ramp = theme => RAMP[theme];

	index.colourings = index.colourings || {};
	if (index.colourings[kind])
		return index.colourings[kind];
	let made;
	if (kind === 'size')
		made = colouringBySize();
	else if (kind === 'wait' && data.wait)
		made = { of: fillOf(waitStep), names: WAIT_NAMES, colours: ramp, hatched: NONE };
	else if (kind === 'switches' && data.levels && data.levels.length)
		made = {
			of: fillOf(job => Math.min(STEPS - 1, Math.ceil(Math.log2(Math.max(1, switchesTouched(job)))))),
			names: ['1', '2', '3-4', '5-8', '9-16', '17-32', '33-64', 'more'].map(n => n + ' switches'),
			colours: ramp,
			hatched: NONE
		};
	else if (data.labels && data.labels[kind])
		made = colouringByLabel(kind);
	else
		return colouring('size');
	if (kind !== 'switches' || index.complete)
		index.colourings[kind] = made;
	return made;
}

function fillOf(number) {
	const of = new Uint8Array(data.ran);

	for (let job = 0; job < data.ran; job++)
		of[job] = number(job);
	return of;
}

const WAIT_S = [1, 10, 60, 600, 3600, 6 * 3600, 24 * 3600];
const WAIT_NAMES = ['below 1 s', 'to 10 s', 'to 1 min', 'to 10 min', 'to 1 h', 'to 6 h', 'to 1 d', 'longer'];

function waitStep(job) {
	const wait_s = (data.wait[job] - 1) * data.head.unit_ms / 1000, step = WAIT_S.findIndex(least => wait_s < least);

	return step === NONE ? STEPS - 1 : step;
}

/* From the smallest to the largest job in equal ratios; jobs that have all nodes stand out. */
function colouringBySize() {
	const { nodes, ran, head } = data, all = head.node_count, bounds = [], names = [];
	let least = Infinity, most = 1;

	for (let job = 0; job < ran; job++)
		if (nodes[job] && nodes[job] < all) {
			least = Math.min(least, nodes[job]);
			most = Math.max(most, nodes[job]);
		}
	least = Math.min(least, most);
	for (let step = 0; step <= STEPS; step++)
		bounds.push(step < STEPS ? Math.ceil(least * (most / least) ** (step / STEPS) - 1e-9) : most + 1);
	for (let step = 0; step < STEPS; step++)
		names.push(rangeName(bounds[step], bounds[step + 1] - 1));
	const stepOf = job => {
		let step = STEPS - 1;

		while (step > 0 && bounds[step] > nodes[job])
			step--;
		return step;
	};

	return {
		of: fillOf(job => nodes[job] === all ? STEPS : stepOf(job)),
		names: [...names, all > 1 && nodes.includes(all) ? `all ${all} nodes` : ''],
		colours: theme => [...RAMP[theme], WHOLE[theme]],
		hatched: STEPS
	};
}

function rangeName(from, to) {
	if (to < from)
		return '';
	return from === to ? `${from} node${from === 1 ? '' : 's'}` : `${from}-${to} nodes`;
}

function colouringByLabel(kind) {
	const values = data.labels[kind], labels = data.labelTexts[kind], counts = new Uint32Array(labels.length + 1),
	      most = KINDS.light.length;

	for (let job = 0; job < data.ran; job++)
		counts[values[job]]++;
	const ranked =
		labels.map((_, i) => i + 1).filter(i => counts[i]).sort((a, b) => counts[b] - counts[a]).slice(0, most);
	const colourOf = new Uint8Array(counts.length).fill(most);

	ranked.forEach((label, colour) => { colourOf[label] = colour; });
	const names = Array.from({ length: most + 1 }, (_, i) => i < ranked.length ? labels[ranked[i] - 1] : '');
	const others = counts.filter((count, label) => count && colourOf[label] === most).length;

	names[most] = others ? counts[0] && others === 1 ? `no ${kind}` : 'others' : '';
	return {
		of: fillOf(job => colourOf[values[job]]),
		names,
		colours: theme => [...KINDS[theme], OTHER[theme]],
		hatched: NONE
	};
}

const pixel = rgb => (255 << 24 | (rgb & 255) << 16 | (rgb >> 8 & 255) << 8 | rgb >> 16) >>> 0;
const themeOf = view => view.dark ? 'dark' : 'light';

function draw(view) {
	const count = jobsBetween(view.t0, view.t1), place = placesBy(view.rows);
	let ranges = 0;

	for (let i = 0; i < count; i++)
		ranges += place.rangeEnd[index.found[i]] - place.rangeBegin[index.found[i]];
	const density = ranges * 12 > view.width * view.height;
	const pixels = density ? drawDensity(view, place, count) : drawJobs(view, place, count);

	return { pixels, density, count };
}

/* Each job by itself; a pixel of paper between neighbours where there is room. */
function drawJobs(view, place, count) {
	const { width, height, t0, r0 } = view, pixels = new Uint32Array(width * height).fill(pixel(view.paper));
	const perTime = width / (view.t1 - t0), perRow = height / (view.r1 - r0),
	      { of, colours, hatched } = colouring(view.colour);
	const palette = Uint32Array.from(colours(themeOf(view)), pixel), hatch = pixel(view.dark ? 0x7a3d00 : 0xffd9b3);
	const { first, stop, low, high } = place;

	for (let i = 0; i < count; i++) {
		const job = index.found[i], colour = of[job];
		const x0 = Math.max(0, Math.round((data.start[job] - t0) * perTime));
		const right = Math.max(Math.round((data.end[job] - t0) * perTime), x0 + 1),
		      x1 = Math.min(width, right - x0 > 3 ? right - 1 : right);

		for (let k = place.rangeBegin[job]; k < place.rangeEnd[job]; k++) {
			const from = first[k] + (low ? low[k] / 255 : 0), to = low ? stop[k] - 1 + high[k] / 255 : stop[k];
			const y0 = Math.max(0, Math.round((from - r0) * perRow));
			const bottom = Math.max(Math.round((to - r0) * perRow), y0 + 1),
			      y1 = Math.min(height, bottom - y0 > 3 ? bottom - 1 : bottom);

			if (colour === hatched)
				fillHatched(pixels, width, x0, x1, y0, y1, palette[colour], hatch);
			else
				fillPlain(pixels, width, x0, x1, y0, y1, palette[colour]);
		}
	}
	return pixels;
}

function fillPlain(pixels, width, x0, x1, y0, y1, colour) {
	for (let y = y0; y < y1; y++) {
		const row = y * width;

		if (x1 - x0 > 16) {
			pixels.fill(colour, row + x0, row + x1);
			continue;
		}
		for (let x = x0; x < x1; x++)
			pixels[row + x] = colour;
	}
}

function fillHatched(pixels, width, x0, x1, y0, y1, colour, hatch) {
	for (let y = y0; y < y1; y++)
		for (let x = x0; x < x1; x++)
			pixels[y * width + x] = (x + y) % 8 < 2 ? hatch : colour;
}

/* How much of each pixel is covered, and by which colours: second differences in both directions, then sums. */
function drawDensity(view, place, count) {
	const width = view.width, height = view.height, stride = width + 2, size = stride * (height + 2);
	const sums = [new Float32Array(size), new Float32Array(size), new Float32Array(size)];
	const paper = channels(view.paper), { of, colours } = colouring(view.colour);
	const palette = colours(themeOf(view)).map(rgb => channels(rgb).map((c, i) => c - paper[i]));
	const perTime = width / (view.t1 - view.t0), perRow = height / (view.r1 - view.r0), x = new Edges(width),
	      y = new Edges(height);
	const { first, stop, low, high, rangeBegin, rangeEnd } = place, { start, end } = data;

	for (let i = 0; i < count; i++) {
		const job = index.found[i], colour = palette[of[job]];

		x.set((start[job] - view.t0) * perTime, (end[job] - view.t0) * perTime);
		for (let k = rangeBegin[job]; k < rangeEnd[job] && x.count; k++) {
			const from = first[k] + (low ? low[k] / 255 : 0), to = low ? stop[k] - 1 + high[k] / 255 : stop[k];

			y.set((from - view.r0) * perRow, (to - view.r0) * perRow);
			addProduct(sums, stride, x, y, colour);
		}
	}
	return sumDensity(sums, stride, width, height, paper);
}

const channels = rgb => [rgb >> 16, rgb >> 8 & 255, rgb & 255];

/* The first differences of how much of each pixel of a line the interval from .. to covers: at most four. */
class Edges {
	constructor(length) {
		this.length = length;
		this.count = 0;
		this.at = new Int32Array(4);
		this.value = new Float64Array(4);
	}
	add(at, value) {
		this.at[this.count] = at;
		this.value[this.count++] = value;
	}
	set(from, to) {
		const a = Math.max(0, from), b = Math.min(this.length, to), i = Math.floor(a), k = Math.floor(b);

		this.count = 0;
		if (!(b > a))
			return;
		if (i === k) {
			this.add(i, b - a);
			this.add(i + 1, a - b);
			return;
		}
		this.add(i, i + 1 - a);
		if (a > i)
			this.add(i + 1, a - i);
		this.add(k, b - k - 1);
		if (b > k)
			this.add(k + 1, k - b);
	}
}

function addProduct(sums, stride, x, y, colour) {
	const [red, green, blue] = sums, [r, g, b] = colour;

	for (let j = 0; j < y.count; j++) {
		const row = y.at[j] * stride, weight = y.value[j];

		for (let i = 0; i < x.count; i++) {
			const at = row + x.at[i], value = weight * x.value[i];

			red[at] += value * r;
			green[at] += value * g;
			blue[at] += value * b;
		}
	}
}

function sumDensity(sums, stride, width, height, paper) {
	const pixels = new Uint8ClampedArray(width * height * 4);

	sums.forEach((sum, channel) => {
		const above = new Float64Array(stride);

		for (let y = 0; y < height; y++) {
			for (let x = 0, left = 0; x < width; x++) {
				above[x] += sum[y * stride + x];
				left += above[x];
				pixels[(y * width + x) * 4 + channel] = paper[channel] + left;
			}
		}
	});
	for (let i = 3; i < pixels.length; i += 4)
		pixels[i] = 255;
	return new Uint32Array(pixels.buffer);
}
