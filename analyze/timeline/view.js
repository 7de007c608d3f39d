/* Which part of it is in view, and where the lanes stand. */
const LABELS = 220, ROW = 18, BOX = 16, GAP = 4, HEAD = 26, COUNTER = 40, RULER = 36, WHOLE = 9;
const LEAST_NS = 10;		/* no more than that is ever zoomed into */

/* A little room at both ends, so that what lies there is seen. */
function wholeRange() {
	const pad = Math.max((raw.to - raw.from) * 0.005, raw.to > raw.from ? 1 : 500);

	return { from: raw.from - pad, to: raw.to + pad };
}

const whole = wholeRange();
const view = {
	...whole,
	width: 1, height: 1,	/* of the canvas, px */
	search: "",
	closed: new Set(),	/* groups */
	focus: null,		/* { lane, i } */
	hover: null,		/* see spanAt() */
};
let places = [];		/* of groups and lanes, from the top */
let sheetHeight = 0;

const scale = () => view.width / (view.to - view.from);
const xOf = (t) => (t - view.from) * scale();
const timeAt = (x) => view.from + x / scale();

function heightOf(l) {
	return (l.counter ? COUNTER : l.rows * ROW) + GAP;
}

function layOut() {
	let y = 0, group = -1;

	places = [];
	for (const l of lanes) {
		if (l.group !== group) {
			group = l.group;
			places.push({ group, y, height: HEAD, lane: null });
			y += HEAD;
		}
		if (view.closed.has(group))
			continue;
		places.push({ group, y, height: heightOf(l), lane: l });
		y += heightOf(l);
	}
	sheetHeight = y + GAP;
}

/* The place at a height of the sheet; null: there is none. */
function placeAt(y) {
	const i = lowerBound(places.length, (k) => places[k].y, y + 1e-6) - 1;

	return i >= 0 && y < places[i].y + places[i].height ? places[i] : null;
}

const placeOf = (lane) => places.find((p) => p.lane === lane) ?? null;

/* Keeps the range inside the whole one and wide enough. */
function clampRange(from, to) {
	const width = Math.min(Math.max(to - from, LEAST_NS), whole.to - whole.from);
	const start = Math.min(Math.max(from, whole.from), whole.to - width);

	return { from: start, to: start + width };
}

const zoomed = (factor, around) =>
	clampRange(around - (around - view.from) * factor, around + (view.to - around) * factor);

const moved = (part) => {
	const by = (view.to - view.from) * part;

	return clampRange(view.from + by, view.to + by);
};

/* So that a span fills most of the width. An instant keeps some neighbours. */
function aroundSpan(l, i) {
	const room = Math.max((l.to[i] - l.from[i]) * 0.1, LEAST_NS * 10);

	return clampRange(l.from[i] - room, l.to[i] + room);
}

/* The same with as much before and behind it; where it is seen well as it is, the
 * range stays. */
function amongNeighbours(l, i) {
	const length = Math.max(l.to[i] - l.from[i], LEAST_NS);
	const seen = l.from[i] >= view.from && l.to[i] <= view.to && length * 8 > view.to - view.from;

	return seen ? { from: view.from, to: view.to } : clampRange(l.from[i] - length, l.to[i] + length);
}

/* The range moved so that the span is in it. */
function withSpan(l, i) {
	const width = view.to - view.from;

	if (l.to[i] >= view.from && l.from[i] <= view.to)
		return { from: view.from, to: view.to };
	return clampRange(l.from[i] - width / 3, l.from[i] - width / 3 + width);
}
