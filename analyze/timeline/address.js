/* State in the address: "#t=FROM,TO&s=SEARCH&p=LANE,SPAN&g=CLOSED". */
function hashOf() {
	const parts = [], f = view.focus;

	if (view.from !== whole.from || view.to !== whole.to)
		parts.push(`t=${Math.round(view.from)},${Math.round(view.to)}`);
	if (view.search)
		parts.push("s=" + encodeURIComponent(view.search));
	if (f)
		parts.push(`p=${f.lane.index},${f.i}`);
	if (view.closed.size)
		parts.push("g=" + [...view.closed].sort((a, b) => a - b).join(","));
	return "#" + parts.join("&");
}

function decode(text) {
	try {
		return decodeURIComponent(text);
	} catch (error) {
		return text;
	}
}

const numbersOf = (text) => text.split(",").map(Number);

function spanFrom(text) {
	const [lane, i] = numbersOf(text), l = lanes[lane];

	return l && Number.isInteger(i) && i >= 0 && i < l.n ? { lane: l, i } : null;
}

function rangeFrom(text) {
	const [from, to] = numbersOf(text);

	return from < to ? clampRange(from, to) : { ...whole };
}

/* What the address says; what it does not say is as at first. */
function stateOf(hash) {
	const state = { ...whole, search: "", focus: null, closed: new Set() };

	for (const part of hash.replace(/^#/, "").split("&")) {
		const value = part.slice(2);

		if (part.startsWith("t="))
			Object.assign(state, rangeFrom(value));
		else if (part.startsWith("s="))
			state.search = decode(value);
		else if (part.startsWith("p="))
			state.focus = spanFrom(value);
		else if (part.startsWith("g="))
			state.closed = new Set(numbersOf(value).filter((g) => g >= 0 && g < groups.length));
	}
	return state;
}
