/* What the tests of the importers of text have in common. */
#ifndef TESTS_SUPPORT_TEXT_CHECK_H
#define TESTS_SUPPORT_TEXT_CHECK_H

#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/text_intake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline struct span text(const char *s)
{
	return span_of(s, strlen(s));
}

/* What a text becomes, exactly; `rc` as the importer ends. */
static inline void check(const struct rec_importer *importer, const char *s, int rc,
		  const char *want)
{
	struct rec_intake in;
	struct err err = { 0 };

	assert_int_equal(text_intake_run(&in, importer, s, strlen(s), 0, &err),
			 rc);
	buf_u8(&in.log, 0);
	assert_string_equal((const char *)in.log.p, want);
	text_intake_fini(&in);
}

/* The log up to the last row but one: the last may have been cut. */
static inline size_t sound_part(const struct buf *log)
{
	size_t end = log->n, rows = 0;

	while (end) {
		size_t begin = end - 1;

		while (begin && log->p[begin - 1] != '\n')
			begin--;
		if (log->n - begin > 7 &&
		    memcmp(log->p + begin, "sample ", 7) == 0 && ++rows == 2)
			break;
		end = begin;
	}
	return end;
}

/* Of each prefix all but the last row is as it was in the whole text. */
static inline void check_prefixes(const struct rec_importer *importer,
				  const char *s, const char *log)
{
	for (size_t n = 0; n <= strlen(s); n++) {
		char *copy = malloc(n ? n : 1);
		struct rec_intake in;
		struct err err = { 0 };
		int rc;

		assert_non_null(copy);
		memcpy(copy, s, n);
		(void)importer->is(span_of(copy, n));
		rc = text_intake_run(&in, importer, copy, n, 0, &err);
		assert_true(rc == 0 || rc == 1 || rc == ERR_FORMAT);
		assert_true((rc < 0) == (in.n_samples == 0));
		assert_memory_equal(in.log.p ? (char *)in.log.p : "", log,
				    sound_part(&in.log));
		text_intake_fini(&in);
		free(copy);
	}
}

/* Each allocation that fails is reported. */
static inline void check_allocations(const struct rec_importer *importer,
				     const char *s)
{
	bool hit = true;

	for (long n = 1; hit; n++) {
		struct rec_intake in;
		struct err err = { 0 };
		int rc;

		failalloc_at(n);
		rc = text_intake_run(&in, importer, s, strlen(s), 0, &err);
		hit = failalloc_hit();
		failalloc_off();
		assert_true(hit ? rc == ERR_NOMEM || buf_failed(&in.facts) :
				  rc == 0);
		assert_true(rc >= 0 || err.text[0] != '\0');
		text_intake_fini(&in);
	}
}

#endif
