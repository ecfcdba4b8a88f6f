/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gantt_places.js - in the page's worker: rows in the order of the tree of switches, and jobs that share nodes side by side.
 */
class PlaceList {
	constructor(shared) {
		this.rangeBegin = new Uint32Array(data.ran);
		this.rangeEnd = new Uint32Array(data.ran);
		this.first = [];
		this.stop = [];
		this.low = shared ? [] : null;
		this.high = shared ? [] : null;
	}
	/* Joined with the range before where the two touch and have the same part of their rows. */
	add(job, from, to, low, high) {
		const last = this.first.length - 1;

		if (last >= this.rangeBegin[job] && this.stop[last] === from &&
		    (!this.low || low === 0 && high === 255 && this.low[last] === 0 && this.high[last] === 255)) {
			this.stop[last] = to;
			return;
		}
		this.first.push(from);
		this.stop.push(to);
		if (this.low) {
			this.low.push(low);
			this.high.push(high);
		}
	}
	begin(job) { this.rangeBegin[job] = this.first.length; }
	end(job) { this.rangeEnd[job] = this.first.length; }
}

/* Rows by switch differ from rows by node only where the configuration names the nodes in another order than the tree. */
function placesBy(rows) {
	if (rows !== 'switch' || !data.nodeOrder || !data.nodeOrder.some((node, row) => node !== row))
		return places.node;
	if (places.switch && places.switch.complete)
		return places.switch;
	const rowOf = new Uint32Array(data.head.node_count), list = new PlaceList(Boolean(places.node.low));

	data.nodeOrder.forEach((node, row) => { rowOf[node] = row; });
	for (let job = 0; job < data.ran; job++)
		placeInOrder(job, rowOf, list);
	list.complete = index.complete;
	places.switch = list;
	return list;
}

function placeInOrder(job, rowOf, list) {
	const { rangeBegin, rangeEnd, first, stop, low, high } = places.node, rows = [];

	for (let k = rangeBegin[job]; k < rangeEnd[job]; k++)
		for (let node = first[k]; node < stop[k]; node++)
			rows.push([rowOf[node], low ? low[k] : 0, low ? high[k] : 255]);
	rows.sort((a, b) => a[0] - b[0]);
	list.begin(job);
	for (const [row, from, to] of rows)
		list.add(job, row, row + 1, from, to);
	list.end(job);
}

/* CPUs of a job on each of its nodes: they are taken to be the same on all. */
const cpusOnNode = job => Math.max(1, Math.min(data.head.cpus_per_node, Math.round(data.cpus[job] / data.nodes[job])));

function nodesAreShared() {
	const { nodes, cpus, ran, head } = data;

	for (let job = 0; job < ran; job++)
		if (nodes[job] && cpus[job] && cpus[job] < nodes[job] * head.cpus_per_node)
			return true;
	return false;
}

/* Give each job the lowest CPUs of its nodes that are free: where in its row it is drawn. */
function stackShared() {
	const used = Array.from({ length: data.head.node_count }, () => []), list = new PlaceList(true),
	      { ran, start } = data;
	const { rangeBegin, rangeEnd, first, stop } = places.node;

	for (let job = 0; job < ran; job++) {
		list.begin(job);
		for (let k = rangeBegin[job]; k < rangeEnd[job]; k++)
			for (let node = first[k]; node < stop[k]; node++) {
				used[node] = used[node].filter(slot => slot.end > start[job]);
				stackOne(used[node], node, job, list);
			}
		list.end(job);
	}
	places.node = list;
}

function stackOne(slots, node, job, list) {
	const all = data.head.cpus_per_node, cpus = data.cpus[job] ? cpusOnNode(job) : all;
	let low = 0;

	for (const slot of slots) { /* in order of their CPUs */
		if (slot.low - low >= cpus)
			break;
		low = Math.max(low, slot.high);
	}
	low = Math.min(low, all - cpus); /* rounded times may overlap */
	slots.push({ low, high: low + cpus, end: Math.max(data.end[job], data.start[job] + 1) });
	slots.sort((a, b) => a.low - b.low);
	list.add(job, node, node + 1, Math.round(low / all * 255), Math.round((low + cpus) / all * 255));
}
