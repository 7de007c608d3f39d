/* Palettes. Adding one is a row in `palettes`. */
#include "color.h"

#include <string.h>

/* Shades of a kind: by the hash of the name, or by the change of its share. */
#define N_SHADES 12
#define N_CHANGES 13
#define NO_CHANGE 6

/* Degrees and percent; a shade is a point on the way from `a` to `b`. The dark
 * theme has the same hues at its own lightness. */
struct tint {
	int hue_a, hue_b;
	int sat;
	int light_a, light_b;
	int dark_a, dark_b;
};

struct fg_palette {
	const char *name, *summary;
	bool by_change;
	struct tint kinds[FG_N_KINDS];
	struct tint less, more;		/* from no change to all of it */
};

static const struct {
	char letter;
	const char *text;
} kinds[FG_N_KINDS] = {
	[FG_USER] = { 'u', "user" },
	[FG_KERNEL] = { 'k', "kernel" },
	[FG_JIT] = { 'j', "jit" },
	[FG_INLINED] = { 'i', "inlined" },
	[FG_PROCESS] = { 'p', "process" },
	[FG_SPECIAL] = { 's', "unresolved" },
};

#define GREYS \
	[FG_PROCESS] = { 215, 215, 18, 82, 76, 34, 40 }, \
	[FG_SPECIAL] = { 220, 220, 6, 84, 78, 30, 36 }

static const struct fg_palette palettes[] = {
	{ .name = "kind",
	  .summary = "user warm, kernel green, jit blue, inlined violet",
	  .kinds = { [FG_USER] = { 20, 48, 88, 68, 72, 34, 37 },
		     [FG_KERNEL] = { 140, 172, 42, 64, 72, 26, 32 },
		     [FG_JIT] = { 200, 222, 72, 70, 77, 36, 43 },
		     [FG_INLINED] = { 258, 290, 52, 76, 82, 38, 45 },
		     GREYS } },
	{ .name = "hot",
	  .summary = "reds to yellows, for time on the processor",
	  .kinds = { [FG_USER] = { 8, 52, 90, 66, 70, 33, 36 },
		     [FG_KERNEL] = { 0, 24, 78, 64, 70, 29, 34 },
		     [FG_JIT] = { 30, 58, 92, 68, 72, 34, 38 },
		     [FG_INLINED] = { 14, 44, 70, 74, 79, 37, 42 },
		     GREYS } },
	{ .name = "mem",
	  .summary = "greens, for memory",
	  .kinds = { [FG_USER] = { 95, 150, 48, 66, 74, 27, 34 },
		     [FG_KERNEL] = { 150, 175, 42, 62, 70, 25, 31 },
		     [FG_JIT] = { 75, 100, 52, 66, 74, 27, 33 },
		     [FG_INLINED] = { 110, 140, 34, 76, 82, 34, 40 },
		     GREYS } },
	{ .name = "blue",
	  .summary = "blues, for waiting and for input and output",
	  .kinds = { [FG_USER] = { 195, 225, 70, 70, 78, 33, 41 },
		     [FG_KERNEL] = { 225, 248, 60, 74, 80, 38, 45 },
		     [FG_JIT] = { 175, 195, 55, 64, 72, 27, 34 },
		     [FG_INLINED] = { 205, 230, 45, 80, 85, 42, 48 },
		     GREYS } },
	{ .name = "safe",
	  .summary = "apart for every kind of colour vision",
	  .kinds = { [FG_USER] = { 41, 41, 95, 62, 72, 32, 38 },
		     [FG_KERNEL] = { 204, 204, 72, 56, 68, 30, 38 },
		     [FG_JIT] = { 164, 164, 60, 48, 60, 22, 29 },
		     [FG_INLINED] = { 327, 327, 48, 72, 80, 40, 48 },
		     GREYS } },
	{ .name = "diff",
	  .summary = "blue for less of the total than before, orange for more",
	  .by_change = true,
	  .kinds = { [FG_PROCESS] = { 220, 220, 6, 86, 86, 30, 30 } },
	  .less = { 210, 210, 78, 90, 60, 28, 46 },
	  .more = { 28, 24, 92, 90, 62, 28, 44 } },
};

#define N_PALETTES (sizeof(palettes) / sizeof(palettes[0]))

const struct fg_palette *fg_palette_at(size_t i)
{
	return i < N_PALETTES ? &palettes[i] : NULL;
}

const struct fg_palette *fg_palette_find(const char *name)
{
	for (size_t i = 0; i < N_PALETTES; i++)
		if (!strcmp(palettes[i].name, name))
			return &palettes[i];
	return NULL;
}

const char *fg_palette_name(const struct fg_palette *p)
{
	return p->name;
}

const char *fg_palette_summary(const struct fg_palette *p)
{
	return p->summary;
}

static void class_name(char letter, unsigned shade, char to[8])
{
	size_t n = 0;

	to[n++] = letter;
	if (shade >= 10)
		to[n++] = (char)('0' + shade / 10);
	to[n++] = (char)('0' + shade % 10);
	to[n] = '\0';
}

/* The change against the larger share, so that new is +1 and gone is -1. */
static unsigned change_shade(const struct fg_facts *f)
{
	double more = f->share - f->share_before;
	double of = more > 0 ? f->share : f->share_before;
	double at = NO_CHANGE + (of > 0 ? more / of * NO_CHANGE : 0) + 0.5;

	return (unsigned)at;
}

void fg_color_class(const struct fg_palette *p, const struct fg_facts *f,
		    char to[8])
{
	if (p->by_change)
		class_name('d', change_shade(f), to);
	else
		class_name(kinds[f->kind].letter, f->hash % N_SHADES, to);
}

static int between(int a, int b, int i, int n)
{
	return n > 1 ? a + (b - a) * i / (n - 1) : a;
}

/* Channel of a hue at 0 to 600, as 0 to 100. */
static int hue_channel(int at)
{
	at = (at + 600) % 600;
	return at < 100 ? at : at < 300 ? 100 : at < 400 ? 400 - at : 0;
}

static void emit_rgb(struct fg_emit *e, int hue, int sat, int light)
{
	int h = hue * 10 / 6, room = light < 50 ? light : 100 - light;
	int ways[] = { h + 200, h, h - 200 };
	char s[8];

	for (int i = 0; i < 3; i++) {
		/* 1e4 is white; room * sat is half the way between channels. */
		int c = light * 100 +
			room * sat * (2 * hue_channel(ways[i]) - 100) / 100;
		unsigned v = (unsigned)(c * 255 + 5000) / 10000;

		s[2 * i] = "0123456789abcdef"[v >> 4 & 15];
		s[2 * i + 1] = "0123456789abcdef"[v & 15];
	}
	fg_emit_str(e, "#");
	fg_emit_bytes(e, s, 6);
}

static void emit_shade(struct fg_emit *e, const struct tint *t, bool dark,
		       char letter, int shade, int i, int n)
{
	char name[8];

	class_name(letter, (unsigned)shade, name);
	fg_emit_str(e, ".fg .");
	fg_emit_str(e, name);
	fg_emit_str(e, "{fill:");
	emit_rgb(e, between(t->hue_a, t->hue_b, i, n), t->sat,
		 dark ? between(t->dark_a, t->dark_b, i, n) :
			between(t->light_a, t->light_b, i, n));
	fg_emit_str(e, "}\n");
}

static void emit_changes(struct fg_emit *e, const struct fg_palette *p,
			 bool dark)
{
	for (int i = 0; i < N_CHANGES; i++) {
		int away = i < NO_CHANGE ? NO_CHANGE - i : i - NO_CHANGE;
		const struct tint *t = !away ? &p->kinds[FG_PROCESS] :
				       i < NO_CHANGE ? &p->less : &p->more;

		emit_shade(e, t, dark, 'd', i, away, NO_CHANGE + 1);
	}
}

static void emit_theme(struct fg_emit *e, const struct fg_palette *p,
		       unsigned mask, bool dark)
{
	if (p->by_change) {
		emit_changes(e, p, dark);
		return;
	}
	for (int k = 0; k < FG_N_KINDS; k++)
		for (int i = 0; (mask >> k & 1) && i < N_SHADES; i++)
			emit_shade(e, &p->kinds[k], dark, kinds[k].letter, i, i,
				   N_SHADES);
}

void fg_color_css(const struct fg_palette *p, unsigned mask, struct fg_emit *e)
{
	emit_theme(e, p, mask, false);
	fg_emit_str(e, "@media (prefers-color-scheme:dark){\n");
	emit_theme(e, p, mask, true);
	fg_emit_str(e, "}\n");
}

static size_t change_legend(struct fg_legend to[FG_MAX_LEGEND])
{
	static const struct {
		unsigned shade;
		const char *text;
	} marks[] = { { 0, "gone" }, { 3, "less" }, { 6, "as before" },
		      { 9, "more" }, { 12, "new" } };
	size_t n = sizeof(marks) / sizeof(marks[0]);

	for (size_t i = 0; i < n; i++) {
		class_name('d', marks[i].shade, to[i].class_name);
		to[i].text = marks[i].text;
	}
	return n;
}

size_t fg_color_legend(const struct fg_palette *p, unsigned mask,
		       struct fg_legend to[FG_MAX_LEGEND])
{
	size_t n = 0;

	if (p->by_change)
		return change_legend(to);
	for (int k = 0; k < FG_N_KINDS; k++) {
		if (!(mask >> k & 1))
			continue;
		class_name(kinds[k].letter, N_SHADES / 2, to[n].class_name);
		to[n++].text = kinds[k].text;
	}
	return n;
}
