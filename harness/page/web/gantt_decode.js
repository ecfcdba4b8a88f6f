/* SPDX-License-Identifier: GPL-2.0-or-later */

/* gantt_decode.js - in the page's worker: from the page's blocks (harness/page/gantt_data.h, gantt_pack.h, free_runs.h) to
 * arrays. Jobs are numbered by their start; those from data.ran on never ran.  Times are in data.head.unit_ms behind its
 * origin. */
const NONE = -1;
const data = {
	head: null,
	bytes: null,
	ran: 0,
	jobs: 0
};

function damage(text) { throw new Error('the page is damaged: ' + text); }

function bytesFromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text), bytes = new Uint8Array(binary.length);

	for (let i = 0; i < binary.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

function bytesOfBlocks(blocks, length) {
	const bytes = new Uint8Array(length);
	let at = 0;

	for (const block of blocks) {
		const part = bytesFromBase64(block);

		if (at + part.length > length)
			damage('there is more data than its head says');
		bytes.set(part, at);
		at += part.length;
	}
	if (at !== length)
		damage(`of ${length} bytes of data ${at} are there`);
	return bytes;
}

async function inflate(at, length) {
	const packed = new Blob([data.bytes.subarray(at, at + length)]);

	try {
		return new Uint8Array(
			await new Response(packed.stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer());
	} catch (error) {
		return damage(`a block cannot be unpacked (${error.message})`);
	}
}

async function column(name) {
	const entry = data.head.columns[name];

	if (!entry)
		damage(`it lacks the column ${name}`);
	const [count, begin, ...lengths] = entry, values = new Uint32Array(count), planes = [];

	for (let plane = 0, at = begin; plane < 4; at += lengths[plane++])
		planes.push(lengths[plane] ? inflate(at, lengths[plane]) : null);
	const unpacked = await Promise.all(planes);

	for (let plane = 0; plane < 4; plane++) {
		const bytes = unpacked[plane], shift = 8 * plane;

		if (bytes && bytes.length !== count)
			damage(`the column ${name} has ${bytes.length} numbers instead of ${count}`);
		for (let i = 0; bytes && i < count; i++)
			values[i] |= bytes[i] << shift;
	}
	return values;
}

async function texts(name) {
	const [length, at, packed] = data.head.texts[name] || damage(`it lacks the text ${name}`);
	const bytes = await inflate(at, packed);

	if (bytes.length !== length)
		damage(`the text ${name} has ${bytes.length} bytes instead of ${length}`);
	const list = new TextDecoder().decode(bytes).split('\0');

	list.pop();
	return list;
}

const unfold = value => value >>> 1 ^ -(value & 1);

async function loadTimes() {
	const [start, duration, nodes] = await Promise.all([column('start'), column('duration'), column('nodes')]);
	const end = new Uint32Array(start.length);
	let time = 0, last = Math.max(1, Math.ceil((data.to * 1000 - data.head.origin_ms) / data.head.unit_ms));

	for (let i = 0; i < start.length; i++) {
		start[i] = time += start[i];
		end[i] = duration[i] ? time + duration[i] - 1 : 0;
		last = Math.max(last, end[i], time);
	}
	for (let i = 0; i < start.length; i++)
		if (!duration[i])
			end[i] = last; /* it ran when the record ended */
	Object.assign(data, { start, end, nodes, ended: duration, last, ran: start.length, jobs: data.head.jobs });
	data.rangeBegin = new Uint32Array(data.ran);
	data.rangeEnd = new Uint32Array(data.ran);
	data.first = new Int32Array(data.head.ranges);
	data.stop = new Int32Array(data.head.ranges);
	data.rangeCount = 0;
}

function popcount(x) {
	x -= x >>> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >>> 2 & 0x33333333);
	return Math.imul(x + (x >>> 4) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

const lowest = x => 31 - Math.clz32(x & -x);

/* The set of free nodes: a bit each, where runs of them begin, and how many do in each word and in each 32 words. */
class FreeRuns {
	constructor(nodes) {
		this.nodes = nodes;
		this.words = new Int32Array((nodes >>> 5) + 3);
		this.begins = new Int32Array(this.words.length);
		this.counts = new Uint8Array(this.words.length);
		this.groups = new Int32Array((this.words.length >>> 5) + 1);
		this.set(0, nodes, true);
	}
	set(from, to, free) {
		if (from >= to)
			return;
		const first = from >>> 5, last = to - 1 >>> 5, words = this.words;

		for (let w = first; w <= last; w++) {
			let bits = -1;

			if (w === first)
				bits &= -1 << (from & 31);
			if (w === last)
				bits &= -1 >>> 31 - (to - 1 & 31);
			words[w] = free ? words[w] | bits : words[w] & ~bits;
		}
		for (let w = first; w <= last + 1; w++) {
			const begins = words[w] & ~(words[w] << 1 | (w ? words[w - 1] >>> 31 : 0)), count = popcount(begins);

			this.begins[w] = begins;
			this.groups[w >>> 5] += count - this.counts[w];
			this.counts[w] = count;
		}
	}
	isFree(node) { return this.words[node >>> 5] >>> (node & 31) & 1; }
	/* Where the run number 'skip' begins, of those that begin at 'from' or behind it. */
	beginBehind(from, skip) {
		let w = from >>> 5, bits = this.begins[w] & -1 << (from & 31), count = popcount(bits);

		if (skip >= count) {
			skip -= count;
			for (w++; skip >= this.counts[w];) {
				if (!(w & 31) && skip >= this.groups[w >>> 5]) {
					skip -= this.groups[w >>> 5];
					w += 32;
				} else {
					skip -= this.counts[w++];
				}
				if (w >= this.words.length)
					damage('a job has a node that is not free');
			}
			bits = this.begins[w];
		}
		for (; skip > 0; skip--)
			bits &= bits - 1;
		return (w << 5) + lowest(bits);
	}
	begin(from, skip) {
		if (from >= this.nodes)
			damage('a job has more nodes than there are');
		if (!this.isFree(from))
			return this.beginBehind(from, skip);
		return skip ? this.beginBehind(from + 1, skip - 1) : from;
	}
	/* Where the run that holds 'node' ends, at 'limit' at the latest. */
	end(node, limit) {
		let w = node >>> 5, busy = ~this.words[w] & -1 << (node & 31);

		while (!busy && w << 5 < limit)
			busy = ~this.words[++w];
		return busy ? Math.min((w << 5) + lowest(busy), limit) : limit;
	}
}

/* One segment: places of the jobs that run at its begin, and of its own. */
class Segment {
	constructor(number, lists) {
		this.begin = number * data.head.segment;
		this.stop = Math.min(this.begin + data.head.segment, data.ran);
		this.lists = lists;
		this.at = { mode: 0, skip: 0, offset: 0, length: 0, gap: 0, gap_length: 0 };
		this.runs = new FreeRuns(data.head.node_count);
	}
	next(list) {
		if (this.at[list] >= this.lists[list].length)
			damage('a job lacks nodes');
		return this.lists[list][this.at[list]++];
	}
	jobs() {
		const list = [], { nodes, end, start, ended } = data, least = Math.max(1, data.head.placed_min);
		const time = start[this.begin];

		for (let job = 0; job < this.begin; job++)
			if (nodes[job] >= least && (!ended[job] || Math.max(end[job], start[job] + 1) > time))
				list.push(job);
		for (let job = this.begin; job < this.stop; job++)
			if (nodes[job] >= least)
				list.push(job);
		return list;
	}
	/* The same by the time at which their nodes are free again. */
	ends(jobs) {
		const keys = new Float64Array(jobs.length);
		let count = 0;

		jobs.forEach((job, k) => {
			if (data.ended[job])
				keys[count++] = Math.max(data.end[job], data.start[job] + 1) * 2097152 + k;
		});
		return keys.subarray(0, count).sort();
	}
	replay() {
		const jobs = this.jobs(), ends = this.ends(jobs), { start, rangeBegin, rangeEnd, first, stop } = data;
		let ended = 0;

		for (const job of jobs) {
			while (job >= this.begin && ended < ends.length && Math.floor(ends[ended] / 2097152) <= start[job]) {
				const gone = jobs[ends[ended++] % 2097152];

				for (let k = rangeBegin[gone]; k < rangeEnd[gone]; k++)
					this.runs.set(first[k], stop[k], true);
			}
			this.place(job);
		}
	}
	place(job) {
		const known = rangeKnown(job), mode = this.next('mode');

		this.known = known;
		if (!known)
			data.rangeBegin[job] = data.rangeCount;
		if (mode & 1)
			this.placePlain(data.nodes[job], mode >>> 1);
		else
			this.placePredicted(data.nodes[job], mode >>> 1);
		if (!known)
			data.rangeEnd[job] = data.rangeCount;
	}
	take(from, to) {
		if (to > data.head.node_count)
			damage('a job has more nodes than there are');
		this.runs.set(from, to, false);
		if (this.known)
			return;
		if (data.rangeCount >= data.first.length)
			damage('the jobs have more ranges of nodes than the head says');
		data.first[data.rangeCount] = from;
		data.stop[data.rangeCount++] = to;
	}
	placePlain(nodes, count) {
		for (let from = 0, left = nodes; count > 0; count--) {
			from += this.next('gap');
			const length = this.next('gap_length') || left;

			this.take(from, from + length);
			from += length;
			left -= length;
		}
	}
	placePredicted(nodes, explicit) {
		for (let from = 0, left = nodes; left > 0; explicit --) {
			const told = explicit > 0,
			      begin = this.runs.begin(from, told ? this.next('skip') : 0) + (told ? this.next('offset') : 0);
			const length = told ? this.next('length') : 0,
			      to = length ? begin + length : this.runs.end(begin, begin + left);

			if (to <= begin)
				damage('a job has a node that is not free');
			this.take(begin, to);
			left -= to - begin;
			from = to;
		}
	}
}

const rangeKnown = job => data.rangeEnd[job] > data.rangeBegin[job];

async function loadSegment(number) {
	const names = ['mode', 'skip', 'offset', 'length', 'gap', 'gap_length'], lists = {};
	const columns = await Promise.all(names.map(name => column(`s${number}.${name}`)));

	names.forEach((name, i) => { lists[name] = columns[i]; });
	new Segment(number, lists).replay();
}

async function loadRest() {
	const { jobs, ran, nodes, head } = data, [cpus, id, wait, submit] = await Promise.all(
							 [column('cpus'), column('id'), column('wait'), column('submit')]);

	for (let i = 0, last = 0; i < jobs; i++) {
		cpus[i] = unfold(cpus[i]) + (i < ran ? nodes[i] * head.cpus_per_node : 0);
		id[i] = last = last + unfold(id[i]) >>> 0;
	}
	Object.assign(data, { cpus, id, wait, submit, labels: {}, labelTexts: {}, levels: [] });
	for (const label of ['class', 'user', 'account', 'partition', 'qos', 'state']) {
		data.labels[label] = await column(label);
		data.labelTexts[label] = await texts(label);
	}
	data.nodeNames = await texts('nodes');
	data.nodeOrder = await column('node_order');
	for (let level = 0; level < head.levels; level++)
		data.levels.push({ first: await column('level' + level), names: await texts('level' + level) });
	await loadNames();
}

async function loadNames() {
	const { jobs, head } = data;

	data.prefixes = await texts('prefixes');
	data.namePrefix = await column('name_prefix');
	data.nameNumber = new Uint32Array(head.names ? jobs : 0);
	const numbers = await column('name_number'), last = new Uint32Array(data.prefixes.length);

	for (let i = 0, at = 0; i < data.nameNumber.length; i++) {
		const prefix = data.namePrefix[i] >>> 1;

		if (data.namePrefix[i] & 1)
			data.nameNumber[i] = last[prefix] += unfold(numbers[at++]);
	}
}

function jobName(job) {
	if (!data.head.names || !data.namePrefix)
		return '';
	const prefix = data.namePrefix[job];

	return data.prefixes[prefix >>> 1] + (prefix & 1 ? data.nameNumber[job] : '');
}
