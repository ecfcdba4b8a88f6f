/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gantt_words.js - what of the schedule's section is words and controls: tools, details of a job, the table. */
class GanttWords extends GanttPicture {
	build() {
		this.canvas = element('canvas', { class: 'gantt-canvas', 'aria-hidden': 'true' });
		this.stripCanvas = element('canvas', { class: 'gantt-strip', 'aria-hidden': 'true' });
		this.details = element('div', { class: 'gantt-details', hidden: '' });
		this.plot = element('div', {
			class: 'gantt-plot',
			tabindex: '0',
			role: 'application',
			'aria-roledescription': 'schedule chart',
			'aria-label': 'Schedule of all jobs by node',
			'aria-describedby': `gantt-keys-${this.run}`
		},
				    this.canvas, this.details);
		this.live = element('p', { class: 'gantt-live', 'aria-live': 'polite', role: 'status' });
		this.legend = element('ul', { class: 'gantt-legend', 'aria-label': 'Colours' });
		this.status = element('p', { class: 'gantt-status' }, 'Reading the schedule\u2026');
		this.print =
			element('img', { class: 'gantt-print', alt: 'The whole schedule, nodes over time', hidden: '' });
		this.section.append(this.buildTools(), this.stripCanvas, this.plot, this.print, this.legend, this.live,
				    element('p', { class: 'gantt-keys', id: `gantt-keys-${this.run}` }, KEYS_HELP,
					    ' The wheel zooms while the chart has ' +
						    'the focus, or with Ctrl; with Alt the rows.'),
				    this.status, this.buildTable());
	}

	buildTools() {
		const button = (text, label, act) =>
			element('button', { type: 'button', 'aria-label': label, title: label, onclick: act }, text);

		this.colourSelect = element('select', {
			onchange: () => {
				this.colour = this.colourSelect.value;
				this.refresh();
			}
		},
					    element('option', { value: 'size' }, 'size'));
		this.rowsSelect = element('select', {
			onchange: () => {
				this.rows = this.rowsSelect.value;
				this.rowsChanged();
			}
		},
					  element('option', { value: 'node' }, 'node'));
		this.searchInput = element('input', {
			type: 'search',
			placeholder: 'job id or name',
			size: '16',
			autocomplete: 'off',
			'aria-label': 'Search a job by id or name'
		});
		return element('div', { class: 'gantt-tools' }, element('label', {}, 'Colour by ', this.colourSelect),
			       element('label', {}, 'Rows by ', this.rowsSelect),
			       element('form', { role: 'search', onsubmit: event => this.search(event) }, this.searchInput,
				       ' ', element('button', { type: 'submit' }, 'Find')),
			       element('span', { class: 'gantt-zoom', role: 'group', 'aria-label': 'Zoom' },
				       button('\u2212', 'Zoom out', () => this.zoom(2)),
				       button('+', 'Zoom in', () => this.zoom(0.5)),
				       button('\u21a5', 'Fewer rows', () => this.zoomRows(0.5)),
				       button('\u21a7', 'More rows', () => this.zoomRows(2)),
				       button('All', 'The whole run', () => this.home())));
	}

	buildTable() {
		this.tableBody = element('tbody');
		this.tableNote = element('p');
		this.tableDetails = element(
			'details', { class: 'gantt-table', ontoggle: () => this.askTable(false) },
			element('summary', {}, 'The jobs of this window as a table'), this.tableNote,
			element('button', { type: 'button', onclick: () => this.askTable(true) }, 'Save as CSV'),
			element('div', { class: 'gantt-scroll' },
				element('table', { 'aria-label': 'The jobs of this window' },
					element('thead', {},
						element('tr', {},
							...['Job', 'Name', 'Class', 'Nodes', 'CPUs', 'Start', 'Run time',
							    'Wait', 'Where']
								.map(text => element('th', { scope: 'col' }, text)))),
					this.tableBody)));
		return this.tableDetails;
	}

	/* What the reader has to know about the data: how exact, and what was left out. */
	tellStatus(head) {
		const unit = head.unit_ms < 1000 ? `${head.unit_ms} ms` : `${head.unit_ms / 1000} s`,
		      parts = [`${head.ran.toLocaleString('en')} of ${head.jobs.toLocaleString('en')} jobs ran on ` +
			       `${head.node_count.toLocaleString('en')} nodes; times are exact to ${unit}.`];

		if (head.placed_min && head.unplaced)
			parts.push(`Left out, so that the page stays small: the nodes of ${
					   head.unplaced.toLocaleString('en')} jobs that had fewer than ` +
				   `${head.placed_min}.`);
		if (!head.names)
			parts.push('Left out, so that the page stays small: the jobs\' names.');
		if (head.names_cut)
			parts.push(`${head.names_cut} names are cut after 256 bytes.`);
		if (!this.complete)
			parts.push('Reading the rest\u2026');
		this.status.textContent = parts.join(' ');
	}

	facts(found) {
		const unit_s = this.head.unit_ms / 1000, length = units => duration(units * unit_s, unit_s), rows = [];
		const add = (name, value) =>
			value !== undefined && value !== null && value !== '' && rows.push([name, value]);

		add('class', found.class && clean(found.class));
		for (const kind of ['user', 'account', 'partition', 'qos', 'state'])
			add(COLOUR_NAMES[kind], found[kind] && clean(found[kind]));
		if (found.start !== undefined) {
			add('start', duration(this.seconds(found.start), unit_s));
			add('ran', found.end === null ? 'not ended' : length(found.end - found.start));
		} else {
			add('start', 'never');
		}
		add('waited', found.wait === undefined ? null : length(found.wait));
		add('nodes', found.nodes || null);
		add('CPUs', found.cpus);
		add('switches', found.switches);
		add('on', found.nodesText && clean(found.nodesText));
		return rows;
	}

	describe(found) {
		const list = element('dl');

		for (const [name, value] of this.facts(found))
			list.append(element('dt', {}, name), element('dd', {}, element('bdi', {}, String(value))));
		return element('div', {}, element('strong', {}, `Job ${found.id} `, element('bdi', {}, clean(found.name))),
			       list);
	}

	askTable(all) {
		if (this.view && this.worker && (all || this.tableDetails.open))
			this.ask('table', { view: {...this.view, rows: this.rows }, all });
	}

	onTable({ count, all, jobs }) {
		const cells = found => {
			const facts = new Map(this.facts(found));

			return [
				found.id, clean(found.name), facts.get('class') || '', found.nodes || '', found.cpus ?? '',
				facts.get('start'), facts.get('ran') || '', facts.get('waited') || '', facts.get('on') || ''
			];
		};

		if (all) {
			this.saveTable(jobs.map(cells));
			return;
		}
		this.tableNote.textContent =
			`${count} jobs` + (count > jobs.length ? `; the ${jobs.length} with the most node time:` : '.');
		this.tableBody.replaceChildren(...jobs.map(found => {
			const [id, ...rest] = cells(found).map(text => element('bdi', {}, String(text)));

			return element('tr', {}, element('th', { scope: 'row' }, id),
				       ...rest.map(text => element('td', {}, text)));
		}));
	}

	/* A field that a spreadsheet would take for a formula gets an apostrophe. */
	saveTable(rows) {
		const field = text => '"' + String(text).replace(/^[=+\-@\t\r]/, '\'$&').replace(/"/g, '""') + '"';
		const lines =
			[['job_id', 'name', 'class', 'nodes', 'cpus', 'start', 'run_time', 'wait', 'where'], ...rows].map(
				row => row.map(field).join(','));
		const link = element('a', {
			href: URL.createObjectURL(new Blob([lines.join('\r\n') + '\r\n'], { type: 'text/csv' })),
			download: 'jobs.csv'
		});

		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 10000);
	}
}
