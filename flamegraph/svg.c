/* The picture: one SVG document that needs nothing else. */
#include "assets.h"
#include "color.h"
#include "page.h"
#include "xml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	MIN_WIDTH = 300,	/* px */
	MAX_WIDTH = 100000,
	EMPTY_HEIGHT = 160,
	LEGEND_Y = 48,
	LEGEND_SWATCH = 10,
	LEGEND_COLUMN = 7,	/* px, a character of the head's font at most */
	LEGEND_GAP = 26,	/* px, swatch and spaces around an entry */
	HEAD_COLUMN = 6,
};

void fg_options_init(struct fg_options *o)
{
	*o = (struct fg_options){ .width_px = 1200, .min_width_px = 0.1 };
}

static int options_resolve(struct fg_options *to, const struct fg_options *from)
{
	if (from)
		*to = *from;
	else
		fg_options_init(to);
	if (!to->title)
		to->title = "Flame graph";
	if (!to->unit)
		to->unit = "samples";
	if (!to->palette)
		to->palette = fg_palette_at(0);
	/* Written so that a NaN is refused too. */
	if (!(to->width_px >= MIN_WIDTH && to->width_px <= MAX_WIDTH) ||
	    !(to->min_width_px >= 0 && to->min_width_px <= to->width_px))
		return -EINVAL;
	return 0;
}

static void emit_attr(struct fg_emit *e, const char *name, uint64_t v)
{
	fg_emit_str(e, " ");
	fg_emit_str(e, name);
	fg_emit_str(e, "=\"");
	fg_emit_u64(e, v);
	fg_emit_str(e, "\"");
}

static void emit_text_at(struct fg_emit *e, const char *class_name, uint64_t x,
			 uint64_t y)
{
	fg_emit_str(e, "<text class=\"");
	fg_emit_str(e, class_name);
	fg_emit_str(e, "\"");
	emit_attr(e, "x", x);
	emit_attr(e, "y", y);
	fg_emit_str(e, ">");
}

/* "1,234 samples in 56 frames, 7 narrow frames folded" */
static void emit_totals(struct fg_emit *e, const struct fg_page *p)
{
	const struct fg_options *o = p->options;

	if (o->subtitle) {
		fg_emit_xml(e, o->subtitle, strlen(o->subtitle));
		fg_emit_str(e, " \xc2\xb7 ");
	}
	fg_emit_grouped(e, fg_tree_total(p->tree));
	fg_emit_str(e, " ");
	fg_emit_xml(e, o->unit, strlen(o->unit));
	if (p->tree->before) {
		fg_emit_str(e, ", before ");
		fg_emit_grouped(e, p->tree->total_before);
	}
	if (p->layout->n_narrow) {
		fg_emit_str(e, " \xc2\xb7 ");
		fg_emit_grouped(e, p->layout->n_narrow);
		fg_emit_str(e, p->layout->n_narrow == 1 ?
				       " narrow frame folded" :
				       " narrow frames folded");
	}
}

/* Bits of the kinds that are in the picture. */
static unsigned kinds_shown(const struct fg_page *p)
{
	unsigned mask = 0;

	for (size_t i = 0; i < p->layout->n_boxes; i++) {
		uint32_t node = p->layout->boxes[i].node;

		if (node != FG_ROOT && node != FG_NONE)
			mask |= 1u << p->tree->frames[p->tree->nodes[node].frame]
					.kind;
	}
	return mask;
}

static void emit_start(struct fg_emit *e, const struct fg_page *p)
{
	uint64_t width = (uint64_t)(p->options->width_px + 0.5);
	const char *title = p->options->title;

	fg_emit_str(e, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		       "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fg\"");
	emit_attr(e, "width", width);
	emit_attr(e, "height", p->height_px);
	fg_emit_str(e, " viewBox=\"0 0 ");
	fg_emit_u64(e, width);
	fg_emit_str(e, " ");
	fg_emit_u64(e, p->height_px);
	fg_emit_str(e, "\">\n<title>");
	fg_emit_xml(e, title, strlen(title));
	fg_emit_str(e, "</title>\n<desc>");
	emit_totals(e, p);
	fg_emit_str(e, "</desc>\n<style><![CDATA[\n");
	fg_emit_str(e, fg_css);
	fg_color_css(p->options->palette, kinds_shown(p), e);
	fg_emit_str(e, "]]></style>\n<rect class=\"bg\" width=\"100%\" "
		       "height=\"100%\"/>\n");
}

static void emit_legend(struct fg_emit *e, const struct fg_page *p)
{
	struct fg_legend entries[FG_MAX_LEGEND];
	size_t n = fg_color_legend(p->options->palette, kinds_shown(p),
				   entries);
	uint64_t x = (uint64_t)p->options->width_px - PAGE_PAD;

	fg_emit_str(e, "<g class=\"legend\">");
	while (n-- > 0) {
		x -= strlen(entries[n].text) * LEGEND_COLUMN + LEGEND_GAP;
		fg_emit_str(e, "<rect class=\"");
		fg_emit_str(e, entries[n].class_name);
		fg_emit_str(e, "\"");
		emit_attr(e, "x", x + LEGEND_GAP - LEGEND_SWATCH - 5);
		emit_attr(e, "y", LEGEND_Y - LEGEND_SWATCH + 1);
		emit_attr(e, "width", LEGEND_SWATCH);
		emit_attr(e, "height", LEGEND_SWATCH);
		fg_emit_str(e, "/>");
		emit_text_at(e, "note", x + LEGEND_GAP, LEGEND_Y);
		fg_emit_str(e, entries[n].text);
		fg_emit_str(e, "</text>");
	}
	fg_emit_str(e, "</g>\n");
}

/* Above the frames, and after them in the file: it stays in view on top. */
static void emit_head(struct fg_emit *e, const struct fg_page *p)
{
	uint64_t room = (uint64_t)p->options->width_px / (2 * HEAD_COLUMN);
	const char *title = p->options->title;
	size_t size = fg_xml_fit(title, strlen(title), room);

	fg_emit_str(e, "<g class=\"head\"><rect class=\"bg\" width=\"100%\"");
	emit_attr(e, "height", PAGE_TOP - 4);
	fg_emit_str(e, "/>\n");
	emit_text_at(e, "title", PAGE_PAD, 29);
	fg_emit_xml(e, title, size);
	fg_emit_str(e, "</text>\n");
	emit_text_at(e, "note", PAGE_PAD, LEGEND_Y);
	emit_totals(e, p);
	fg_emit_str(e, "</text>\n");
	emit_text_at(e, "details", PAGE_PAD, 70);
	fg_emit_str(e, "</text>\n");
	emit_legend(e, p);
	fg_emit_str(e, "</g>\n");
}

static void emit_frames(struct fg_emit *e, const struct fg_page *p)
{
	const char *unit = p->options->unit;

	fg_emit_str(e, "<g class=\"frames\"");
	emit_attr(e, "data-total", fg_tree_total(p->tree));
	emit_attr(e, "data-x", PAGE_PAD);
	emit_attr(e, "data-width", p->width / FG_PX);
	emit_attr(e, "data-top", PAGE_TOP);
	emit_attr(e, "data-row", PAGE_ROW);
	emit_attr(e, "data-levels", p->layout->n_levels);
	emit_attr(e, "data-icicle", p->options->icicle);
	fg_emit_str(e, " data-unit=\"");
	fg_emit_xml(e, unit, strlen(unit));
	fg_emit_str(e, "\">\n");
	for (size_t i = 0; i < p->layout->n_boxes; i++)
		fg_emit_box(e, p, &p->layout->boxes[i]);
	fg_emit_str(e, "</g>\n");
}

static void emit_nothing(struct fg_emit *e, const struct fg_page *p)
{
	const char *title = p->options->title;

	emit_start(e, p);
	emit_text_at(e, "title", PAGE_PAD, 29);
	fg_emit_xml(e, title, strlen(title));
	fg_emit_str(e, "</text>\n");
	emit_text_at(e, "nothing", (uint64_t)p->options->width_px / 2, 96);
	fg_emit_str(e, "no samples</text>\n</svg>\n");
}

static void emit_picture(struct fg_emit *e, const struct fg_page *p)
{
	emit_start(e, p);
	emit_frames(e, p);
	emit_head(e, p);
	if (!p->options->no_script) {
		fg_emit_str(e, "<script><![CDATA[\n");
		fg_emit_str(e, fg_js);
		fg_emit_str(e, "]]></script>\n");
	}
	fg_emit_str(e, "</svg>\n");
}

int fg_write_svg(const struct fg_tree *tree, const struct fg_options *options,
		 FILE *out)
{
	struct fg_layout layout = { 0 };
	struct fg_options o;
	struct fg_page page = { tree, &layout, &o, 0, EMPTY_HEIGHT };
	struct fg_emit e;
	int rc = options_resolve(&o, options);

	if (rc)
		return rc;
	fg_emit_init(&e, out);
	page.width = ((uint64_t)(o.width_px + 0.5) - 2 * PAGE_PAD) * FG_PX;
	if (!fg_tree_total(tree)) {
		emit_nothing(&e, &page);
		return fg_emit_end(&e);
	}
	rc = fg_layout_init(&layout, tree,
			    fg_page_least(fg_tree_total(tree), page.width,
					  o.min_width_px));
	if (!rc) {
		page.height_px = PAGE_TOP + PAGE_PAD +
				 (uint64_t)layout.n_levels * PAGE_ROW;
		emit_picture(&e, &page);
		rc = fg_emit_end(&e);
	}
	fg_layout_fini(&layout);
	return rc;
}
