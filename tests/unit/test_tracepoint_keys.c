#include "format/base/mem.h"
#include "format/catalog.h"
#include "record/tracepoint/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define MOST 32

/* The columns of a tracepoint with these fields. */
struct fixture {
	struct tf_column columns[MOST];
	size_t n;
};

static void setup(struct fixture *f, const char *const *fields)
{
	const struct tf_table *t = tf_catalog_table(TF_TABLE_SAMPLE);

	memset(f, 0, sizeof(*f));
	for (; f->n < t->n_columns; f->n++)
		f->columns[f->n] = t->columns[f->n];
	for (uint32_t id = TF_PAYLOAD_FLAGS; id <= TF_PAYLOAD_PREEMPT; id++)
		f->columns[f->n++] = (struct tf_column){
			.id = id, .name = "common_", .type = TF_U64,
		};
	for (uint32_t i = 0; fields[i]; i++)
		f->columns[f->n++] = (struct tf_column){
			.id = TF_PAYLOAD_FIRST + i, .name = fields[i],
			.type = TF_U64,
		};
}

static const struct tf_column *column(const struct fixture *f,
				      const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->columns[i].name, name) == 0)
			return &f->columns[i];
	fail_msg("no column '%s'", name);
	return NULL;
}

/* "" for none. */
static const char *name_of(const struct fixture *f, uint32_t id_and_one)
{
	for (size_t i = 0; id_and_one && i < f->n; i++)
		if (f->columns[i].id == id_and_one - 1)
			return f->columns[i].name;
	return "";
}

static void is(const struct fixture *f, const char *name, const char *key,
	       const char *second, const char *link)
{
	const struct tf_column *c = column(f, name);

	assert_string_equal(name_of(f, c->key), key);
	assert_string_equal(name_of(f, c->second), second);
	assert_string_equal(name_of(f, c->link), link);
}

static void a_switch_is_told_by_the_one_before(void **state)
{
	static const char *const fields[] = {
		"prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm",
		"next_pid", "next_prio", NULL
	};
	struct fixture f;

	(void)state;
	setup(&f, fields);
	rec_tracepoint_keys(f.columns, f.n, "sched", "sched_switch");
	is(&f, "time", "cpu", "", "");
	is(&f, "thread", "cpu", "", "next_pid");
	is(&f, "prev_pid", "cpu", "", "next_pid");
	is(&f, "prev_comm", "cpu", "", "next_comm");
	is(&f, "prev_prio", "cpu", "", "next_prio");
	is(&f, "next_pid", "", "", "");
	assert_int_equal(column(&f, "next_pid")->role, TF_ROLE_ID);
	/* What is told itself tells nothing. */
	for (size_t i = 0; i < f.n; i++)
		assert_string_not_equal(name_of(&f, f.columns[i].key),
					"thread");
}

/* A vblank's own time is a field of the same name. */
static void the_time_of_a_row_stays_what_it_is(void **state)
{
	static const char *const fields[] = { "crtc", "seq", "time", NULL };
	struct fixture f;

	(void)state;
	setup(&f, fields);
	rec_tracepoint_keys(f.columns, f.n, "drm", "drm_vblank_event");
	assert_int_equal(column(&f, "time")->id, TF_SAMPLE_TIME);
	assert_int_equal(column(&f, "time")->role, TF_ROLE_TIME);
	is(&f, "time", "cpu", "", "");
	assert_int_equal(f.columns[f.n - 1].role, TF_ROLE_SERIAL);
	assert_string_equal(name_of(&f, f.columns[f.n - 1].key), "crtc");
}

static void arguments_are_told_by_thread_and_call(void **state)
{
	static const char *const fields[] = { "id", "args[0]", "args[5]", NULL };
	struct fixture f;

	(void)state;
	setup(&f, fields);
	rec_tracepoint_keys(f.columns, f.n, "raw_syscalls", "sys_enter");
	is(&f, "id", "", "", "");
	is(&f, "args[0]", "thread", "id", "");
	is(&f, "args[5]", "thread", "id", "");
	is(&f, "thread", "", "", "");
}

static void names_tell_what_belongs_together(void **state)
{
	static const char *const fields[] = {
		"comm", "pid", "prio", "child_comm", "child_pid", "old_comm",
		"flags", NULL
	};
	struct fixture f;

	(void)state;
	setup(&f, fields);
	rec_tracepoint_keys(f.columns, f.n, "some", "thing");
	is(&f, "comm", "pid", "", "");
	is(&f, "prio", "pid", "", "");
	is(&f, "pid", "", "", "");
	is(&f, "child_comm", "child_pid", "", "");
	is(&f, "old_comm", "thread", "", "");
	assert_int_equal(column(&f, "child_pid")->role, TF_ROLE_ID);
}

static void fields_that_are_missing_leave_the_rest_as_it_is(void **state)
{
	static const char *const fields[] = { "prev_pid", "prev_comm", NULL };
	struct fixture f;

	(void)state;
	setup(&f, fields);
	rec_tracepoint_keys(f.columns, f.n, "sched", "sched_switch");
	is(&f, "prev_comm", "prev_pid", "", "");
	is(&f, "prev_pid", "", "", "");
}

/* A field may be called as a column of `sample` is, and lists tell nothing. */
static void odd_fields_do_no_harm(void **state)
{
	static const char *const fields[] = { "thread", "cpu", "pid", "pid",
					      "x_pid", "x_comm", NULL };
	struct fixture f;

	(void)state;
	setup(&f, fields);
	f.columns[f.n - 2].list = true;
	rec_tracepoint_keys(f.columns, f.n, "odd", "one");
	for (size_t i = 0; i < f.n; i++)
		assert_true(f.columns[i].key != f.columns[i].id + 1);
	is(&f, "x_comm", "thread", "", "");
	assert_int_equal(column(&f, "x_pid")->key, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_switch_is_told_by_the_one_before),
		cmocka_unit_test(the_time_of_a_row_stays_what_it_is),
		cmocka_unit_test(arguments_are_told_by_thread_and_call),
		cmocka_unit_test(names_tell_what_belongs_together),
		cmocka_unit_test(
			fields_that_are_missing_leave_the_rest_as_it_is),
		cmocka_unit_test(odd_fields_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
