/* Times and numbers for people. */
const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]];
const number = (v) => v.toLocaleString("en-US");
const plural = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;
const percent = (part, all) => (all > 0 ? 100 * part / all : 0).toFixed(1) + " %";

const unitOf = (ns) => UNITS.find(([size]) => Math.abs(ns) >= size) ?? UNITS[3];

function lengthText(ns) {
	const [size, name] = unitOf(ns), digits = size === 1 ? 0 : 3;

	return `${number(+(ns / size).toFixed(digits))} ${name}`;
}

/* A place in time, to the nanosecond. */
function timeText(ns) {
	const whole = Math.floor(Math.abs(ns) / 1e9), rest = Math.round(Math.abs(ns) - whole * 1e9);

	return `${ns < 0 ? "-" : ""}${whole}.${String(rest).padStart(9, "0")} s`;
}

/* The same on the clock of the trace. */
function clockText(ns, origin) {
	const t = BigInt(origin) + BigInt(Math.round(ns)), giga = 1000000000n;

	return `${t / giga}.${String(t % giga).padStart(9, "0")}`;
}

/* Steps of 1, 2 or 5, none narrower than `least` ns. */
function niceStep(least) {
	const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));

	return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= least * (1 - 1e-9)) ?? 10 * power;
}

/* Where the ruler's marks are, and what stands beside them. Where numbers would
 * be long they count from `anchor`, which stands at the ruler's beginning. */
function ticksOf(from, to, width) {
	const step = niceStep((to - from) * 95 / width), [unit, name] = unitOf(step);
	const long = Math.max(Math.abs(from), Math.abs(to)) / unit >= 1e5;
	const anchor = long ? Math.floor(from / (unit * 1000)) * unit * 1000 : 0;
	const ticks = [];

	for (let k = Math.ceil(from / step); k * step <= to && ticks.length < 1000; k++) {
		/* + 0: no mark says -0. */
		const at = k * step, v = Math.round((at - anchor) / unit * 1000) / 1000 + 0;

		ticks.push({ at, label: `${long ? "+" : ""}${number(v)} ${name}` });
	}
	return { ticks, anchor: long ? timeText(anchor) : "" };
}
