/* Draws what is in view. Spans narrower than a pixel become blocks that say how
 * many there are. */
const NARROW = 1;		/* px */
const BLOCK = 120;		/* px, no block is wider */
const APART = 9;		/* px between vblanks, at least, for lines through all lanes */
const COLUMN_PX = 3;		/* px, a part of a block that is drawn by itself */
const THEMES = {
	light: { paper: "#ffffff", ink: "#1f2328", faint: "#656d76", line: "#e3e7eb", head: "#f6f8fa",
		 hit: "#b0069a", dim: 0.3, band: 0.14, text: "#1f2328" },
	dark: { paper: "#0d1117", ink: "#e6edf3", faint: "#8b949e", line: "#262c34", head: "#161b22",
		hit: "#ff7be9", dim: 0.3, band: 0.26, text: "#f0f3f6" },
};
const darkMedia = matchMedia("(prefers-color-scheme: dark)");
const FONT = '11px ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';
const COLUMN = 6.63;		/* px, of that font at most */

let theme = THEMES.light;
let fills = [];			/* by class */
let drawn = { spans: 0, blocks: 0, inBlocks: 0 };

function takeTheme() {
	theme = darkMedia.matches ? THEMES.dark : THEMES.light;
	fills = colours.map((c) => (darkMedia.matches ? c.dark : c.light) || theme.faint);
}

/* One thing to draw in a row: spans first..last of the row's list. */
function newItem(l, i, k, x0, x1, narrow) {
	return { lane: l, first: k, last: k, i, x0, x1, narrow, columns: null, count: l.count[i], busy: l.busy[i],
		 longest: l.to[i] - l.from[i], colour: l.colour[i], hits: isHit(l, i) ? 1 : 0 };
}

/* A block has columns, each as a small block of its own. */
function joinColumn(item, x, count, busy, colour) {
	const at = Math.floor((x - item.x0) / COLUMN_PX);
	const column = item.columns[at] ??= { count: 0, busy: 0, most: -1, colour };

	column.count += count;
	column.busy += busy;
	if (busy > column.most) {
		column.most = busy;
		column.colour = colour;
	}
}

function joinItem(item, l, i, k, x0, x1) {
	const length = l.to[i] - l.from[i];

	if (!item.columns) {
		item.columns = [];
		joinColumn(item, item.x0, item.count, item.busy, item.colour);
	}
	joinColumn(item, x0, l.count[i], l.busy[i], l.colour[i]);
	item.last = k;
	item.x1 = x1;
	item.count += l.count[i];
	item.busy += l.busy[i];
	item.hits += isHit(l, i) ? 1 : 0;
	if (length > item.longest) {
		item.longest = length;
		item.colour = l.colour[i];
		item.i = i;
	}
}

/* Calls `each` with what is to be drawn of a row, from left to right, until it
 * returns true. */
function scanRow(l, row, each) {
	const list = l.byRow ? l.byRow[row] : null, n = list ? list.length : l.n;
	const { from, to } = l, start = view.from, end = view.to, px = scale();
	let item = null, k = lowerBound(n, list ? (j) => to[list[j]] : (j) => to[j], start);

	for (; k < n; k++) {
		const i = list ? list[k] : k;

		if (from[i] > end)
			break;
		const x0 = (from[i] - start) * px, x1 = (to[i] - start) * px;
		const narrow = x1 - x0 < NARROW;

		if (narrow && item !== null && item.narrow && x0 - item.x1 < NARROW && x1 - item.x0 < BLOCK) {
			joinItem(item, l, i, k, x0, x1);
			continue;
		}
		if (item !== null && each(item))
			return;
		item = newItem(l, i, k, x0, x1, narrow);
	}
	if (item !== null)
		each(item);
}

/* What stands before a colon says most. Less than a few letters are worth
 * nothing. */
function cutText(text, room) {
	const head = text.split(": ", 1)[0];

	if (text.length <= room)
		return text;
	if (head.length < text.length && head.length <= room)
		return head;
	return room < 5 ? "" : Array.from(text).slice(0, room - 1).join("") + "\u2026";
}

function put(c, text, x, y, room, colour) {
	const cut = cutText(text, Math.floor(room / COLUMN));

	if (!cut)
		return;
	c.fillStyle = colour;
	/* Wide characters are squeezed rather than to stand over the next span. */
	c.fillText(cut, x, y, room);
}

const BLOCKED = colours.findIndex((c) => c.key === "blocked");
const LOSS = colours.findIndex((c) => c.key === "loss");
const SAMPLE = colours.findIndex((c) => c.key === "sample");

/* As high as its share of the time; samples by how many there are, other
 * instants are seen from afar. */
function putColumn(c, part, ns, x, y, width) {
	const share = part.busy > 0 ? part.busy / Math.max(ns, 1) :
		      part.colour === SAMPLE ? Math.log2(part.count + 1) / 5 : 1;
	const height = Math.max(3, Math.round(BOX * Math.min(1, share)));

	c.fillStyle = fills[part.colour];
	c.fillRect(x, y + BOX - height, width, height);
}

/* What is seen through is not there all the time. */
function putBlock(c, item, x, y, width) {
	c.fillStyle = theme.line;
	c.fillRect(x, y, width, BOX);
	if (!item.columns)
		putColumn(c, item, lengthOf(item), x, y, width);
	else
		item.columns.forEach((part, k) => {
			const x0 = item.x0 + k * COLUMN_PX, x1 = Math.min(x0 + COLUMN_PX, Math.max(item.x1, x0 + NARROW));

			putColumn(c, part, (x1 - x0) / scale(), x0, y, x1 - x0);
		});
	if (item.hits) {
		c.fillStyle = theme.hit;
		c.fillRect(x, y, Math.max(width, 2), 4);
	}
}

function putLabel(c, label, x, y) {
	c.globalAlpha *= 0.8;
	c.fillStyle = theme.paper;
	c.fillRect(x + 1, y + 1, label.length * COLUMN + 4, BOX - 2);
	c.globalAlpha /= 0.8;
	put(c, label, x + 3, y + 12, BLOCK, theme.text);
}

/* ns from the beginning of an item to its end. */
const lengthOf = (item) => (item.x1 - item.x0) / scale();

function putSpan(c, item, x, y, width) {
	const text = texts[item.lane.text[item.i]];

	if (item.colour === SAMPLE && !item.hits) {
		putColumn(c, item, 0, x, y, width);
		return;
	}
	c.fillStyle = item.hits ? theme.hit : fills[item.colour];
	c.fillRect(x, y, width, BOX);
	/* Sleep is what the eye is to pass over. */
	if (width > 2 * COLUMN && (item.colour !== BLOCKED || text.length * COLUMN < width - 6))
		put(c, text, x + 3, y + 12, width - 6,
		    item.hits || item.colour === LOSS ? theme.paper : theme.text);
}

function outline(c, x, y, width, thick) {
	c.strokeStyle = theme.ink;
	c.lineWidth = thick;
	c.strokeRect(x - thick / 2, y - thick / 2, width + thick, BOX + thick);
}

function drawItem(c, item, y) {
	const x = Math.max(item.x0, -2), end = Math.min(item.x1, view.width + 2);
	/* A hair of space between neighbours that are wide enough. */
	const width = Math.max(end - x - (end - x > 4 ? 0.5 : 0), NARROW);
	const block = item.count > 1;

	c.globalAlpha = view.search && !item.hits ? theme.dim : 1;
	(block ? putBlock : putSpan)(c, item, x, y, width);
	c.globalAlpha = 1;
	if (isSame(view.hover, item))
		outline(c, x, y, width, 1);
	if (holdsFocus(item))
		outline(c, x, y, Math.max(width, 3), 2);
	drawn.spans += item.count;
	drawn.blocks += block;
	drawn.inBlocks += block ? item.count : 0;
}

const isSame = (a, b) => a !== null && a.lane === b.lane && a.i === b.i && a.count === b.count;

function holdsFocus(item) {
	const f = view.focus;

	return f !== null && f.lane === item.lane && f.lane.row[f.i] === item.lane.row[item.i] &&
	       f.lane.from[f.i] >= item.lane.from[itemFirst(item)] &&
	       f.lane.from[f.i] <= item.lane.from[itemLast(item)];
}

const inRow = (item, k) => item.lane.byRow ? item.lane.byRow[item.lane.row[item.i]][k] : k;
const itemFirst = (item) => inRow(item, item.first);
const itemLast = (item) => inRow(item, item.last);

/* A line through the values; where many lie on a pixel, from the least to the
 * greatest of them. It is broken where no value is known. */
function drawCounter(c, l, y) {
	const span = l.most - l.least || 1, height = COUNTER - 8;
	const yOf = (v) => y + 4 + height - (v - l.least) / span * height;
	const first = Math.max(0, lowerBound(l.from.length, (k) => l.from[k], view.from) - 1);
	let level = yOf(l.value[first]);
	const draw = (goesOn, x, at) => {
		if (!Number.isNaN(at))
			c[goesOn ? "lineTo" : "moveTo"](x, at);
	};

	c.strokeStyle = fills[1];
	c.fillStyle = fills[1];
	c.lineWidth = 1.5;
	c.beginPath();
	draw(false, Math.max(xOf(l.from[first]), -2), level);
	for (let i = first + 1; i < l.from.length && l.from[i] <= view.to;) {
		const x = Math.max(xOf(l.from[i]), -2), next = Math.floor(x) + 1;
		const known = !Number.isNaN(level);
		let low = known ? level : Infinity, high = known ? level : -Infinity;

		draw(true, x, level);
		for (; i < l.from.length && xOf(l.from[i]) < next; i++) {
			level = yOf(l.value[i]);
			low = Number.isNaN(level) ? low : Math.min(low, level);
			high = Number.isNaN(level) ? high : Math.max(high, level);
		}
		if (low <= high) {
			draw(known, x, low);
			draw(true, x, high);
		}
		draw(true, x, level);
	}
	draw(true, Math.min(xOf(raw.to), view.width + 2), level);
	c.stroke();
	putLabel(c, `${number(l.most)} ${l.unit}`, 0, y - 1);
}

function drawLane(c, place, top) {
	const l = place.lane, y = place.y - top;

	if (l.counter) {
		drawCounter(c, l, y);
		return;
	}
	for (let row = 0; row < l.rows; row++)
		scanRow(l, row, (item) => {
			drawItem(c, item, y + 2 + row * ROW);
			return false;
		});
}

function drawGrid(c, ticks, height) {
	c.fillStyle = theme.line;
	for (const tick of ticks)
		c.fillRect(Math.round(xOf(tick.at)), 0, 1, height);
}

/* What went on while a late frame was waited for, from top to bottom; once where
 * two clients waited. */
function drawBands(c, height) {
	let done = -1;

	c.globalAlpha = theme.band;
	c.fillStyle = fills[LATE];
	for (const { lane, i } of lates) {
		const x0 = Math.max(xOf(lane.from[i]), done), x1 = Math.max(xOf(lane.to[i]), xOf(lane.from[i]) + NARROW);

		if (x1 <= x0 || x0 > view.width)
			continue;
		c.fillRect(x0, 0, x1 - x0, height);
		done = x1;
	}
	c.globalAlpha = 1;
}

function drawVblanks(c, height) {
	const n = vblanks ? vblanks.length : 0;
	let i = n ? lowerBound(n, (k) => vblanks[k], view.from) : 0;
	const end = n ? lowerBound(n, (k) => vblanks[k], view.to) : 0;

	if (end - i < 2 || (vblanks[end - 1] - vblanks[i]) * scale() < APART * (end - 1 - i))
		return;
	c.globalAlpha = 0.35;
	c.fillStyle = fills[VBLANK];
	for (; i < end; i++)
		c.fillRect(Math.round(xOf(vblanks[i])), 0, 1, height);
	c.globalAlpha = 1;
}

function clear(c, width, height, colour) {
	const ratio = devicePixelRatio || 1;

	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.globalAlpha = 1;
	c.fillStyle = colour;
	c.fillRect(0, 0, width, height);
	c.font = FONT;
	c.textBaseline = "alphabetic";
}

function drawSheet(c, ticks, top) {
	clear(c, view.width, view.height, theme.paper);
	drawGrid(c, ticks, view.height);
	drawVblanks(c, view.height);
	drawBands(c, view.height);
	drawn = { spans: 0, blocks: 0, inBlocks: 0 };
	for (const place of places) {
		if (place.y + place.height < top)
			continue;
		if (place.y > top + view.height)
			break;
		if (place.lane) {
			drawLane(c, place, top);
		} else {
			c.fillStyle = theme.head;
			c.fillRect(0, place.y - top, view.width, HEAD - 2);
		}
	}
}

/* The whole, with the part that is in view and the late frames. */
function drawWhole(c) {
	const k = view.width / (whole.to - whole.from);

	c.fillStyle = theme.line;
	c.fillRect(0, 0, view.width, WHOLE);
	c.fillStyle = theme.faint;
	c.globalAlpha = 0.55;
	c.fillRect((view.from - whole.from) * k, 0, Math.max(2, (view.to - view.from) * k), WHOLE);
	c.globalAlpha = 1;
	c.fillStyle = fills[LATE];
	for (const { lane, i } of lates)
		c.fillRect((lane.from[i] - whole.from) * k, 1, Math.max(2, (lane.to[i] - lane.from[i]) * k), WHOLE - 2);
}

function drawRuler(c, { ticks, anchor }) {
	clear(c, view.width, RULER, theme.paper);
	drawWhole(c);
	for (const tick of ticks) {
		const x = Math.round(xOf(tick.at));

		c.fillStyle = theme.faint;
		c.fillRect(x, RULER - 7, 1, 7);
		if ((anchor && x < (anchor.length + 2) * COLUMN) ||
		    x + (tick.label.length + 1) * COLUMN > view.width)
			continue;
		c.fillStyle = theme.ink;
		c.fillText(tick.label, x + 3, RULER - 9);
	}
	if (anchor) {
		c.fillStyle = theme.ink;
		c.fillText(anchor, 3, RULER - 9);
	}
}
