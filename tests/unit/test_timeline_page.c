/* Pages and pictures of timelines as bytes; what they show is tested in a
 * browser, see tests/browser. */
#include "analyze/timeline/facts.h"
#include "analyze/timeline/markup.h"
#include "analyze/timeline/page.h"
#include "analyze/timeline/picture.h"
#include "format/base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EVIL "</script><!--]]>&\"'\x01\x1b[2J\xff\xfe\xe2\x80\xae"

struct fixture {
	struct an_timeline tl;
	struct an_timeline_head head;
	char *text;
	size_t size;
	struct err err;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	f->head = (struct an_timeline_head){ EVIL, EVIL, EVIL, 1000 };
	return an_timeline_init(&f->tl, &f->err);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	an_timeline_fini(&f->tl);
	free(f->text);
	free(f);
	return 0;
}

/* A span that began before 0 of the ruler, an instant, and a counter. */
static void add_all(struct fixture *f, const char *text)
{
	struct an_lane l = { .kind = AN_LANE_SPANS };
	struct an_span s = { .from = 900, .to = 3000, .class = AN_CLASS_NAMED };
	uint32_t id;

	assert_int_equal(an_timeline_textf(&f->tl, &l.name, &f->err, "%s",
					   text), 0);
	l.group = l.unit = s.name = s.detail = l.name;
	assert_int_equal(an_timeline_lane(&f->tl, &l, &id, &f->err), 0);
	assert_int_equal(an_timeline_span(&f->tl, id, &s, &f->err), 0);
	s = (struct an_span){ .from = 5000, .to = 5000,
			      .class = AN_CLASS_MARK, .name = l.name };
	assert_int_equal(an_timeline_span(&f->tl, id, &s, &f->err), 0);
	l.kind = AN_LANE_COUNTER;
	assert_int_equal(an_timeline_lane(&f->tl, &l, &id, &f->err), 0);
	assert_int_equal(an_timeline_step(&f->tl, id, 1500, 1.5, &f->err), 0);
	assert_int_equal(an_timeline_step(&f->tl, id, 2500, 1.0 / 0.0, &f->err),
			 0);
	an_timeline_arrange(&f->tl);
}

static void write_page(struct fixture *f)
{
	FILE *to = open_memstream(&f->text, &f->size);

	an_timeline_page(to, &f->tl, &f->head);
	assert_int_equal(fclose(to), 0);
}

static void write_picture(struct fixture *f, bool no_script)
{
	struct an_picture_options o = { .width_px = 1000,
					.no_script = no_script };
	FILE *to = open_memstream(&f->text, &f->size);

	an_timeline_picture(to, &f->tl, &f->head, &o);
	assert_int_equal(fclose(to), 0);
}

static struct span data_of(const struct fixture *f)
{
	static const char begin[] = "id=\"data\">\n";
	char *from = strstr(f->text, begin), *to;

	assert_non_null(from);
	from += sizeof(begin) - 1;
	to = strstr(from, "</script>");
	assert_non_null(to);
	return span_of(from, (size_t)(to - from));
}

static bool holds(struct span s, const char *text)
{
	return memmem(s.p, s.n, text, strlen(text)) != NULL;
}

static void is_clean(const char *text, size_t size)
{
	struct span s = span_of(text, size);
	uint32_t code;

	while (s.n) {
		assert_true(utf8_next(&s, &code));
		assert_true(code == '\n' || code == '\t' ||
			    !utf8_is_control(code));
	}
}

static void no_name_ends_the_data_or_begins_markup(void **state)
{
	struct fixture *f = *state;
	struct span data;

	add_all(f, EVIL);
	write_page(f);
	data = data_of(f);
	assert_null(memchr(data.p, '<', data.n));
	assert_null(memchr(data.p, '>', data.n));
	assert_null(memchr(data.p, '&', data.n));
	assert_true(holds(data, "\\u003c/script\\u003e\\u003c!--]]\\u003e"));
	is_clean(f->text, f->size);
}

static void times_are_differences_that_may_be_negative(void **state)
{
	struct fixture *f = *state;
	struct span data;

	add_all(f, "x");
	write_page(f);
	data = data_of(f);
	assert_true(holds(data, "\"origin\":\"1000\",\"from\":-100,\"to\":4000"));
	assert_true(holds(data, "\"t\":[-100,4100],\"d\":[2100,0]"));
	/* One row, one text for all: a number each. */
	assert_true(holds(data, "\"n\":1,"));
	assert_true(holds(data, "\"r\":0,\"m\":[]"));
	/* A counter; JSON has no infinity. */
	assert_true(holds(data, "\"t\":[500,1000],\"v\":[1.5,0]"));
}

static void a_block_is_told_with_its_count(void **state)
{
	struct fixture *f = *state;
	struct an_lane l = { .kind = AN_LANE_SPANS };
	struct an_span s = { .from = 2000, .to = 3000, .count = 7, .busy = 70 };
	uint32_t id;

	assert_int_equal(an_timeline_lane(&f->tl, &l, &id, &f->err), 0);
	assert_int_equal(an_timeline_span(&f->tl, id, &s, &f->err), 0);
	an_timeline_arrange(&f->tl);
	write_page(f);
	assert_true(holds(data_of(f), "\"merged\":7"));
	assert_true(holds(data_of(f), "\"m\":[0,7,70]"));
}

static void a_page_asks_for_nothing(void **state)
{
	struct fixture *f = *state;

	add_all(f, "x");
	write_page(f);
	assert_non_null(strstr(f->text, "default-src 'none'"));
	assert_null(strstr(f->text, "src="));
	assert_null(strstr(f->text, "href="));
	assert_null(strstr(f->text, "@import"));
	assert_null(strstr(f->text, "url("));
	assert_null(strstr(f->text, " onload"));
	assert_null(strstr(f->text, "eval("));
	assert_null(strstr(f->text, "innerHTML"));
}

static void a_picture_escapes_names(void **state)
{
	struct fixture *f = *state;

	add_all(f, EVIL);
	write_picture(f, true);
	assert_null(strstr(f->text, "<script"));
	assert_null(strstr(f->text, "<!--"));
	assert_non_null(strstr(f->text, "&lt;/script&gt;&lt;!--]]&gt;&amp;"
			       "&quot;&#39;\xef\xbf\xbd\xef\xbf\xbd[2J"));
	is_clean(f->text, f->size);
}

static void a_counter_has_a_gap_where_nothing_is_known(void **state)
{
	struct fixture *f = *state;
	struct an_lane l = { .kind = AN_LANE_COUNTER };
	const double v[] = { 1, 0.0 / 0.0, 2, 0.0 / 0.0 };
	const char *path;
	uint32_t id;

	assert_int_equal(an_timeline_lane(&f->tl, &l, &id, &f->err), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(an_timeline_step(&f->tl, id, 1000 + 100 * i,
						  v[i], &f->err), 0);
	an_timeline_arrange(&f->tl);
	write_page(f);
	assert_true(holds(data_of(f), "\"v\":[1,null,2,null]"));
	free(f->text);
	f->text = NULL;
	write_picture(f, true);
	/* 300 ns are 1000 - 200 - 12 px wide, 40 - 8 high for 2. */
	path = strstr(f->text, " d=\"");
	assert_non_null(path);
	assert_memory_equal(path, " d=\"M0.00 20.00H262.67M525.33 4.00H788.00\"",
			    strlen(" d=\"M0.00 20.00H262.67M525.33 "
				   "4.00H788.00\""));
}

/* A line of text in the picture from an offset on; *x and *y are where. */
static const char *note_at(const char *from, int *y, char *text, size_t size)
{
	static const char begin[] = "<text class=\"note\" x=\"12\" y=\"";
	const char *at = strstr(from, begin), *end;
	char *behind;

	if (!at)
		return NULL;
	*y = (int)strtol(at + sizeof(begin) - 1, &behind, 10);
	end = strstr(behind, "</text>");
	assert_non_null(end);
	snprintf(text, size, "%.*s", (int)(end - behind - 2), behind + 2);
	return end;
}

/* 1000 px wide; the legend of a mark is 4 * 6 + 28 px wide and on the first
 * line, so the subtitle has all of the width: 976 px, 157 letters of 6.2. */
static void a_long_subtitle_goes_on_below(void **state)
{
	struct fixture *f = *state;
	const char *at;
	char all[601], line[300], put[1300] = "";
	int y, n = 0;

	for (size_t i = 0; i < 600; i++)
		all[i] = i % 8 == 7 ? ' ' : 'x';
	all[599] = '\0';
	f->head.subtitle = all;
	add_all(f, "x");
	write_picture(f, true);
	for (at = f->text; (at = note_at(at, &y, line, sizeof(line))); n++) {
		assert_int_equal(y, 48 + 16 * n);
		assert_in_range(strlen(line), 1, 157);
		strcat(strcat(put, n ? " " : ""), line);
	}
	assert_int_equal(n, 4);
	assert_string_equal(put, all);
	assert_non_null(strstr(f->text, "class=\"details\" x=\"12\" y=\"116\""));
	assert_non_null(strstr(f->text, "data-top=\"144\""));
}

static void an_empty_timeline_says_so(void **state)
{
	struct fixture *f = *state;

	an_timeline_arrange(&f->tl);
	write_picture(f, false);
	assert_non_null(strstr(f->text, "nothing to show"));
	free(f->text);
	f->text = NULL;
	write_page(f);
	assert_true(holds(data_of(f), "\"lanes\":[]"));
}

/* 1, 2 or 5 times a power of ten, the least that is enough. */
static void steps_of_a_ruler_are_round(void **state)
{
	static const uint64_t v[][2] = {
		{ 0, 1 }, { 1, 1 }, { 2, 2 }, { 3, 5 }, { 5, 5 }, { 6, 10 },
		{ 95, 100 }, { 101, 200 }, { 1000001, 2000000 },
		{ 4999999999, 5000000000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		assert_int_equal(an_nice_step(v[i][0]), v[i][1]);
	assert_true(an_nice_step(UINT64_MAX) > UINT64_MAX / 200);
}

static void ticks_have_the_unit_of_their_step(void **state)
{
	static const struct {
		uint64_t ns, step;
		const char *text;
	} v[] = {
		{ 0, 1, "0 ns" }, { 1200, 200, "1200 ns" },
		{ 5000, 1000, "5 \xc2\xb5s" }, { 250000000, 50000000, "250 ms" },
		{ 12000000000, 2000000000, "12 s" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char text[64] = "";
		FILE *to = fmemopen(text, sizeof(text), "w");

		an_tick_text(to, v[i].ns, v[i].step);
		fclose(to);
		assert_string_equal(text, v[i].text);
	}
}

static void a_long_text_is_cut_between_characters(void **state)
{
	static const struct {
		const char *text;
		size_t columns;
		const char *cut;
	} v[] = {
		{ "abc", 3, "abc" }, { "abcd", 3, "ab\xe2\x80\xa6" },
		{ "\xc3\xa9\xc3\xa9\xc3\xa9", 2, "\xc3\xa9\xe2\x80\xa6" },
		{ "<<<", 2, "&lt;\xe2\x80\xa6" }, { "abc", 0, "" },
		{ "abc", 1, "\xe2\x80\xa6" }, { "", 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char text[64] = "";
		FILE *to = fmemopen(text, sizeof(text), "w");

		an_markup_cut(to, span_of(v[i].text, strlen(v[i].text)),
			      v[i].columns);
		fclose(to);
		assert_string_equal(text, v[i].cut);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_name_ends_the_data_or_begins_markup),
		TEST(times_are_differences_that_may_be_negative),
		TEST(a_block_is_told_with_its_count),
		TEST(a_page_asks_for_nothing),
		TEST(a_picture_escapes_names),
		TEST(a_counter_has_a_gap_where_nothing_is_known),
		TEST(a_long_subtitle_goes_on_below),
		TEST(an_empty_timeline_says_so),
		TEST(steps_of_a_ruler_are_round),
		TEST(ticks_have_the_unit_of_their_step),
		TEST(a_long_text_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
