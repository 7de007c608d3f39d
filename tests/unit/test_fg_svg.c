/* The picture: sums, widths, escaping, and what it promises to be the same. */
#include "flamegraph/fg.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fg_tree *tree_of(const char *folded)
{
	struct fg_tree *t = NULL;
	FILE *in = fmemopen((void *)(uintptr_t)folded, strlen(folded), "r");

	assert_non_null(in);
	assert_int_equal(fg_tree_new(&t), 0);
	assert_int_equal(fg_read_folded(t, in, FG_COLUMNS_AUTO, NULL), 0);
	fclose(in);
	return t;
}

static char *svg_of(const struct fg_tree *t, const struct fg_options *o)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(fg_write_svg(t, o, out), 0);
	fclose(out);
	assert_int_equal(strlen(text), size);
	return text;
}

static char *svg_of_text(const char *folded, const struct fg_options *o)
{
	struct fg_tree *t = tree_of(folded);
	char *svg = svg_of(t, o);

	fg_tree_free(t);
	return svg;
}

/* The number after name=" in the box at `at`. */
static double attr(const char *at, const char *name)
{
	char key[32];
	const char *found;

	snprintf(key, sizeof(key), "%s=\"", name);
	found = strstr(at, key);
	assert_non_null(found);
	return strtod(found + strlen(key), NULL);
}

static const char *next_box(const char *at)
{
	return strstr(at, "<g class=\"f ");
}

static char *many_stacks(unsigned n)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (unsigned i = 0; i < n; i++)
		fprintf(out, "p%u;f%u;g%u;leaf%u %u\n", i % 3, i % 7, i % 31, i,
			i % 90 + 1);
	fclose(out);
	return text;
}

/* -- An independent judge of XML ------------------------------------------- */

static bool is_entity(const char *s)
{
	static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;",
					     "&#39;" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(s, known[i], strlen(known[i])))
			return true;
	return false;
}

/* Length of the UTF-8 character that XML allows at `s`; 0 for none. */
static size_t good_char(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;

	if (u[0] < 0x80)
		return u[0] >= 0x20 || u[0] == '\n' || u[0] == '\t';
	if (u[0] >= 0xc2 && u[0] < 0xe0)
		return (u[1] & 0xc0) == 0x80 ? 2 : 0;
	if (u[0] >= 0xe0 && u[0] < 0xf0) {
		unsigned c = (u[0] & 15u) << 12 | (u[1] & 63u) << 6 |
			     (u[2] & 63u);

		return (u[1] & 0xc0) == 0x80 && (u[2] & 0xc0) == 0x80 &&
		       c >= 0x800 && !(c >= 0xd800 && c < 0xe000) &&
		       c < 0xfffe ? 3 : 0;
	}
	return u[0] >= 0xf0 && u[0] < 0xf5 && (u[1] & 0xc0) == 0x80 &&
	       (u[2] & 0xc0) == 0x80 && (u[3] & 0xc0) == 0x80 ? 4 : 0;
}

/* Skips a tag and keeps `depth`; attributes are quoted and hold no '<'. */
static const char *judge_tag(const char *s, int *depth)
{
	bool closing = s[1] == '/', quoted = false;
	const char *start = s;

	for (s++; *s && (quoted || *s != '>'); s++) {
		assert_true(*s != '<');
		assert_true(*s != '&' || is_entity(s));
		assert_true(good_char(s) > 0);
		quoted ^= *s == '"';
	}
	assert_int_equal(*s, '>');
	if (closing)
		--*depth;
	else if (s[-1] != '/' && start[1] != '?')
		++*depth;
	return s + 1;
}

static void judge_xml(const char *s)
{
	int depth = 0;

	while (*s) {
		if (!strncmp(s, "<![CDATA[", 9)) {
			s = strstr(s, "]]>");
			assert_non_null(s);
			s += 3;
		} else if (*s == '<') {
			s = judge_tag(s, &depth);
			assert_true(depth >= 0);
		} else {
			assert_true(*s != '>' && *s != '\'');
			assert_true(*s != '&' || is_entity(s));
			assert_true(good_char(s) > 0);
			s += good_char(s);
		}
	}
	assert_int_equal(depth, 0);
}

/* -- Properties ------------------------------------------------------------ */

static void widths_are_shares_of_the_total(void **state)
{
	char *text = many_stacks(500), *svg = svg_of_text(text, NULL);
	double total = attr(svg, "data-total"), width = attr(svg, "data-width");
	int n = 0;

	(void)state;
	for (const char *at = svg; (at = next_box(at)); at++, n++) {
		double want = attr(at, "data-n") / total * width;
		double off = attr(at, " width") - want;

		assert_true(off < 0.00006 && off > -0.00006);
	}
	assert_true(n > 100);
	free(svg);
	free(text);
}

static void no_weight_is_lost_however_wide_a_frame_must_be(void **state)
{
	static const double least[] = { 0, 0.1, 1, 10, 100, 1200 };
	char *text = many_stacks(2000);
	struct fg_options o;

	(void)state;
	fg_options_init(&o);
	for (size_t i = 0; i < sizeof(least) / sizeof(least[0]); i++) {
		double sum = 0;
		char *svg;

		o.min_width_px = least[i];
		svg = svg_of_text(text, &o);
		for (const char *at = svg; (at = next_box(at)); at++)
			sum += attr(at, "data-s");
		assert_true(sum == attr(svg, "data-total"));
		free(svg);
	}
	free(text);
}

static void narrow_frames_are_folded_by_parent_and_counted(void **state)
{
	struct fg_options o;
	char *svg;

	(void)state;
	fg_options_init(&o);
	o.min_width_px = 5;
	svg = svg_of_text("a;b;c 1\na;d 1\na;e 5000\nf 1\n", &o);
	assert_non_null(strstr(svg, ">[3 narrow frames] (2 samples, 0.04%)<"));
	assert_non_null(strstr(svg, ">[1 narrow frame] (1 samples, 0.02%)<"));
	assert_non_null(strstr(svg, "4 narrow frames folded"));
	assert_null(strstr(svg, ">c ("));
	free(svg);
	o.min_width_px = 0;
	svg = svg_of_text("a;b;c 1\na;d 1\na;e 5000\nf 1\n", &o);
	assert_null(strstr(svg, "narrow"));
	assert_non_null(strstr(svg, ">c (1 samples, 0.02%)<"));
	free(svg);
}

static void the_order_of_the_input_does_not_show(void **state)
{
	char *a = svg_of_text("a;b 1\na;c_[k] 2\nb;a 3\na 4\n", NULL);
	char *b = svg_of_text("b;a 3\na 1\na;c_[k] 2\na;b 1\na 3\n", NULL);

	(void)state;
	assert_string_equal(a, b);
	free(a);
	free(b);
}

static void any_bytes_in_names_give_well_formed_xml(void **state)
{
	(void)state;
	for (uint32_t seed = 1, round = 0; round < 300; round++) {
		struct fg_tree *t = NULL;
		char name[40], *svg;
		uint32_t node = 0, frame;

		assert_int_equal(fg_tree_new(&t), 0);
		for (size_t size = 0; size < sizeof(name); size++) {
			for (size_t i = 0; i < size; i++) {
				seed = seed * 1664525 + 1013904223;
				name[i] = seed >> 31 ? "&<>\"'"[seed % 5] :
						       (char)(seed >> 16);
			}
			assert_int_equal(fg_frame(t, name, size, FG_USER,
						  &frame), 0);
			assert_int_equal(fg_child(t, size % 9 ? node : 0, frame,
						  &node), 0);
			assert_int_equal(fg_add(t, node, seed % 64 + 1), 0);
		}
		svg = svg_of(t, NULL);
		judge_xml(svg);
		free(svg);
		fg_tree_free(t);
	}
}

static void options_are_escaped_like_names(void **state)
{
	struct fg_options o;
	char *svg;

	(void)state;
	fg_options_init(&o);
	o.title = "a <b> & \"c\" \xff";
	o.subtitle = "'d' \x01";
	o.unit = "\"e\" <f>";
	svg = svg_of_text("a 1\n", &o);
	judge_xml(svg);
	assert_non_null(strstr(svg, "a &lt;b&gt; &amp; &quot;c&quot; "
				    "\xef\xbf\xbd"));
	free(svg);
	svg = svg_of_text("a 0\n", &o);
	judge_xml(svg);
	free(svg);
}

static void a_text_is_cut_before_it_is_escaped(void **state)
{
	struct fg_options o;

	(void)state;
	fg_options_init(&o);
	for (double width = 300; width < 420; width++) {
		char *svg;

		o.width_px = width;
		svg = svg_of_text("<<<<>>>>&&&&map<A>(\xe7\x81\xab\xe7\x81\xab) "
				  "1\nzzz 3\n", &o);
		judge_xml(svg);
		free(svg);
	}
}

static void an_empty_tree_says_so(void **state)
{
	char *svg = svg_of_text("a 0\n", NULL);

	(void)state;
	judge_xml(svg);
	assert_non_null(strstr(svg, "no samples"));
	assert_null(next_box(svg));
	free(svg);
}

static void the_height_follows_the_depth(void **state)
{
	struct fg_tree *t = NULL;
	uint32_t node = 0, frame;
	char *svg;

	(void)state;
	assert_int_equal(fg_tree_new(&t), 0);
	assert_int_equal(fg_frame(t, "again", 5, FG_USER, &frame), 0);
	for (int i = 0; i < 5000; i++)
		assert_int_equal(fg_child(t, node, frame, &node), 0);
	assert_int_equal(fg_add(t, node, 1), 0);
	svg = svg_of(t, NULL);
	assert_int_equal((int)attr(svg, "data-levels"), 5001);
	assert_true(attr(svg, "height") > 5001 * attr(svg, "data-row"));
	free(svg);
	fg_tree_free(t);
}

static void weights_near_the_limit_keep_their_places(void **state)
{
	char *svg = svg_of_text("a 9223372036854775807\nb 9223372036854775807\n",
				NULL);
	const char *a = strstr(svg, "<title>a ("), *b = strstr(svg, "<title>b (");

	(void)state;
	assert_true(attr(a, " width") == 588);
	assert_true(attr(b, "x") == 600);
	free(svg);
}

static void widths_out_of_range_are_refused(void **state)
{
	static const struct {
		double width, min_width;
	} bad[] = { { 0, 0 }, { 299, 0 }, { 1e9, 0 }, { -1, 0 }, { 1200, -1 },
		    { 1200, 1201 }, { 1200, (double)NAN }, { (double)NAN, 0 } };
	struct fg_tree *t = tree_of("a 1\n");
	struct fg_options o;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fg_options_init(&o);
		o.width_px = bad[i].width;
		o.min_width_px = bad[i].min_width;
		assert_int_equal(fg_write_svg(t, &o, stdout), -EINVAL);
	}
	fg_tree_free(t);
}

static void every_palette_draws_every_kind_in_light_and_dark(void **state)
{
	struct fg_options o;

	(void)state;
	fg_options_init(&o);
	for (size_t i = 0; (o.palette = fg_palette_at(i)); i++) {
		char *svg = svg_of_text("a;b_[k] 1 2\na;c_[j] 3 1\n[x];d_[i] 5 5\n"
					"gone 4 0\n", &o), *rule, rest[64];

		judge_xml(svg);
		assert_ptr_equal(fg_palette_find(fg_palette_name(o.palette)),
				 o.palette);
		for (const char *at = svg; (at = next_box(at)); at++) {
			assert_int_equal(sscanf(at, "<g class=\"f %60[^\"]",
						rest), 1);
			strcat(rest, "{");
			rule = svg;
			if (!strcmp(rest, "r{") || !strcmp(rest, "n{"))
				continue;
			for (int theme = 0; theme < 2; theme++) {
				rule = strstr(rule + 1, rest);
				assert_non_null(rule);
			}
		}
		free(svg);
	}
	assert_null(fg_palette_find("none such"));
}

static void profiles_of_one_shape_show_no_change(void **state)
{
	struct fg_options o;
	char *svg;

	(void)state;
	fg_options_init(&o);
	o.palette = fg_palette_find("diff");
	svg = svg_of_text("a;b 1 10\na;c 2 20\nd 7 70\n", &o);
	for (const char *at = svg; (at = next_box(at)); at++)
		assert_true(!strncmp(at + 12, "d6", 2) ||
			    !strncmp(at + 12, "r", 1));
	assert_non_null(strstr(svg, "before 2, 20.00%; +0.00%)"));
	free(svg);
}

static void a_still_picture_has_the_same_boxes_and_no_script(void **state)
{
	struct fg_options o;
	char *live, *still, *a, *b;

	(void)state;
	fg_options_init(&o);
	live = svg_of_text("a;b 1\nc 2\n", &o);
	o.no_script = true;
	still = svg_of_text("a;b 1\nc 2\n", &o);
	assert_non_null(strstr(live, "<script>"));
	assert_null(strstr(still, "<script"));
	a = strstr(live, "<script>");
	b = strstr(still, "</svg>");
	assert_int_equal(a - live, b - still);
	assert_memory_equal(live, still, (size_t)(b - still));
	free(live);
	free(still);
}

static void a_device_that_is_full_is_told(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct fg_tree *t = tree_of("a 1\n");

	(void)state;
	if (!full)
		skip();
	assert_int_equal(fg_write_svg(t, NULL, full), -ENOSPC);
	fclose(full);
	fg_tree_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths_are_shares_of_the_total),
		cmocka_unit_test(no_weight_is_lost_however_wide_a_frame_must_be),
		cmocka_unit_test(narrow_frames_are_folded_by_parent_and_counted),
		cmocka_unit_test(the_order_of_the_input_does_not_show),
		cmocka_unit_test(any_bytes_in_names_give_well_formed_xml),
		cmocka_unit_test(options_are_escaped_like_names),
		cmocka_unit_test(a_text_is_cut_before_it_is_escaped),
		cmocka_unit_test(an_empty_tree_says_so),
		cmocka_unit_test(the_height_follows_the_depth),
		cmocka_unit_test(weights_near_the_limit_keep_their_places),
		cmocka_unit_test(widths_out_of_range_are_refused),
		cmocka_unit_test(
			every_palette_draws_every_kind_in_light_and_dark),
		cmocka_unit_test(profiles_of_one_shape_show_no_change),
		cmocka_unit_test(
			a_still_picture_has_the_same_boxes_and_no_script),
		cmocka_unit_test(a_device_that_is_full_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
