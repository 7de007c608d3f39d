/* Simple zoom of a picture, as far as what was drawn goes. */
const SVG = "http://www.w3.org/2000/svg";
const COLUMN = 6.63, TEXT_DX = 3, TICK_DX = 3;
const HINT = "wheel or + \u2212 zooms \u00b7 drag or a d moves \u00b7 click zooms to a span \u00b7 arrows go from span to span \u00b7 Esc shows all";

const svg = document.currentScript.closest("svg.tl");
const area = svg.querySelector(".lanes");
const details = svg.querySelector(".details");
const tickGroup = svg.querySelector(".ticks");
const alone = document.documentElement === svg;
const plot = {
	x: +area.dataset.x, width: +area.dataset.width,
	from: +area.dataset.from, to: Math.max(+area.dataset.to, +area.dataset.from + 1),
	top: +area.dataset.top, bottom: +area.dataset.bottom,
};
const spans = [...area.querySelectorAll(".s")].map((g) => ({
	g, rect: g.children[1], from: +g.dataset.t, to: +g.dataset.t + +g.dataset.d,
	text: g.firstChild.textContent,
}));
const spanOf = new Map(spans.map((s) => [s.g, s]));
const bands = [...svg.querySelectorAll(".bands rect")].map((rect) => ({
	rect, from: +rect.dataset.t, to: +rect.dataset.t + +rect.dataset.d,
}));
const lines = [...area.querySelectorAll(".value")];
const view = { from: plot.from, to: plot.to };
let current = 0;

const scale = () => plot.width / (view.to - view.from);
const xOf = (t) => plot.x + (t - view.from) * scale();

function set(element, attributes) {
	for (const key in attributes)
		element.setAttribute(key, attributes[key]);
	return element;
}

/* As it was written, see picture.c. */
function shortName(name, room, sleeps) {
	const head = name.split(": ", 1)[0];

	if (name.length <= room)
		return name;
	if (head.length < name.length && head.length <= room)
		return head;
	return room < 5 || sleeps ? "" : name.slice(0, room - 1) + "\u2026";
}

function placeName(s, x, width) {
	const y = +s.rect.getAttribute("y") + 12, room = Math.floor((width - 6) / COLUMN);
	const name = s.text.split("\n")[0];
	const short = shortName(name, room, s.rect.matches(".c-blocked"));
	let text = s.g.children[2];

	if (!text && short) {
		text = document.createElementNS(SVG, "text");
		s.g.append(text);
	}
	if (!text)
		return;
	text.textContent = short;
	set(text, { x: x + TEXT_DX, y });
}

function placeSpan(s) {
	const x = Math.max(xOf(s.from), plot.x), end = Math.min(xOf(s.to), plot.x + plot.width);
	const out = s.to < view.from || s.from > view.to;

	s.g.classList.toggle("hide", out);
	if (out)
		return;
	set(s.rect, { x: x.toFixed(2), width: Math.max(1, end - x).toFixed(2) });
	placeName(s, x, Math.max(1, end - x));
}

function placeBand({ rect, from, to }) {
	const x = Math.max(xOf(from), plot.x), end = Math.min(xOf(to), plot.x + plot.width);

	rect.classList.toggle("hide", to < view.from || from > view.to);
	set(rect, { x: x.toFixed(2), width: Math.max(1, end - x).toFixed(2) });
}

/* As they were written, scaled. */
function placeLines() {
	const k = (plot.to - plot.from) / (view.to - view.from);
	const by = (plot.from - view.from) * scale();

	for (const line of lines)
		set(line, { transform: `translate(${by} 0) scale(${k} 1)` });
}

function placeTicks() {
	const { ticks } = ticksOf(view.from, view.to, plot.width);

	tickGroup.replaceChildren(...ticks.map(({ at, label }) => {
		const g = set(document.createElementNS(SVG, "g"), { class: "tick" });
		const line = document.createElementNS(SVG, "line"), text = document.createElementNS(SVG, "text");
		const x = xOf(at);

		set(line, { x1: x, x2: x, y1: plot.top - 14, y2: plot.bottom });
		set(text, { x: x + TICK_DX, y: plot.top - 4 });
		text.textContent = label;
		g.append(line, text);
		return g;
	}));
}

function show(from, to) {
	const width = Math.min(Math.max(to - from, 10), plot.to - plot.from);

	view.from = Math.min(Math.max(from, plot.from), plot.to - width);
	view.to = view.from + width;
	spans.forEach(placeSpan);
	bands.forEach(placeBand);
	placeLines();
	placeTicks();
	svg.dataset.from = view.from;
	svg.dataset.to = view.to;
}

function zoom(factor, around) {
	show(around - (around - view.from) * factor, around + (view.to - around) * factor);
}

const move = (part) => show(view.from + (view.to - view.from) * part, view.to + (view.to - view.from) * part);
const middle = () => (view.from + view.to) / 2;
const all = () => show(plot.from, plot.to);

function zoomTo(s) {
	const room = Math.max((s.to - s.from) * 0.1, 100);

	show(s.from - room, s.to + room);
}

function tell(s) {
	details.textContent = s ? s.text.replaceAll("\n", " \u00b7 ") : HINT;
}

function focusOn(i) {
	if (i < 0 || i >= spans.length)
		return;
	set(spans[current].g, { tabindex: -1 });
	current = i;
	set(spans[i].g, { tabindex: 0 });
	if (spans[i].to < view.from || spans[i].from > view.to)
		show(spans[i].from - (view.to - view.from) / 3, spans[i].from + (view.to - view.from) * 2 / 3);
	spans[i].g.focus();
}

const keys = {
	w: () => zoom(0.5, middle()), "+": () => zoom(0.5, middle()), "=": () => zoom(0.5, middle()),
	s: () => zoom(2, middle()), "-": () => zoom(2, middle()), "_": () => zoom(2, middle()),
	a: () => move(-0.25), d: () => move(0.25), 0: all, Escape: all,
};
const spanKeys = {
	ArrowLeft: () => focusOn(current - 1), ArrowRight: () => focusOn(current + 1),
	Enter: () => zoomTo(spans[current]), " ": () => zoomTo(spans[current]),
};
const viewKeys = { ArrowLeft: keys.a, ArrowRight: keys.d };

function onKey(event) {
	const onSpan = spanOf.has(document.activeElement);
	const act = keys[event.key] ?? (onSpan ? spanKeys : viewKeys)[event.key];

	if (!act || event.ctrlKey || event.metaKey || event.altKey)
		return;
	event.preventDefault();
	act();
}

/* A point's place in the picture, which may be shown at another size. */
const xIn = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).x;
const timeAt = (x) => view.from + (x - plot.x) / scale();

function onWheel(event) {
	event.preventDefault();
	if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
		move((event.deltaX || event.deltaY) / plot.width);
	else
		zoom(Math.exp(Math.min(Math.max(event.deltaY, -240), 240) / 240), timeAt(xIn(event)));
}

let drag = null;

function onMove(event) {
	if (!drag)
		return;
	const by = (drag.x - xIn(event)) / scale();

	drag.moved = drag.moved || Math.abs(drag.x - xIn(event)) > 3;
	if (drag.moved)
		show(drag.from + by, drag.to + by);
}

function onClick(event) {
	const s = spanOf.get(event.target.closest(".s"));

	if (s && !(drag && drag.moved)) {
		focusOn(spans.indexOf(s));
		zoomTo(s);
	}
}

function listen() {
	svg.addEventListener("wheel", onWheel, { passive: false });
	svg.addEventListener("pointerdown", (event) => {
		drag = event.button ? null : { x: xIn(event), from: view.from, to: view.to, moved: false };
	});
	svg.addEventListener("pointermove", onMove);
	svg.addEventListener("click", onClick);
	addEventListener("pointerup", () => setTimeout(() => { drag = null; }));
	area.addEventListener("pointerover", (event) => tell(spanOf.get(event.target.closest(".s"))));
	area.addEventListener("pointerleave", () => tell(null));
	area.addEventListener("focusin", (event) => tell(spanOf.get(event.target.closest(".s"))));
	(alone ? document : svg).addEventListener("keydown", onKey);
}

for (const s of spans)
	set(s.g, { role: "img", "aria-label": s.text });
if (spans.length) {
	set(spans[0].g, { tabindex: 0 });
	svg.classList.add("live");
}
listen();
all();
tell(null);
