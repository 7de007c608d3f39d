(() => {
"use strict";

/* What the boxes' font measures, as when the picture was written (page.h). */
const COLUMN = 7.23, TEXT_DX = 4, TEXT_DY = 13;
const SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;
const LONGEST_PATH = 1500;
const HINT = "click or Enter zooms \u00b7 arrows move \u00b7 / searches \u00b7 Esc resets";

const svg = document.currentScript.closest("svg.fg");
const frames = svg.querySelector(".frames");
const head = svg.querySelector(".head");
const details = svg.querySelector(".details");
const alone = document.documentElement === svg;
const page = {
	x: +frames.dataset.x,
	width: +frames.dataset.width,
	top: +frames.dataset.top,
	row: +frames.dataset.row,
	levels: +frames.dataset.levels,
	unit: frames.dataset.unit,
};

/* The boxes, depth first: box i has below it what lies before end[i]. */
const box = [...frames.children];
const count = box.length;
const indexOf = new Map(box.map((g, i) => [g, i]));
const weight = new Float64Array(count);
const start = new Float64Array(count);
const level = new Int32Array(count);
const parent = new Int32Array(count).fill(-1);
const end = new Int32Array(count);
const name = new Array(count);
const hit = new Uint8Array(count);

/* What is in the document now, to write only what changes. */
const shown = {
	x: new Float64Array(count),
	y: new Float64Array(count),
	width: new Float64Array(count),
	hidden: new Uint8Array(count),
	up: new Uint8Array(count),
};

const initial = { zoom: 0, search: "", exact: false, icicle: frames.dataset.icicle === "1" };
const state = { ...initial };
let current = 0;		/* the box that Tab reaches */
let bar;			/* the controls, by name */

const rectOf = (i) => box[i].children[1];
const titleOf = (i) => box[i].firstChild.textContent;
const number = (v) => v.toLocaleString("en-US");
const percent = (part, all) => (all ? 100 * part / all : 0).toFixed(2) + "%";

/* A title is the name and " (N unit, ...)"; the unit may hold " (" as well. */
function nameFrom(title) {
	let at = title.lastIndexOf(" (");

	for (let n = page.unit.split(" (").length; n > 1; n--)
		at = title.lastIndexOf(" (", at - 1);
	return title.slice(0, at);
}

function set(element, attributes) {
	for (const key in attributes)
		element.setAttribute(key, attributes[key]);
	return element;
}

function readBoxes() {
	const path = [], used = new Float64Array(count), own = new Float64Array(count);

	for (let i = 0; i < count; i++) {
		const g = box[i], rect = g.children[1];
		const row = (+rect.getAttribute("y") - page.top) / page.row;
		const at = state.icicle ? row : page.levels - 1 - row;
		const up = at ? path[at - 1] : -1;

		weight[i] = +g.getAttribute("data-n");
		own[i] = +g.getAttribute("data-s");
		level[i] = at;
		parent[i] = up;
		name[i] = nameFrom(g.firstChild.textContent);
		shown.x[i] = +rect.getAttribute("x");
		shown.y[i] = +rect.getAttribute("y");
		shown.width[i] = +rect.getAttribute("width");
		while (path.length > at)
			end[path.pop()] = i;
		path.push(i);
		if (up < 0)
			continue;
		if (g.classList.contains("n")) {
			/* Folded frames lie right of all their siblings. */
			start[i] = start[up] + weight[up] - own[up] - weight[i];
		} else {
			start[i] = start[up] + used[up];
			used[up] += weight[i];
		}
	}
	while (path.length)
		end[path.pop()] = count;
}

function describeBoxes() {
	set(frames, { role: "tree", "aria-label": svg.querySelector("title").textContent });
	for (let i = 0; i < count; i++)
		set(box[i], { role: "treeitem", "aria-level": level[i] + 1, "aria-label": titleOf(i) });
	set(box[0], { tabindex: 0 });
}

const isBelow = (i, top) => i >= top && i < end[top];

function columnsOf(text) {
	let n = 0;

	for (const c of text)
		n += c > "\uffff" || WIDE.test(c) ? 2 : 1;
	return n;
}

function fitText(text, room) {
	let n = 0, cut = "";

	if (text.length <= room && columnsOf(text) <= room)
		return text;
	if (room < 3)
		return "";
	for (const c of text) {
		n += columnsOf(c);
		if (n > room - 1)
			break;
		cut += c;
	}
	return cut + "\u2026";
}

function placeText(i, x, y, width) {
	let text = box[i].children[2];
	const label = fitText(name[i], Math.floor((width - 2 * TEXT_DX) / COLUMN));

	if (!text) {
		if (!label)
			return;
		text = document.createElementNS(SVG, "text");
		box[i].append(text);
	}
	if (text.textContent !== label)
		text.textContent = label;
	set(text, { x: +(x + TEXT_DX).toFixed(4), y: y + TEXT_DY });
}

function placeBox(i, x, y, width) {
	if (shown.x[i] === x && shown.y[i] === y && shown.width[i] === width)
		return;
	set(rectOf(i), { x: +x.toFixed(4), y, width: +width.toFixed(4) });
	placeText(i, x, y, width);
	shown.x[i] = x;
	shown.y[i] = y;
	shown.width[i] = width;
}

function toggle(flags, i, on, cls) {
	if (flags[i] !== +on) {
		flags[i] = +on;
		box[i].classList.toggle(cls, on);
	}
}

function draw() {
	const top = state.zoom, scale = page.width / weight[top];

	for (let i = 0; i < count; i++) {
		const inside = isBelow(i, top), above = isBelow(top, i) && i !== top;
		const row = state.icicle ? level[i] : page.levels - 1 - level[i];

		toggle(shown.hidden, i, !inside && !above, "hide");
		toggle(shown.up, i, above, "up");
		if (inside)
			placeBox(i, page.x + (start[i] - start[top]) * scale,
				 page.top + row * page.row, weight[i] * scale);
		else if (above)
			placeBox(i, page.x, page.top + row * page.row, page.width);
	}
}

/* The pattern, or what it says literally if it is none. */
function pattern() {
	const flags = state.exact ? "" : "i";

	bar.search.classList.remove("wrong");
	bar.search.title = "";
	try {
		return new RegExp(state.search, flags);
	} catch (error) {
		bar.search.classList.add("wrong");
		bar.search.title = "not a regular expression, taken as plain text";
		return new RegExp(state.search.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), flags);
	}
}

function markHits() {
	const re = state.search ? pattern() : null, known = new Map();
	let n = 0;

	if (!re)
		bar.search.classList.remove("wrong");
	for (let i = 0; i < count; i++) {
		let is = false;

		if (re && i) {
			is = known.get(name[i]);
			if (is === undefined)
				known.set(name[i], is = re.test(name[i]));
		}
		toggle(hit, i, is, "hit");
		n += is;
	}
	return n;
}

/* The weight in view of the stacks with a hit, each stack once. */
function hitWeight() {
	const top = state.zoom;
	let sum = 0;

	for (let i = parent[top]; i >= 0; i = parent[i])
		if (hit[i])
			return weight[top];
	for (let i = top; i < end[top];) {
		if (hit[i])
			sum += weight[i];
		i = hit[i] ? end[i] : i + 1;
	}
	return sum;
}

function search() {
	const n = markHits(), sum = hitWeight();

	if (!state.search) {
		bar.matched.textContent = "";
		return;
	}
	bar.matched.textContent = "matched " + percent(sum, weight[state.zoom]);
	bar.matched.title = `${number(sum)} ${page.unit} in stacks with a match, ${number(n)} boxes`;
	bar.matched.dataset.weight = sum;
	bar.matched.dataset.boxes = n;
}

/* State in the address: "#z=main;run&s=alloc". */
function pathOf(i) {
	const path = [], at = i;

	for (; i > 0; i = parent[i])
		path.unshift(encodeURIComponent(name[i]));
	const text = path.join(";");
	return text.length > LONGEST_PATH ? "@" + at : text;
}

function findChild(i, wanted) {
	for (let j = i + 1; j < end[i]; j = end[j])
		if (name[j] === wanted)
			return j;
	return -1;
}

function findPath(path) {
	let i = 0;

	if (/^@\d+$/.test(path))
		return Math.min(+path.slice(1), count - 1);
	for (const part of path.split(";").filter(Boolean)) {
		const j = findChild(i, decode(part));

		if (j < 0)
			break;
		i = j;
	}
	return i;
}

function decode(text) {
	try {
		return decodeURIComponent(text);
	} catch (error) {
		return text;
	}
}

function hashOf(s) {
	const parts = [];

	if (s.zoom)
		parts.push("z=" + pathOf(s.zoom));
	if (s.search)
		parts.push("s=" + encodeURIComponent(s.search));
	if (s.exact)
		parts.push("c=1");
	if (s.icicle !== initial.icicle)
		parts.push("f=1");
	return "#" + parts.join("&");
}

function stateOf(hash) {
	const s = { ...initial };

	for (const part of hash.replace(/^#/, "").split("&")) {
		const value = part.slice(2);

		if (part.startsWith("z="))
			s.zoom = findPath(value);
		else if (part.startsWith("s="))
			s.search = decode(value);
		else if (part === "c=1")
			s.exact = true;
		else if (part === "f=1")
			s.icicle = !initial.icicle;
	}
	return s;
}

/* `how`: "push" makes a step for the back button, "replace" none. */
function go(change, how = "push") {
	Object.assign(state, change);
	draw();
	search();
	bar.exact.setAttribute("aria-pressed", state.exact);
	bar.reset.disabled = !state.zoom && !state.search;
	if (bar.search.value !== state.search)
		bar.search.value = state.search;
	if (!alone || how === "none" || (location.hash || "#") === hashOf(state))
		return;
	if (how === "push")
		location.hash = hashOf(state);
	else
		location.replace(hashOf(state));
}

function restore() {
	if ((location.hash || "#") !== hashOf(state))
		go(stateOf(location.hash), "none");
}

function setCurrent(i, options) {
	set(box[current], { tabindex: -1 });
	set(box[i], { tabindex: 0 });
	current = i;
	box[i].focus(options);
}

/* The nearest box in view on the same level, to the left or the right. */
function beside(i, way) {
	let best = -1;

	for (let j = 0; j < count; j++) {
		const off = (start[j] - start[i]) * way;

		if (level[j] === level[i] && !shown.hidden[j] && off > 0 &&
		    (best < 0 || off < (start[best] - start[i]) * way))
			best = j;
	}
	return best;
}

/* The heaviest box in view that this one calls. */
function callee(i) {
	let best = -1;

	for (let j = i + 1; j < end[i]; j = end[j])
		if (!shown.hidden[j] && (best < 0 || weight[j] > weight[best]))
			best = j;
	return best;
}

const keys = {
	Enter: (i) => go({ zoom: i }),
	" ": (i) => go({ zoom: i }),
	Escape: () => go({ zoom: 0, search: "" }),
	Home: () => setCurrent(0),
	ArrowLeft: (i) => move(beside(i, -1)),
	ArrowRight: (i) => move(beside(i, 1)),
	ArrowUp: (i) => move(state.icicle ? parent[i] : callee(i)),
	ArrowDown: (i) => move(state.icicle ? callee(i) : parent[i]),
};

function move(i) {
	if (i >= 0)
		setCurrent(i);
}

function boxAt(target) {
	const g = target.closest ? target.closest(".f") : null;

	return indexOf.get(g) ?? -1;
}

function onKey(event) {
	const act = keys[event.key], i = boxAt(event.target);

	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (act && (i >= 0 || event.key === "Escape")) {
		event.preventDefault();
		act(i >= 0 ? i : current);
	}
}

/* "/" and the first Ctrl-F go to the search field; the next is the browser's. */
function onPageKey(event) {
	const find = event.key === "f" && (event.ctrlKey || event.metaKey);

	if ((find || event.key === "/") && document.activeElement !== bar.search) {
		event.preventDefault();
		bar.search.focus();
		bar.search.select();
	} else if (document.activeElement !== bar.search) {
		onKey(event);
	}
}

function onSearchKey(event) {
	if (event.key === "Enter") {
		/* One step back for the whole word, not for each letter. */
		location.hash = hashOf({ ...state, search: "" });
		go({ search: bar.search.value });
	} else if (event.key === "Escape") {
		go({ search: "" });
		box[current].focus();
	}
	event.stopPropagation();
}

function onClick(event) {
	const i = boxAt(event.target);

	/* Who has just marked text does not mean to zoom. */
	if (i < 0 || !document.getSelection().isCollapsed)
		return;
	setCurrent(i, { preventScroll: true });
	go({ zoom: i });
}

function tell(event) {
	const g = event.target.closest(".f");

	details.textContent = g ? g.firstChild.textContent : HINT;
	details.classList.toggle("hint", !g);
}

function make(tag, properties, attributes) {
	return set(Object.assign(document.createElementNS(HTML, tag), properties), attributes);
}

function makeBar() {
	const half = (page.width + 2 * page.x) / 2;
	const holder = document.createElementNS(SVG, "foreignObject");
	const row = make("div", { className: "bar" }, { role: "toolbar", "aria-label": "picture" });

	bar = {
		matched: make("output", {}, { "aria-live": "polite" }),
		search: make("input", { type: "search", placeholder: "Search  /", spellcheck: false },
			     { "aria-label": "search, a regular expression" }),
		exact: make("button", { type: "button", textContent: "Aa", title: "match case" },
			    { "aria-pressed": "false", "aria-label": "match case" }),
		flip: make("button", { type: "button", textContent: "Flip", title: "root on top or below" }),
		reset: make("button", { type: "button", textContent: "Reset", title: "whole picture, no search (Esc)" }),
	};
	row.append(...Object.values(bar));
	set(holder, { x: half, y: 5, width: half - page.x + 3, height: 34 });
	holder.append(row);
	head.append(holder);
}

function listen() {
	bar.search.addEventListener("input", () => go({ search: bar.search.value }, "replace"));
	bar.search.addEventListener("keydown", onSearchKey);
	bar.exact.addEventListener("click", () => go({ exact: !state.exact }));
	bar.flip.addEventListener("click", () => go({ icicle: !state.icicle }));
	bar.reset.addEventListener("click", () => go({ zoom: 0, search: "" }));
	frames.addEventListener("click", onClick);
	frames.addEventListener("pointerover", tell);
	frames.addEventListener("pointerleave", () => tell({ target: frames }));
	frames.addEventListener("focusin", tell);
	if (!alone) {
		frames.addEventListener("keydown", onKey);
		return;
	}
	document.addEventListener("keydown", onPageKey);
	window.addEventListener("hashchange", restore);
	window.addEventListener("scroll", keepHead, { passive: true });
}

/* A deep picture is taller than the window: the head stays in view. */
function keepHead() {
	set(head, { transform: `translate(0 ${Math.max(0, window.scrollY)})` });
}

readBoxes();
describeBoxes();
makeBar();
listen();
tell({ target: frames });
svg.classList.add("live");
if (alone) {
	go(stateOf(location.hash), "none");
	if (!state.icicle)
		window.scrollTo(0, svg.height.baseVal.value);
} else {
	go({}, "none");
}
})();
