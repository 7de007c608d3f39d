/* What the page shows, as arrays that are quick to draw from. */
const raw = JSON.parse(document.getElementById("data").textContent);
const texts = raw.texts;
const colours = raw.classes.map(([key, label, light, dark]) => ({ key, label, light, dark }));

function column(value, n, Type) {
	const array = new Type(n);

	if (typeof value === "number")
		array.fill(value);
	else
		array.set(value);
	return array;
}

function times(differences) {
	const array = new Float64Array(differences.length);
	let t = 0;

	for (let i = 0; i < array.length; i++)
		array[i] = t += differences[i];
	return array;
}

/* The positions of each row's spans; null: there is one row, of all. */
function rowsOf(l, rows) {
	const lists = Array.from({ length: rows }, () => []);

	if (rows === 1)
		return null;
	for (let i = 0; i < l.row.length; i++)
		lists[l.row[i]].push(i);
	return lists.map((list) => Uint32Array.from(list));
}

function readSpans(l, from) {
	const n = from.length, busy = column(l.d, n, Float64Array);
	const to = busy.map((length, i) => from[i] + length);
	const count = new Uint32Array(n).fill(1);

	/* Blocks that were made when the file was written. */
	for (let k = 0; k < l.m.length; k += 3) {
		count[l.m[k]] = l.m[k + 1];
		busy[l.m[k]] = l.m[k + 2];
	}
	const spans = {
		n, from, to, count, busy,
		text: column(l.n, n, Uint32Array),
		detail: column(l.x, n, Uint32Array),
		colour: column(l.c, n, Uint8Array),
		row: column(l.r, n, Uint16Array),
	};
	spans.byRow = rowsOf(spans, l.rows);
	return spans;
}

function readSteps(l, from) {
	let least = 0, most = 0;

	for (const v of l.v) {
		least = Math.min(least, v ?? 0);
		most = Math.max(most, v ?? 0);
	}
	/* Where nothing is known it is NaN. */
	return { n: 0, from, value: Float64Array.from(l.v, (v) => v ?? NaN), least, most };
}

function readLane(l, index) {
	const from = times(l.t), counter = l.kind === "counter";

	return {
		index, counter,
		name: texts[l.name],
		group: l.group,
		unit: texts[l.unit],
		rows: l.rows,
		merged: l.merged,
		...(counter ? readSteps(l, from) : readSpans(l, from)),
	};
}

const lanes = raw.lanes.map(readLane);
raw.lanes = null;
const groups = raw.groups.map((text) => texts[text]);
const totals = {
	spans: lanes.reduce((n, l) => n + l.n, 0),
	merged: lanes.reduce((n, l) => n + l.merged, 0),
};

/* Display frames that were late, as { lane, i }, in the order of time. */
const LATE = colours.findIndex((c) => c.key === "late");
const lates = lanes.flatMap(lateOf).sort((a, b) => a.lane.from[a.i] - b.lane.from[b.i]);

function lateOf(lane) {
	const list = [];

	for (let i = lane.n ? lane.colour.indexOf(LATE) : -1; i >= 0; i = lane.colour.indexOf(LATE, i + 1))
		list.push({ lane, i });
	return list;
}

/* The vblanks of the only head; null: there are none, or several heads. */
const VBLANK = colours.findIndex((c) => c.key === "vblank");
const heads = lanes.filter((l) => l.n && l.colour[0] === VBLANK);
const vblanks = heads.length === 1 ? heads[0].from : null;

/* The first position in a sorted array whose value is not below v. */
function lowerBound(n, at, v) {
	let low = 0, high = n;

	while (low < high) {
		const mid = (low + high) >> 1;

		if (at(mid) < v)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
