/* Pointer and keyboard. What changes the view goes through go() of page.js. */

/* What is under a point of the canvas: an item of scanRow(); null: nothing. */
function spanAt(x, y) {
	const place = placeAt(y + ui.lanes.scrollTop), l = place && place.lane;
	let best = null;

	if (!l || l.counter)
		return null;
	const row = Math.floor((y + ui.lanes.scrollTop - place.y - 2) / ROW);
	if (row < 0 || row >= l.rows)
		return null;
	scanRow(l, row, (item) => {
		/* Narrow ones are hard to hit: two pixels beside them are enough. */
		if (x >= item.x0 - 2 && x <= Math.max(item.x1, item.x0 + NARROW) + 2 &&
		    (best === null || x >= item.x0))
			best = item;
		return item.x0 > x + 2;
	});
	return best;
}

/* A counter's value under a point; null: there is none. */
function valueAt(x, y) {
	const place = placeAt(y + ui.lanes.scrollTop), l = place && place.lane;

	if (!l || !l.counter)
		return null;
	const t = timeAt(x), i = lowerBound(l.from.length, (k) => l.from[k], t + 1e-3) - 1;
	return i < 0 ? null : { lane: l, value: l.value[i], at: l.from[i] };
}

/* What stands beside the pointer: in short. */
function tipLines(item) {
	const l = item.lane, i = item.i, alone = itemFirst(item) === itemLast(item) && l.count[i] === 1;
	const length = alone ? l.to[i] - l.from[i] : 0;

	return alone ? [texts[l.text[i]] || "(no name)", length ? lengthText(length) : "", texts[l.detail[i]]].filter(Boolean) :
		       [plural(item.count, item.busy > 0 ? "span" : "event")];
}

const spanFacts = (l, i) => [
	`${groups[l.group]}: ${l.name}`,
	colours[l.colour[i]].label,
	l.to[i] > l.from[i] ? lengthText(l.to[i] - l.from[i]) : "at one moment",
	`at ${timeText(l.from[i])} (clock ${clockText(l.from[i], raw.origin)})`,
].filter(Boolean).join(" \u00b7 ");

function spanLines(l, i) {
	if (l.count[i] === 1)
		return [texts[l.text[i]] || "(no name)", spanFacts(l, i), texts[l.detail[i]]].filter(Boolean);
	return [plural(l.count[i], "span"), spanFacts(l, i),
		`busy ${lengthText(l.busy[i])}, longest: ${texts[l.text[i]]}`,
		"too many for the page: merged when it was written"];
}

function itemLines(item) {
	const l = item.lane, first = itemFirst(item), last = itemLast(item);

	if (first === last)
		return spanLines(l, item.i);
	const length = l.to[last] - l.from[first];
	return [
		plural(item.count, item.busy > 0 ? "span" : "event"),
		`${groups[l.group]}: ${l.name} \u00b7 ${lengthText(length)} \u00b7 from ${timeText(l.from[first])}`,
		(item.busy > 0 ? `busy ${lengthText(item.busy)}, ${percent(item.busy, length)} of it; longest: ` : "one of them: ") +
			texts[l.text[item.i]],
		"too narrow here to be told apart: zoom in",
		item.hits ? `${plural(item.hits, "match")}` : "",
	].filter(Boolean);
}

const valueLines = (v) => [
	Number.isNaN(v.value) ? "not known" : `${number(v.value)} ${v.lane.unit}`,
	`${groups[v.lane.group]}: ${v.lane.name} \u00b7 since ${timeText(v.at)}`,
];

function pointOf(event) {
	const r = ui.canvas.getBoundingClientRect();

	return [event.clientX - r.left, event.clientY - r.top];
}

function hoverAt(event) {
	const [x, y] = pointOf(event), item = spanAt(x, y), value = item ? null : valueAt(x, y);
	const changed = item ? !isSame(view.hover, item) : view.hover !== null;

	view.hover = item;
	if (item)
		tell(itemLines(item), event, tipLines(item));
	else
		tell(value ? valueLines(value) : null, event, value && [valueLines(value)[0]]);
	if (changed)
		redraw();
}

function leave() {
	view.hover = null;
	tell(null);
	redraw();
}

/* Wheel: zoom about the pointer. With Shift, or sideways: move. */
function onWheel(event) {
	const [x] = pointOf(event), line = event.deltaMode === 1 ? 16 : 1;
	const dx = event.deltaX * line, dy = event.deltaY * line;

	event.preventDefault();
	if (event.shiftKey || Math.abs(dx) > Math.abs(dy))
		go(moved((event.shiftKey && !dx ? dy : dx) / view.width), "later");
	else
		go(zoomed(Math.exp(Math.min(Math.max(dy, -240), 240) / 240), timeAt(x)), "later");
}

/* On the bar of the whole: that time comes to the middle. */
function goTo(time) {
	const half = (view.to - view.from) / 2;

	go(clampRange(time - half, time + half), "push");
}

/* Dragging moves; on the ruler or with Shift it chooses a range to zoom into. */
let drag = null;

function startDrag(event) {
	const onRuler = event.currentTarget === ui.ruler, [x] = pointOf(event);

	if (event.button !== 0)
		return;
	if (onRuler && event.clientY - ui.ruler.getBoundingClientRect().top < WHOLE) {
		goTo(whole.from + x / view.width * (whole.to - whole.from));
		return;
	}
	event.currentTarget.setPointerCapture(event.pointerId);
	drag = { x, from: view.from, to: view.to, moved: false,
		 chooses: onRuler || event.shiftKey, top: ui.lanes.scrollTop, y: event.clientY };
}

function showBand(a, b) {
	const r = ui.canvas.getBoundingClientRect(), s = ui.band.style;

	ui.band.hidden = false;
	s.left = r.left + Math.max(0, Math.min(a, b)) + "px";
	s.width = Math.min(view.width, Math.max(a, b)) - Math.max(0, Math.min(a, b)) + "px";
	s.top = ui.ruler.getBoundingClientRect().top + "px";
	s.height = RULER + ui.lanes.clientHeight + "px";
}

function onMove(event) {
	if (!drag) {
		if (event.currentTarget === ui.canvas)
			hoverAt(event);
		return;
	}
	const [x] = pointOf(event);
	drag.moved = drag.moved || Math.abs(x - drag.x) > 3;
	if (drag.chooses) {
		showBand(drag.x, x);
	} else if (drag.moved) {
		const by = (drag.x - x) / view.width * (drag.to - drag.from);

		ui.lanes.scrollTop = drag.top + drag.y - event.clientY;
		go(clampRange(drag.from + by, drag.to + by), "later");
	}
}

function endDrag(event) {
	const [x, y] = pointOf(event), d = drag;

	drag = null;
	ui.band.hidden = true;
	if (!d || event.type === "pointercancel")
		return;
	if (d.chooses && d.moved) {
		go(clampRange(timeAt(Math.min(d.x, x)), timeAt(Math.max(d.x, x))), "push");
	} else if (!d.moved && event.currentTarget === ui.canvas) {
		const item = spanAt(x, y);

		go({ focus: item ? { lane: item.lane, i: itemFirst(item) } : null }, "replace");
	}
}

/* A block is zoomed into as a whole. */
function onDoubleClick(event) {
	const item = spanAt(...pointOf(event));

	if (!item)
		return;
	const l = item.lane, first = itemFirst(item), last = itemLast(item);
	const room = Math.max((l.to[last] - l.from[first]) * 0.05, LEAST_NS * 10);
	go(clampRange(l.from[first] - room, l.to[last] + room), "push");
}

/* The span of a lane that is nearest to a time. */
function nearest(l, t) {
	const i = lowerBound(l.n, (k) => l.from[k], t);

	return i === 0 || (i < l.n && l.from[i] - t < t - l.to[i - 1]) ? i : i - 1;
}

function focusOn(lane, i) {
	go({ focus: { lane, i }, ...withSpan(lane, i) }, "replace");
	reveal(lane);
}

const focusable = () => places.filter((p) => p.lane && p.lane.n).map((p) => p.lane);

function focusFirst() {
	const list = focusable(), top = ui.lanes.scrollTop;
	const l = list.find((lane) => placeOf(lane).y >= top) ?? list[0];

	if (l)
		focusOn(l, nearest(l, view.from));
}

function beside(way) {
	const f = view.focus, i = f.i + way;

	if (i >= 0 && i < f.lane.n)
		focusOn(f.lane, i);
}

function above(way) {
	const f = view.focus, list = focusable(), l = list[list.indexOf(f.lane) + way];

	if (l)
		focusOn(l, nearest(l, Math.max(f.lane.from[f.i], view.from)));
}

const middle = () => {
	const f = view.focus, t = f ? (f.lane.from[f.i] + f.lane.to[f.i]) / 2 : NaN;

	return t >= view.from && t <= view.to ? t : (view.from + view.to) / 2;
};

const zoomIn = () => go(zoomed(0.5, middle()), "replace");
const zoomOut = () => go(zoomed(2, middle()), "replace");
const panBy = (part) => go(moved(part), "replace");

function toHit(way) {
	const hit = view.search ? nextHit(way) : null;

	if (hit)
		focusOn(hit.lane, hit.i);
}

function toLate(way) {
	const next = nextLate(way);

	if (!next)
		return;
	go({ focus: next, ...amongNeighbours(next.lane, next.i) }, "replace");
	reveal(next.lane);
}

const keys = {
	w: zoomIn, "+": zoomIn, "=": zoomIn,
	s: zoomOut, "-": zoomOut, "_": zoomOut,
	a: () => panBy(-0.25),
	d: () => panBy(0.25),
	n: () => toHit(1),
	N: () => toHit(-1),
	l: () => toLate(1),
	L: () => toLate(-1),
	0: () => go({ ...whole }, "push"),
	Escape: () => go({ ...whole, search: "", focus: null }, "push"),
	"/": () => { ui.search.focus(); ui.search.select(); },
};
/* Arrows step from span to span; before there is one, or with Shift, they move
 * and zoom. */
const viewArrows = {
	ArrowLeft: () => panBy(-0.25), ArrowRight: () => panBy(0.25),
	ArrowUp: zoomIn, ArrowDown: zoomOut,
};
const spanKeys = {
	ArrowLeft: () => beside(-1), ArrowRight: () => beside(1),
	ArrowUp: () => above(-1), ArrowDown: () => above(1),
	Home: () => focusOn(view.focus.lane, 0),
	End: () => focusOn(view.focus.lane, view.focus.lane.n - 1),
	Enter: () => go(aroundSpan(view.focus.lane, view.focus.i), "push"),
};

function actionOf(event) {
	if (keys[event.key])
		return keys[event.key];
	if (event.target !== ui.canvas && event.target !== document.body)
		return null;
	if (view.focus && !event.shiftKey)
		return spanKeys[event.key];
	return viewArrows[event.key];
}

function onKey(event) {
	const action = actionOf(event);

	if (event.ctrlKey || event.metaKey || event.altKey || event.target === ui.search || !action)
		return;
	event.preventDefault();
	action();
}

function onSearchKey(event) {
	if (event.key === "Enter") {
		toHit(event.shiftKey ? -1 : 1);
	} else if (event.key === "Escape") {
		go({ search: "" }, "replace");
		ui.canvas.focus();
	}
}
