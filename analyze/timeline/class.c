#include "analyze/timeline/class.h"

#include <stdint.h>

/* Hues of Okabe and Ito's set, which the common kinds of colour vision tell
 * apart, lightened so that dark text stands on them (light text, darkened, in
 * dark mode). */
const struct an_class_row an_classes[AN_N_CLASSES] = {
	[AN_CLASS_NAMED] = { "named", "by name", NULL, NULL },
	[AN_CLASS_RUNNING] = { "running", "running", "#5cb89a", "#0b6b50" },
	[AN_CLASS_RUNNABLE] = { "runnable", "waits for a CPU", "#f2c14e",
				"#8a5f00" },
	[AN_CLASS_BLOCKED] = { "blocked", "blocked", "#dde3ea", "#2f3842" },
	[AN_CLASS_DISK] = { "disk", "uninterruptible", "#d59abb", "#84456a" },
	[AN_CLASS_FENCE] = { "fence", "waits for a fence", "#ea8f5a",
			     "#9c4109" },
	[AN_CLASS_JOB] = { "job", "job on a ring", "#6fb3e0", "#1a5f91" },
	[AN_CLASS_QUEUED] = { "queued", "job queued", "#dcebf7", "#24384a" },
	[AN_CLASS_VBLANK] = { "vblank", "vblank", "#8b96a3", "#7d8794" },
	[AN_CLASS_FRAME] = { "frame", "display frame", "#a6d8c6", "#1c4c3d" },
	[AN_CLASS_LATE] = { "late", "late display frame", "#e5534b",
			    "#a8321c" },
	[AN_CLASS_SAMPLE] = { "sample", "sample", "#3b7fb5", "#5da3d9" },
	[AN_CLASS_MARK] = { "mark", "mark", "#7a4fb0", "#b18be0" },
	[AN_CLASS_LOSS] = { "loss", "loss", "#b3261e", "#ff6b5e" },
	[AN_CLASS_UNKNOWN] = { "unknown", "not known", "#f3f5f7", "#1a2027" },
};

const struct an_class_row an_named_colours[AN_NAMED_COLOURS] = {
	{ "n0", "", "#8fc4ea", "#1c5a86" }, { "n1", "", "#f3c566", "#7d5a10" },
	{ "n2", "", "#79cbb0", "#14634c" }, { "n3", "", "#eca27c", "#8c4519" },
	{ "n4", "", "#dcaac8", "#764262" }, { "n5", "", "#f1e68a", "#625a12" },
	{ "n6", "", "#9fb4d8", "#37507c" }, { "n7", "", "#c6cdb4", "#4c5538" },
};

size_t an_named_colour(const void *name, size_t n)
{
	const uint8_t *p = name;
	uint32_t h = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 16777619u;
	/* The low bits of short names are much alike. */
	return (h ^ h >> 15) % AN_NAMED_COLOURS;
}
