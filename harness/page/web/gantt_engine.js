/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gantt_engine.js - in the page's worker, behind the others: what the page asks, and the order in which data is read: first
 * what the opening view needs, so that jobs are seen while the rest is still being unpacked. */
const NODES_TOLD = 12, ROWS_TOLD = 200;

const turn = () => new Promise(done => setTimeout(done, 0)); /* let questions in between */
const tell = (type, fields, transfer) => postMessage({ type, ...fields }, transfer || []);

/* So wide, and so many rows, that most jobs are seen one by one; where they all are, the whole run. */
function openingView(width, height) {
	const { ran, start, end, nodes, head, last } = data, sample = [], step = Math.max(1, Math.floor(ran / 4096));

	for (let job = 0; job < ran; job += step)
		sample.push(job);
	const middle = values => values.sort((a, b) => a - b)[values.length >> 1] || 1;
	const time = Math.max(1, middle(sample.map(job => end[job] - start[job]))),
	      tall = Math.max(1, middle(sample.map(job => nodes[job])));
	let span = Math.min(last, Math.max(time * width / 12, 30));
	const rows = Math.min(head.node_count, Math.max(height, Math.ceil(tall * height / 6)));

	if (ran <= 1500 || span * 2 > last)
		span = last;
	const from = span < last ? Math.min(start[Math.floor(ran / 2)], last - span) : 0;

	return { t0: from, t1: from + span, r0: 0, r1: ran <= 1500 ? head.node_count : rows };
}

/* As many rows, but those in which most jobs of the view are: a few large jobs may have all the others. */
function rowsChoose(view, segments) {
	const { rangeBegin, rangeEnd, first, stop, start, end, head, ran } = data, rows = view.r1 - view.r0;
	const counts = new Uint32Array(Math.ceil(head.node_count / rows));

	for (const number of segments)
		for (let job = number * head.segment; job < Math.min(ran, (number + 1) * head.segment); job++) {
			if (start[job] >= view.t1 || end[job] <= view.t0 || !rangeKnown(job))
				continue;
			for (let k = rangeBegin[job]; k < rangeEnd[job]; k++)
				for (let i = Math.floor(first[k] / rows); i * rows < stop[k]; i++)
					counts[i]++;
		}
	const r0 = Math.min(counts.indexOf(Math.max(...counts)) * rows, head.node_count - rows);

	return { ...view, r0, r1: r0 + rows };
}

const segmentAt = time => {
	let low = 0, high = data.ran;

	while (low < high) {
		const middle = low + high >>> 1;

		if (data.start[middle] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return Math.max(0, Math.floor((low - 1) / data.head.segment));
};

/* The segment in which the opening view begins, and the next ones as far as it reaches; then all others. */
function segmentOrder(view) {
	const count = Math.ceil(data.ran / data.head.segment), first = [], others = [];

	for (let number = 0; number < count; number++)
		(number >= segmentAt(view.t0) && number <= segmentAt(view.t1) ? first : others).push(number);
	return { first, others };
}

async function load({ head, blocks, width, height, to }) {
	data.to = to;
	data.head = JSON.parse(head);
	if (data.head.version !== 1)
		damage(`its data are of version ${data.head.version}`);
	data.bytes = bytesOfBlocks(blocks, data.head.bytes);
	await loadTimes();
	buildIndex();
	const view = openingView(width, height), { first, others } = segmentOrder(view),
	      count = first.length + others.length;

	for (const number of first)
		await loadSegment(number);
	tell('ready', { head: data.head, last: data.last, view: rowsChoose(view, first), busy: busyNodes(1024) });
	await turn();
	await loadRest();
	tell('named',
	     { nodes: data.nodeNames, order: Array.from(data.nodeOrder), levels: data.levels, kinds: kindsThere() });
	for (let i = 0; i < others.length; i++) {
		await turn();
		await loadSegment(others[i]);
		tell('progress', { part: (first.length + i + 1) / count });
	}
	index.complete = true;
	data.bytes = null;
	if (nodesAreShared())
		stackShared();
	tell('complete', { shared: Boolean(places.node.low) });
}

/* Ways to colour that show more than one colour. */
function kindsThere() {
	const kinds = ['size'];

	for (const label of ['class', 'user', 'account', 'partition', 'qos', 'state'])
		if (data.labels[label].some(value => value !== data.labels[label][0]))
			kinds.push(label);
	if (data.wait.some(wait => wait))
		kinds.push('wait');
	if (data.levels.length)
		kinds.push('switches');
	return kinds;
}

/* Mean of the nodes that have a job, over 'count' equal parts of the time; of jobs that share nodes each counts. */
function busyNodes(count) {
	const sums = new Float64Array(count + 2), edges = new Edges(count), scale = count / data.last;
	const busy = new Float32Array(count);

	for (let job = 0; job < data.ran; job++) {
		edges.set(data.start[job] * scale, data.end[job] * scale);
		for (let i = 0; i < edges.count; i++)
			sums[edges.at[i]] += edges.value[i] * data.nodes[job];
	}
	for (let i = 0, sum = 0; i < count; i++)
		busy[i] = sum += sums[i];
	return busy;
}

function nodeName(node) { return data.nodeNames && data.nodeNames[node] || `node ${node}`; }

function nodesText(job) {
	if (job >= data.ran || !rangeKnown(job))
		return '';
	const { rangeBegin, rangeEnd, first, stop } = data, told = [], count = rangeEnd[job] - rangeBegin[job];

	for (let k = rangeBegin[job]; k < rangeEnd[job] && told.length < NODES_TOLD; k++)
		told.push(nodeName(first[k]) + (stop[k] - first[k] > 1 ? ' to ' + nodeName(stop[k] - 1) : ''));
	return told.join(', ') + (count > NODES_TOLD ? ` and ${count - NODES_TOLD} more ranges` : '');
}

function describe(job) {
	if (job === NONE)
		return null;
	const { ran,
		labels,
		labelTexts } = data,
			   found = { job, name: jobName(job), id: data.id ? data.id[job] : 0, nodesText: nodesText(job) };

	if (job < ran) {
		Object.assign(
			found,
			{ start: data.start[job], end: data.ended[job] ? data.end[job] : null, nodes: data.nodes[job] });
		if (data.wait && data.wait[job])
			found.wait = data.wait[job] - 1;
		if (data.levels && data.levels.length && rangeKnown(job))
			found.switches = switchesTouched(job);
	} else if (data.submit[job - ran]) {
		found.submit = data.submit[job - ran] - 1;
	}
	found.cpus = data.cpus ? data.cpus[job] : null;
	for (const kind of Object.keys(labels || {}))
		found[kind] = labels[kind][job] ? labelTexts[kind][labels[kind][job] - 1] : '';
	return found;
}

/* Where it is drawn, for an outline; the largest few parts of a scattered job. */
function outline(job, rows) {
	if (job === NONE || job >= data.ran)
		return [];
	const { rangeBegin, rangeEnd, first, stop, low, high } = placesBy(rows), boxes = [];

	for (let k = rangeBegin[job]; k < rangeEnd[job] && boxes.length < 2000; k++)
		boxes.push([low ? first[k] + low[k] / 255 : first[k], low ? stop[k] - 1 + high[k] / 255 : stop[k]]);
	return boxes;
}

function rangeHolds(place, k, row) {
	const { first, stop, low, high } = place;

	if (row < first[k] || row >= stop[k])
		return false;
	const part = (row - Math.floor(row)) * 255;

	return !low || part >= low[k] && part < high[k];
}

/* The job at a place; of those within 'reach' of the time the nearest. */
function jobAt(time, row, reach, rows) {
	const count = jobsBetween(time - reach, time + reach), place = placesBy(rows);
	let best = NONE, nearest = Infinity;

	for (let i = 0; i < count; i++) {
		const job = index.found[i], distance = Math.max(data.start[job] - time, time - data.end[job], 0);

		if (distance >= nearest)
			continue;
		for (let k = place.rangeBegin[job]; k < place.rangeEnd[job]; k++)
			if (rangeHolds(place, k, row)) {
				best = job;
				nearest = distance;
				break;
			}
	}
	return best;
}

/* By id where the text is a number that is one, else by a part of the name; the one behind 'after', and how many there are.
 */
function search(text, after) {
	const number = /^\d+$/.test(text) ? Number(text) : NONE, wanted = text.toLowerCase(), found = [];

	if (!data.id || !data.namePrefix)
		return { count: NONE, job: NONE };
	for (let job = 0; number !== NONE && job < data.jobs; job++)
		if (data.id[job] === number)
			found.push(job);
	if (!found.length)
		searchNames(wanted, found);
	return { count: found.length, job: found.length ? found.find(job => job > after) ?? found[0] : NONE };
}

/* A prefix is looked at once: the text is in it, or goes on into the number behind it. */
function searchNames(wanted, found) {
	const lower = data.prefixes.map(prefix => prefix.toLowerCase()), digitsEnd = /\d$/.test(wanted);
	const inPrefix = lower.map(prefix => prefix.includes(wanted));

	for (let job = 0; job < data.namePrefix.length; job++) {
		const entry = data.namePrefix[job], prefix = entry >>> 1;

		if (inPrefix[prefix] || entry & 1 && digitsEnd && (lower[prefix] + data.nameNumber[job]).includes(wanted))
			found.push(job);
	}
}

/* Jobs that are in the view, those of most node time first. */
function table(view) {
	const count = jobsBetween(view.t0, view.t1), place = placesBy(view.rows), shown = [];

	for (let i = 0; i < count; i++) {
		const job = index.found[i];
		let seen = place.rangeEnd[job] === place.rangeBegin[job];

		for (let k = place.rangeBegin[job]; k < place.rangeEnd[job] && !seen; k++)
			seen = place.first[k] < view.r1 && place.stop[k] > view.r0;
		if (seen)
			shown.push(job);
	}
	const weight = job => (data.end[job] - data.start[job]) * data.nodes[job];

	return { count: shown.length, least: shown.sort((a, b) => weight(b) - weight(a)) };
}

const answers = {
	load,
	draw({ seq, view, strip }) {
		const { pixels, density, count } = draw(view), { names, colours, hatched } = colouring(view.colour);

		tell(strip ? 'strip' : 'picture', {
			seq,
			view,
			buffer: pixels.buffer,
			density,
			count,
			legend: { names, colours: colours(themeOf(view)), hatched }
		},
		     [pixels.buffer]);
	},
	hit({ seq, time, row, reach, rows }) {
		const job = jobAt(time, row, reach, rows);

		tell('hit', { seq, found: describe(job), boxes: outline(job, rows) });
	},
	show({ job, rows, count }) { tell('shown', { found: describe(job), boxes: outline(job, rows), count }); },
	search({ text, after, rows }) {
		const { count, job } = search(text, after);

		tell('shown', { found: describe(job), boxes: outline(job, rows), count, searched: text });
	},
	/* Without a job: the first that starts in the view. */
	step({ job, by, view }) {
		const next = job === NONE ? firstIn(view) : Math.max(0, Math.min(data.ran - 1, job + by));

		answers.show({ job: next, rows: view.rows });
	},
	table({ view, all }) {
		const { count, least } = table(view), told = all ? least : least.slice(0, ROWS_TOLD);

		tell('table', { count, all, jobs: told.map(describe) });
	},
};

function firstIn(view) {
	let job = 0;

	while (job < data.ran - 1 && data.start[job] < view.t0)
		job++;
	return data.ran ? job : NONE;
}

onmessage = async event => {
	try {
		await answers[event.data.type](event.data);
	} catch (error) {
		tell('failed', { text: error.message });
	}
};
