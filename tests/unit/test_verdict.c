#include "analyze/verdict/show.h"

#include "analyze/selection.h"
#include "tests/support/failalloc.h"
#include "tests/support/findingtrace.h"
#include "tests/support/traceopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct looked {
	struct trace_in_memory m;
	struct an_selection sel;
	struct an_media media;
};

static void look(struct looked *l, const struct tb_trace *t, int32_t pid)
{
	static const struct an_selection_args all;
	struct an_trace *trace;

	*l = (struct looked){ .media = { 0 } };
	trace = trace_must(&l->m, t);
	assert_int_equal(an_selection_make(&l->sel, &all, trace, &l->m.err), 0);
	assert_int_equal(an_media_look(&l->media, trace, &l->sel, pid,
				       &l->m.err), 0);
}

static void end(struct looked *l)
{
	an_media_fini(&l->media);
	an_selection_fini(&l->sel);
	trace_fini(&l->m);
}

/* Of 10 s; the time of the last sample or reading ends it. */
static void check(const struct tb_trace *t, int32_t pid,
		  enum an_media_answer answer, double engine, double cpu,
		  double codec)
{
	struct looked l;

	look(&l, t, pid);
	assert_int_equal(l.media.answer, answer);
	assert_true(l.media.engine > engine - 1e-6 &&
		    l.media.engine < engine + 1e-6);
	assert_true(l.media.cpu > cpu - 1e-3 && l.media.cpu < cpu + 1e-3);
	assert_true(l.media.codec > codec - 1e-3 &&
		    l.media.codec < codec + 1e-3);
	end(&l);
}

static void each_truth_is_told(void **state)
{
	const struct tb_trace *t = &findingtrace_media;

	(void)state;
	check(t, FT_HARDWARE, AN_MEDIA_HARDWARE, 0.3, 0.01, 0);
	check(t, FT_SOFTWARE, AN_MEDIA_SOFTWARE, 0, 0.4, 0.2);
	check(t, FT_OTHER, AN_MEDIA_SOFTWARE, 0, 0.6, 0);
	check(t, FT_MIXED, AN_MEDIA_MIXED, 0.1, 0.1, 0.1);
	check(t, FT_IDLE, AN_MEDIA_IDLE, 0, 0, 0);
	check(t, FT_ABSENT, AN_MEDIA_UNKNOWN, 0, 0, 0);
	check(t, FT_LITTLE, AN_MEDIA_UNKNOWN, 0, 0.1, 0);
	check(t, FT_SCALES, AN_MEDIA_SOFTWARE, 0, 0.2, 0.2);
}

/* 40 % of the time vcs0 was busy, 30 and 10 % for two of the clients. */
static void hardware_of_another_process_is_told_apart(void **state)
{
	struct looked l;

	(void)state;
	look(&l, &findingtrace_media, FT_SOFTWARE);
	assert_true(l.media.others);
	assert_false(l.media.client);
	assert_false(l.media.likely);
	assert_true(l.media.elsewhere > 0.4 - 1e-6 &&
		    l.media.elsewhere < 0.4 + 1e-6);
	end(&l);
	look(&l, &findingtrace_media, FT_OTHER);
	assert_true(l.media.others);
	assert_true(l.media.client);
	assert_true(l.media.likely);
	end(&l);
	look(&l, &findingtrace_media, FT_HARDWARE);
	assert_false(l.media.others);
	end(&l);
}

static void without_readings_only_code_tells(void **state)
{
	struct looked l;

	(void)state;
	look(&l, &findingtrace_samples, FT_SOFTWARE);
	assert_int_equal(l.media.answer, AN_MEDIA_SOFTWARE);
	assert_true(l.media.likely);
	assert_int_equal(l.media.n_missing, 1);
	end(&l);
	look(&l, &findingtrace_samples, FT_OTHER);
	assert_int_equal(l.media.answer, AN_MEDIA_UNKNOWN);
	assert_int_equal(l.media.n_missing, 1);
	assert_non_null(strstr(l.media.missing[0], "engines"));
	end(&l);
}

/* -- By figures alone ------------------------------------------------------- */

static enum an_media_answer judge(double engine, double cpu, double codec)
{
	struct an_media m = { .comm = "x", .engines_known = true,
			      .cpu_by = AN_MEDIA_CPU_SAMPLES, .engine = engine,
			      .cpu = cpu, .codec = codec };

	an_media_judge(&m);
	return m.answer;
}

static void limits_are_where_they_are_said_to_be(void **state)
{
	(void)state;
	assert_int_equal(judge(0.01, 0, 0), AN_MEDIA_HARDWARE);
	assert_int_equal(judge(0.0099, 0, 0), AN_MEDIA_IDLE);
	assert_int_equal(judge(0, 0.2, 0.05), AN_MEDIA_SOFTWARE);
	assert_int_equal(judge(0, 0.2, 0.0499), AN_MEDIA_UNKNOWN);
	assert_int_equal(judge(0, 0.5, 0), AN_MEDIA_SOFTWARE);
	assert_int_equal(judge(0, 0.4999, 0), AN_MEDIA_UNKNOWN);
	assert_int_equal(judge(0, 0.0099, 0), AN_MEDIA_IDLE);
	assert_int_equal(judge(0, 0.01, 0), AN_MEDIA_UNKNOWN);
	assert_int_equal(judge(0.01, 0.05, 0.05), AN_MEDIA_MIXED);
	assert_int_equal(judge(0.01, 0.9, 0.0499), AN_MEDIA_HARDWARE);
}

static void what_is_missing_is_named(void **state)
{
	struct an_media m = { .comm = NULL };

	(void)state;
	an_media_judge(&m);
	assert_int_equal(m.answer, AN_MEDIA_UNKNOWN);
	assert_int_equal(m.n_missing, 1);
	m = (struct an_media){ .comm = "x" };
	an_media_judge(&m);
	assert_int_equal(m.answer, AN_MEDIA_UNKNOWN);
	assert_int_equal(m.n_missing, 2);
	m = (struct an_media){ .comm = "x", .engines_known = true, .cpu = 0.9,
			       .cpu_by = AN_MEDIA_CPU_CLOCK };
	an_media_judge(&m);
	assert_int_equal(m.answer, AN_MEDIA_SOFTWARE);
	assert_true(m.likely);
	assert_int_equal(m.n_missing, 1);
}

static void engines_are_known_by_their_names(void **state)
{
	(void)state;
	assert_int_equal(an_media_role_of("video"), AN_MEDIA_CODES);
	assert_int_equal(an_media_role_of("vcs0"), AN_MEDIA_CODES);
	assert_int_equal(an_media_role_of("vcs"), AN_MEDIA_CODES);
	assert_int_equal(an_media_role_of("dec"), AN_MEDIA_CODES);
	assert_int_equal(an_media_role_of("enc_1"), AN_MEDIA_CODES);
	assert_int_equal(an_media_role_of("decoder"), AN_MEDIA_CODES);
	assert_int_equal(an_media_role_of("vecs0"), AN_MEDIA_PROCESSES);
	assert_int_equal(an_media_role_of("video-enhance"),
			 AN_MEDIA_PROCESSES);
	assert_int_equal(an_media_role_of("render"), AN_MEDIA_OTHER);
	assert_int_equal(an_media_role_of("rcs0"), AN_MEDIA_OTHER);
	assert_int_equal(an_media_role_of("gpu"), AN_MEDIA_BLIND);
	assert_int_equal(an_media_role_of("0"), AN_MEDIA_OTHER);
	assert_int_equal(an_media_role_of(""), AN_MEDIA_OTHER);
	assert_true(an_media_is_codec("libx264.so.164"));
	assert_true(an_media_is_codec("libdav1d.so.6"));
	assert_false(an_media_is_codec("libc.so.6"));
	assert_false(an_media_is_codec(""));
}

static void running_out_of_memory_is_reported(void **state)
{
	static const struct an_selection_args all;

	(void)state;
	for (long n = 1; n < 100000; n++) {
		struct trace_in_memory m;
		struct an_trace *t = trace_must(&m, &findingtrace_media);
		struct an_selection sel;
		struct an_media media = { 0 };
		char *text = NULL;
		size_t size = 0;
		FILE *to = open_memstream(&text, &size);
		bool hit;
		int rc;

		assert_non_null(to);
		assert_int_equal(an_selection_make(&sel, &all, t, &m.err), 0);
		failalloc_at(n);
		rc = an_media_look(&media, t, &sel, FT_SOFTWARE, &m.err);
		if (!rc)
			rc = an_media_show(&media, AN_FORMAT_CSV, to, &m.err);
		hit = failalloc_hit();
		failalloc_off();
		assert_true(rc == 0 || rc == ERR_NOMEM);
		an_media_fini(&media);
		an_selection_fini(&sel);
		trace_fini(&m);
		fclose(to);
		free(text);
		if (!hit)
			return;
	}
	fail();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_truth_is_told),
		cmocka_unit_test(hardware_of_another_process_is_told_apart),
		cmocka_unit_test(without_readings_only_code_tells),
		cmocka_unit_test(limits_are_where_they_are_said_to_be),
		cmocka_unit_test(what_is_missing_is_named),
		cmocka_unit_test(engines_are_known_by_their_names),
		cmocka_unit_test(running_out_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
