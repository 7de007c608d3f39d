/* The markup of one box. */
#include "page.h"

#include "color.h"
#include "xml.h"

#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"

struct label {
	const char *text;
	size_t size;
	char own[48];		/* the text, where no frame has it */
};

uint64_t fg_page_length(const struct fg_page *p, uint64_t weight)
{
	uint64_t total = fg_tree_total(p->tree), v;

	if (!__builtin_mul_overflow(weight, p->width, &v) &&
	    !__builtin_add_overflow(v, total / 2, &v))
		return v / total;
	return (uint64_t)(((unsigned __int128)weight * p->width + total / 2) /
			  total);
}

uint64_t fg_page_least(uint64_t total, uint64_t width, double min_px)
{
	uint64_t min = (uint64_t)(min_px * FG_PX + 0.5);
	unsigned __int128 v = (unsigned __int128)min * total + width - 1;

	v /= width;
	return v < 1 ? 1 : (uint64_t)v;
}

uint64_t fg_page_y(const struct fg_page *p, uint32_t level)
{
	uint32_t row = p->options->icicle ? level :
					    p->layout->n_levels - 1 - level;

	return PAGE_TOP + (uint64_t)row * PAGE_ROW;
}

static void label_init(struct label *l, const struct fg_page *p,
		       const struct fg_box *box)
{
	if (box->node == FG_NONE) {
		snprintf(l->own, sizeof(l->own), "[%u narrow frame%s]",
			 box->n_narrow, box->n_narrow == 1 ? "" : "s");
		l->text = l->own;
		l->size = strlen(l->own);
	} else if (box->node == FG_ROOT) {
		l->text = "all";
		l->size = 3;
	} else {
		uint32_t frame = p->tree->nodes[box->node].frame;

		l->text = tree_name(p->tree, frame);
		l->size = p->tree->frames[frame].size;
	}
}

static void box_class(const struct fg_page *p, const struct fg_box *box,
		      char to[8])
{
	const struct fg_frame *f;
	uint64_t before = p->tree->total_before;
	struct fg_facts facts;

	if (box->node == FG_NONE || box->node == FG_ROOT) {
		memcpy(to, box->node == FG_ROOT ? "r" : "n", 2);
		return;
	}
	f = &p->tree->frames[p->tree->nodes[box->node].frame];
	facts.kind = f->kind;
	facts.hash = f->hash;
	facts.share = (double)box->n / (double)p->tree->total;
	facts.share_before = before ? (double)box->before / (double)before : 0;
	fg_color_class(p->options->palette, &facts, to);
}

/* Hundredths of a percent, rounded. */
static uint64_t share_of(uint64_t n, uint64_t total)
{
	if (!total)
		return 0;
	return (uint64_t)(((unsigned __int128)n * 10000 + total / 2) / total);
}

static void emit_percent(struct fg_emit *e, uint64_t hundredths)
{
	char s[32];
	int n = snprintf(s, sizeof(s), "%llu.%02llu%%",
			 (unsigned long long)hundredths / 100,
			 (unsigned long long)hundredths % 100);

	fg_emit_bytes(e, s, (size_t)n);
}

/* What it was before, and the change in points of the share: totals differ
 * between two profiles, so only shares compare. */
static void emit_before(struct fg_emit *e, const struct fg_page *p,
			const struct fg_box *box)
{
	uint64_t now = share_of(box->n, p->tree->total);
	uint64_t was = share_of(box->before, p->tree->total_before);

	fg_emit_str(e, "; before ");
	fg_emit_grouped(e, box->before);
	fg_emit_str(e, ", ");
	emit_percent(e, was);
	fg_emit_str(e, now < was ? "; -" : "; +");
	emit_percent(e, now < was ? was - now : now - was);
}

static void emit_title(struct fg_emit *e, const struct fg_page *p,
		       const struct fg_box *box, const struct label *l)
{
	const char *unit = p->options->unit;

	fg_emit_str(e, "<title>");
	fg_emit_xml(e, l->text, l->size);
	fg_emit_str(e, " (");
	fg_emit_grouped(e, box->n);
	fg_emit_str(e, " ");
	fg_emit_xml(e, unit, strlen(unit));
	fg_emit_str(e, ", ");
	emit_percent(e, share_of(box->n, p->tree->total));
	if (p->tree->before)
		emit_before(e, p, box);
	fg_emit_str(e, ")</title>");
}

/* As much of the name as fits; nothing where that would say nothing. */
static void emit_text(struct fg_emit *e, const struct label *l, uint64_t x,
		      uint64_t y, uint64_t width)
{
	uint64_t room = width / FG_PX > 2 * PAGE_TEXT_DX ?
				width - (uint64_t)2 * PAGE_TEXT_DX * FG_PX : 0;
	uint64_t columns = room / PAGE_COLUMN;
	size_t size = fg_xml_fit(l->text, l->size, columns);

	if (size < l->size && columns < 3)
		return;
	if (!columns || !size)
		return;
	if (size < l->size)
		size = fg_xml_fit(l->text, l->size, columns - 1);
	fg_emit_str(e, "<text x=\"");
	fg_emit_fixed(e, x + (uint64_t)PAGE_TEXT_DX * FG_PX);
	fg_emit_str(e, "\" y=\"");
	fg_emit_u64(e, y + PAGE_TEXT_DY);
	fg_emit_str(e, "\">");
	fg_emit_xml(e, l->text, size);
	fg_emit_str(e, size < l->size ? ELLIPSIS "</text>" : "</text>");
}

static void emit_numbers(struct fg_emit *e, const struct fg_page *p,
			 const struct fg_box *box)
{
	fg_emit_str(e, "\" data-n=\"");
	fg_emit_u64(e, box->n);
	fg_emit_str(e, "\" data-s=\"");
	fg_emit_u64(e, box->self);
	if (p->tree->before) {
		fg_emit_str(e, "\" data-b=\"");
		fg_emit_u64(e, box->before);
	}
	fg_emit_str(e, "\">");
}

void fg_emit_box(struct fg_emit *e, const struct fg_page *p,
		 const struct fg_box *box)
{
	uint64_t x = (uint64_t)PAGE_PAD * FG_PX + fg_page_length(p, box->start);
	uint64_t width = fg_page_length(p, box->n);
	uint64_t y = fg_page_y(p, box->level);
	struct label label;
	char class_name[8];

	label_init(&label, p, box);
	box_class(p, box, class_name);
	fg_emit_str(e, "<g class=\"f ");
	fg_emit_str(e, class_name);
	emit_numbers(e, p, box);
	emit_title(e, p, box, &label);
	fg_emit_str(e, "<rect x=\"");
	fg_emit_fixed(e, x);
	fg_emit_str(e, "\" y=\"");
	fg_emit_u64(e, y);
	fg_emit_str(e, "\" width=\"");
	fg_emit_fixed(e, width);
	fg_emit_str(e, "\" height=\"");
	fg_emit_u64(e, PAGE_BOX);
	fg_emit_str(e, "\"/>");
	emit_text(e, &label, x, y, width);
	fg_emit_str(e, "</g>\n");
}
