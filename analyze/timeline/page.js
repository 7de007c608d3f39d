/* Puts the page together and keeps it in step with its state. */
const HINT = "wheel or + \u2212 zooms \u00b7 drag or a d moves \u00b7 drag on the ruler chooses \u00b7 wheel over names scrolls \u00b7 Tab, then arrows go from span to span \u00b7 Enter zooms to it \u00b7 / searches" +
	(lates.length ? " \u00b7 l goes to the next late frame" : "") + " \u00b7 Esc shows all";
const LATER_MS = 200;

function make(tag, properties = {}, attributes = {}) {
	const element = Object.assign(document.createElement(tag), properties);

	for (const key in attributes)
		element.setAttribute(key, attributes[key]);
	return element;
}

const button = (text, title, act) => {
	const b = make("button", { type: "button", textContent: text, title }, { "aria-label": title });

	b.addEventListener("click", act);
	return b;
};

const root = document.querySelector(".tl");
const ui = {
	matched: make("output", {}, { "aria-live": "polite" }),
	search: make("input", { type: "search", placeholder: "Search  /", spellcheck: false },
		     { "aria-label": "search in names and details, a regular expression" }),
	before: button("\u2039", "previous match (N)", () => toHit(-1)),
	after: button("\u203a", "next match (n)", () => toHit(1)),
	lateBefore: button("\u2039", "late frame before (L)", () => toLate(-1)),
	late: button(plural(lates.length, "late frame"), "next late frame (l)", () => toLate(1)),
	lateAfter: button("\u203a", "next late frame (l)", () => toLate(1)),
	out: button("\u2212", "zoom out (s)", () => zoomOut()),
	in: button("+", "zoom in (w)", () => zoomIn()),
	all: button("All", "show all, no search (Esc)", () => keys.Escape()),
	ruler: make("canvas", { className: "ruler" }, { "aria-hidden": "true" }),
	lanes: make("div", { className: "lanes" }),
	sheet: make("div", { className: "sheet" }),
	canvas: make("canvas", { className: "spans", tabIndex: 0 },
		     { role: "application", "aria-roledescription": "timeline", "aria-describedby": "keys" }),
	labels: make("ul", { className: "labels" }, { "aria-label": "lanes" }),
	details: make("div", { className: "details" }, { role: "status", "aria-live": "polite" }),
	hint: make("p", { id: "keys", hidden: true, textContent: HINT }),
	count: make("span", { className: "count" }),
	tip: make("div", { className: "tip", hidden: true }, { "aria-hidden": "true" }),
	band: make("div", { className: "band", hidden: true }, { "aria-hidden": "true" }),
};

function makeLegend() {
	const used = new Set(), list = make("ul", { className: "legend" }, { "aria-label": "colours" });

	for (const l of lanes)
		for (let i = 0; i < l.n; i++)
			used.add(l.colour[i]);
	for (const i of [...used].sort((a, b) => a - b)) {
		const item = make("li"), swatch = make("i");

		if (!colours[i].label)
			continue;
		swatch.dataset.colour = i;
		item.append(swatch, colours[i].label);
		list.append(item);
	}
	return list;
}

function paintLegend() {
	for (const swatch of root.querySelectorAll(".legend i"))
		swatch.style.background = fills[swatch.dataset.colour];
}

function makeNotes() {
	const notes = make("details"), summary = make("summary", { textContent: "About this trace" });

	notes.append(summary, make("pre", { className: "notes", textContent: raw.notes }));
	return notes;
}

function toggleGroup(group) {
	const closed = new Set(view.closed);

	if (!closed.delete(group))
		closed.add(group);
	go({ closed, focus: view.focus && closed.has(view.focus.lane.group) ? null : view.focus }, "replace");
	ui.labels.querySelector(`[data-group="${group}"]`).focus();
}

function labelOf(place) {
	const item = make("li", { className: place.lane ? "lane" : "group" });

	item.style.top = place.y + "px";
	if (place.lane) {
		item.textContent = item.title = place.lane.name;
	} else {
		const open = !view.closed.has(place.group), name = groups[place.group];
		const b = button(`${open ? "\u25be" : "\u25b8"} ${name}`, name, () => toggleGroup(place.group));

		b.setAttribute("aria-expanded", open);
		b.dataset.group = place.group;
		item.append(b);
	}
	return item;
}

function drawLabels() {
	layOut();
	ui.labels.replaceChildren(...places.map(labelOf));
	ui.sheet.style.height = sheetHeight + "px";
}

function markLabels() {
	const re = view.search ? pattern(view.search).re : null;

	places.forEach((place, i) => {
		if (place.lane)
			ui.labels.children[i].classList.toggle("hit", !!re && re.test(place.lane.name));
	});
}

/* Lines about what is under the pointer or has the focus. */
function tell(lines, event, tip) {
	const f = view.focus, shown = lines ?? (f ? spanLines(f.lane, f.i) : null);

	ui.details.classList.toggle("hint", !shown);
	ui.tip.hidden = !lines || !event;
	if (!shown) {
		ui.details.textContent = HINT;
		return;
	}
	ui.details.replaceChildren(make("b", { textContent: shown[0] }), "\n" + shown.slice(1).join("\n"));
	if (lines && event)
		placeTip(tip, event);
}

function placeTip(lines, event) {
	ui.tip.replaceChildren(make("b", { textContent: lines[0] }), ...lines.slice(1).map((line) => "\n" + line));
	const x = Math.min(event.clientX + 14, innerWidth - ui.tip.offsetWidth - 4);
	const y = event.clientY + 22 + ui.tip.offsetHeight > innerHeight ? event.clientY - 30 : event.clientY + 18;

	ui.tip.style.transform = `translate(${x}px, ${y}px)`;
}

function countText() {
	const parts = [`${plural(drawn.spans, "span")} in view`];

	if (drawn.blocks)
		parts.push(`${number(drawn.inBlocks)} of them in ${plural(drawn.blocks, "block")}`);
	if (totals.merged)
		parts.push(`${number(totals.merged)} merged when the page was written`);
	return parts.join(", ");
}

/* What is drawn now, also for who looks at the page by program. */
function report() {
	const d = root.dataset;

	d.from = view.from;
	d.to = view.to;
	d.spans = drawn.spans;
	d.blocks = drawn.blocks;
	d.merged = drawn.inBlocks;
	d.hits = found.spans;
	ui.count.textContent = countText();
}

function fitCanvas(canvas, width, height) {
	const ratio = devicePixelRatio || 1;

	if (canvas.width === Math.round(width * ratio) && canvas.height === Math.round(height * ratio))
		return;
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	canvas.style.width = width + "px";
	canvas.style.height = height + "px";
}

function draw() {
	view.width = Math.max(100, ui.lanes.clientWidth - LABELS);
	view.height = Math.max(40, Math.min(ui.lanes.clientHeight, sheetHeight));
	fitCanvas(ui.ruler, view.width, RULER);
	fitCanvas(ui.canvas, view.width, view.height);
	const marks = ticksOf(view.from, view.to, view.width);
	drawRuler(ui.ruler.getContext("2d"), marks);
	drawSheet(ui.canvas.getContext("2d"), marks.ticks, ui.lanes.scrollTop);
	report();
}

let waiting = false;
function redraw() {
	if (waiting)
		return;
	waiting = true;
	requestAnimationFrame(() => {
		waiting = false;
		draw();
	});
}

/* So that a lane can be seen. */
function reveal(l) {
	const place = placeOf(l), top = ui.lanes.scrollTop;

	if (place && place.y - HEAD < top)
		ui.lanes.scrollTop = place.y - HEAD;
	else if (place && place.y + place.height > top + ui.lanes.clientHeight)
		ui.lanes.scrollTop = place.y + place.height - ui.lanes.clientHeight;
}

function showSearch() {
	const wrong = find();

	ui.search.classList.toggle("wrong", wrong);
	ui.search.title = wrong ? "not a regular expression, taken as plain text" : "";
	if (ui.search.value !== view.search)
		ui.search.value = view.search;
	ui.matched.textContent = view.search ?
		`${number(found.spans)} ${found.spans === 1 ? "match" : "matches"} in ${plural(found.lanes, "lane")}, ${lengthText(found.busy)}` : "";
	ui.matched.title = totals.merged ? `names inside the ${number(totals.merged)} merged spans are not searched` : "";
	ui.before.disabled = ui.after.disabled = !found.spans;
	markLabels();
}

let timer = 0;
function writeAddress(how) {
	clearTimeout(timer);
	if (how === "later") {
		timer = setTimeout(() => writeAddress("replace"), LATER_MS);
		return;
	}
	if (how === "none" || (location.hash || "#") === hashOf())
		return;
	if (how === "push")
		location.hash = hashOf();
	else
		location.replace(hashOf());
}

/* `how`: "push" makes a step for the back button, "replace" none, "later" none
 * and not for each of many small changes. */
function go(change, how) {
	const searched = "search" in change && change.search !== view.search;
	const folded = "closed" in change;

	Object.assign(view, change);
	if (folded)
		drawLabels();
	if (searched || folded)
		showSearch();
	tell(null);
	redraw();
	writeAddress(how);
}

function restore() {
	if ((location.hash || "#") !== hashOf())
		go(stateOf(location.hash), "none");
}

function listen() {
	const both = [ui.canvas, ui.ruler];

	for (const canvas of both) {
		canvas.addEventListener("wheel", onWheel, { passive: false });
		canvas.addEventListener("pointerdown", startDrag);
		canvas.addEventListener("pointermove", onMove);
		canvas.addEventListener("pointerup", endDrag);
		canvas.addEventListener("pointercancel", endDrag);
	}
	ui.canvas.addEventListener("pointerleave", leave);
	ui.canvas.addEventListener("dblclick", onDoubleClick);
	ui.canvas.addEventListener("focus", () => {
		if (!view.focus && ui.canvas.matches(":focus-visible"))
			focusFirst();
	});
	ui.search.addEventListener("input", () => go({ search: ui.search.value }, "replace"));
	ui.search.addEventListener("keydown", onSearchKey);
	ui.lanes.addEventListener("scroll", redraw, { passive: true });
	document.addEventListener("keydown", onKey);
	addEventListener("hashchange", restore);
	new ResizeObserver(redraw).observe(ui.lanes);
	darkMedia.addEventListener("change", () => {
		takeTheme();
		paintLegend();
		redraw();
	});
}

function build() {
	const bar = make("div", { className: "bar" }, { role: "toolbar", "aria-label": "timeline" });
	const foot = make("div", { className: "foot" });

	ui.late.className = "late";
	ui.canvas.setAttribute("aria-label", `${raw.title}: ${plural(totals.spans, "span")} in ${plural(lanes.length, "lane")}`);
	bar.append(ui.search, ui.before, ui.after, ui.matched, make("span", { className: "space" }),
		...(lates.length ? [ui.lateBefore, ui.late, ui.lateAfter] : []), ui.out, ui.in, ui.all);
	ui.sheet.append(ui.canvas, ui.labels);
	ui.lanes.append(ui.sheet);
	foot.append(ui.count, makeLegend());
	root.append(bar, ui.ruler, ui.lanes, ui.details, foot, makeNotes(), ui.hint, ui.tip, ui.band);
}

function start() {
	if (!lanes.length) {
		root.append(make("p", { className: "nothing", textContent: "nothing to show" }), makeNotes());
		return;
	}
	build();
	takeTheme();
	paintLegend();
	listen();
	drawLabels();
	go(stateOf(location.hash), "none");
	showSearch();
	draw();
	if (view.focus)
		reveal(view.focus.lane);
	tell(null);
}

start();
