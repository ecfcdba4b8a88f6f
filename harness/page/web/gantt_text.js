/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gantt_text.js - in the page: elements, and texts for people.  This and the three that follow stand in one block of the
 * page's script. */
const UNITS_LEAST = 8, ROWS_LEAST = 4, STRIP_HEIGHT = 44, AXIS_HEIGHT = 22, PRINT_SCALE = 3, PRINT_WIDTH = 1000;
const COLOUR_NAMES = {
	size: 'size',
	class: 'class',
	user: 'user',
	account: 'account',
	partition: 'partition',
	qos: 'QOS',
	state: 'final state',
	wait: 'time waited',
	switches: 'switches touched'
};
const KEYS_HELP = 'Arrow keys move, + and - zoom the time, Page Up and Page Down the rows, Home shows the whole run, ' +
		  'N and P go through the jobs, Escape lets go.';

function element(tag, attributes, ...children) {
	const made = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes || {}))
		if (name.startsWith('on'))
			made.addEventListener(name.slice(2), value);
		else if (value !== null)
			made.setAttribute(name, value);
	made.append(...children);
	return made;
}

/* Job names come from elsewhere: what cannot be seen, or turns the direction of others, is shown as a box. */
function clean(text) {
	const shown =
		String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, '\u25a1');

	return shown.length > 120 ? shown.slice(0, 120) + '\u2026' : shown;
}

function duration(seconds, least) {
	const sign = seconds < 0 ? '-' : '', s = Math.abs(seconds), whole = Math.floor(s + 1e-9),
	      pad = n => String(n).padStart(2, '0');
	const digits = least < 1 ? Math.min(3, Math.ceil(-Math.log10(least) - 1e-9)) : 0, days = Math.floor(whole / 86400);
	const part = digits ? (s - whole).toFixed(digits).slice(1) : '', h = Math.floor(whole / 3600) % 24,
	      m = Math.floor(whole / 60) % 60;

	if (days)
		return `${sign}${days}d ${pad(h)}:${pad(m)}` + (least < 60 ? ':' + pad(whole % 60) + part : '');
	return sign + (h ? `${h}:${pad(m)}` : m) + ':' + pad(whole % 60) + part;
}

const TICKS_S = [
	1,    2,    5,     10,    15,    30,    60,     120,    300,     600,     900,     1800,
	3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000, 7776000, 31536000
];

function tickStep(span_s, most) {
	for (let power = 0.001; power < 1; power *= 10)
		for (const step of [power, 2 * power, 5 * power])
			if (span_s / step <= most)
				return step;
	return TICKS_S.find(step => span_s / step <= most) || span_s / 2;
}

function colourNumber(css) {
	const [r, g, b, a] = (css.match(/[\d.]+/g) || [255, 255, 255, 1]).map(Number);

	return a === 0 ? NaN : r << 16 | g << 8 | b;
}

const isDark = rgb => 0.2126 * (rgb >> 16) + 0.7152 * (rgb >> 8 & 255) + 0.0722 * (rgb & 255) < 110;
const cssColour = rgb => '#' + rgb.toString(16).padStart(6, '0');
