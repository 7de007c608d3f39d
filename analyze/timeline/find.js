/* Search in names and details. */
let hitTexts = new Uint8Array(0);	/* by text: 1 it matches */
let found = { spans: 0, busy: 0, lanes: 0 };

const isHit = (l, i) => view.search !== "" && !!(hitTexts[l.text[i]] | hitTexts[l.detail[i]]);

/* The pattern, or what it says literally if it is none. */
function pattern(text) {
	try {
		return { re: new RegExp(text, "i"), wrong: false };
	} catch (error) {
		return { re: new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "i"), wrong: true };
	}
}

function countHits() {
	found = { spans: 0, busy: 0, lanes: 0 };
	for (const l of lanes) {
		let n = 0;

		for (let i = 0; i < l.n; i++)
			if (isHit(l, i)) {
				n++;
				found.busy += l.busy[i];
			}
		found.spans += n;
		found.lanes += n > 0;
	}
}

/* Returns whether the text is no pattern and was taken as it stands. */
function find() {
	const { re, wrong } = pattern(view.search);

	hitTexts = new Uint8Array(texts.length);
	if (view.search)
		for (let i = 1; i < texts.length; i++)
			hitTexts[i] = re.test(texts[i]) ? 1 : 0;
	countHits();
	return wrong && view.search !== "";
}

/* The late frame after the focus, or before it; else after the beginning of what
 * is in view; null: there is none. */
function nextLate(way) {
	const f = view.focus, t = f ? f.lane.from[f.i] : way > 0 ? view.from : view.to;
	const list = way > 0 ? lates : lates.toReversed();
	const at = f ? list.findIndex((s) => s.lane === f.lane && s.i === f.i) : -1;

	if (at >= 0)
		return list[at + 1] ?? null;
	return list.find((s) => way > 0 ? s.lane.from[s.i] > t : s.lane.from[s.i] < t) ?? null;
}

/* The next match after the focus, or before it, lane by lane; null: none. */
function nextHit(way) {
	const order = lanes.filter((l) => !view.closed.has(l.group) && l.n);
	const start = view.focus ? order.indexOf(view.focus.lane) : way > 0 ? 0 : order.length - 1;
	let i = view.focus ? view.focus.i + way : way > 0 ? 0 : order[start]?.n - 1;

	for (let k = 0; k <= order.length; k++) {
		const at = (start + way * k % order.length + order.length) % order.length, l = order[at];

		for (; l && i >= 0 && i < l.n; i += way)
			if (isHit(l, i))
				return { lane: l, i };
		i = way > 0 ? 0 : order[(at - 1 + order.length) % order.length]?.n - 1;
	}
	return null;
}
