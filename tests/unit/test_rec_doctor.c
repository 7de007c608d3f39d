#include "record/doctor/doctor.h"

#include "format/base/mem.h"
#include "record/command.h"
#include "tests/support/failalloc.h"
#include "tests/support/filetree.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PERFMON (1ull << 38)
#define SYS_ADMIN (1ull << 21)
#define SYS_PTRACE (1ull << 19)
#define SYSLOG (1ull << 34)

/* What a test varies; zeroed is a user without any capability at -1. */
struct user {
	int paranoid;
	uint64_t caps;
	uint64_t not_bound; /* left out of the bounding set */
	const char *release, *uid_map, *kallsyms;
	int kptr;
	bool tracefs;
};

static void write_user(const struct filetree *t, const struct user *u)
{
	char text[512];

	snprintf(text, sizeof(text), "%d\n", u->paranoid);
	filetree_text(t, "/proc/sys/kernel/perf_event_paranoid", text);
	snprintf(text, sizeof(text), "%d\n", u->kptr);
	filetree_text(t, "/proc/sys/kernel/kptr_restrict", text);
	filetree_text(t, "/proc/sys/kernel/osrelease",
		      u->release ? u->release : "6.18.0\n");
	filetree_text(t, "/proc/self/uid_map",
		      u->uid_map ? u->uid_map : "0 0 4294967295\n");
	filetree_text(t, "/proc/kallsyms",
		      u->kallsyms ? u->kallsyms :
				    "0000000000000000 A percpu\n"
				    "0000000000000000 T _text\n");
	snprintf(text, sizeof(text),
		 "Uid:\t1000\t1000\t1000\t1000\nGid:\t7\t7\t7\t7\n"
		 "CapEff:\t%016llx\nCapBnd:\t%016llx\n",
		 (unsigned long long)u->caps,
		 (unsigned long long)~u->not_bound);
	filetree_text(t, "/proc/self/status", text);
	if (u->tracefs)
		filetree_text(t,
			      "/sys/kernel/tracing/events/sched/sched_switch/id",
			      "300\n");
}

struct visit {
	struct filetree tree;
	struct rec_machine m;
	struct rec_doctor d;
	struct rec_finding *found; /* by rec_abilities */
};

static void look_again(struct visit *v)
{
	arena_fini(&v->d.texts);
	assert_int_equal(rec_machine_read(&v->m, v->tree.root, NULL), 0);
	v->d = (struct rec_doctor){ .m = &v->m };
	memset(v->found, 0, rec_n_abilities * sizeof(*v->found));
	for (size_t i = 0; i < rec_n_abilities; i++)
		rec_abilities[i].examine(&v->d, &v->found[i]);
	assert_false(v->d.failed);
}

static void visit_init(struct visit *v, const struct user *u)
{
	memset(v, 0, sizeof(*v));
	filetree_init(&v->tree);
	write_user(&v->tree, u);
	v->found = calloc(rec_n_abilities, sizeof(*v->found));
	assert_non_null(v->found);
	look_again(v);
}

static void visit_fini(struct visit *v)
{
	filetree_fini(&v->tree);
	rec_doctor_fini(&v->d);
	free(v->found);
}

static const struct rec_finding *of(const struct visit *v, const char *id)
{
	for (size_t i = 0; i < rec_n_abilities; i++)
		if (!strcmp(rec_abilities[i].id, id))
			return &v->found[i];
	fail_msg("no ability '%s'", id);
	return NULL;
}

static bool mends(const struct rec_finding *f, const char *command)
{
	for (size_t i = 0; i < f->n_mends; i++)
		if (!strcmp(f->mends[i].command, command))
			return true;
	return false;
}

/* The kernel's documentation, admin-guide/sysctl/kernel.rst and
 * admin-guide/perf-security.rst; 3 and 4 as Debian and Ubuntu have them. */
static const struct {
	int paranoid;
	bool own_user, own_kernel, system, tracepoints;
} documented[] = {
	{ -1, true, true, true, true },
	{ 0, true, true, true, false },
	{ 1, true, true, false, false },
	{ 2, true, false, false, false },
	{ 3, false, false, false, false },
	{ 4, false, false, false, false },
};

static void each_level_opens_what_the_kernel_documents(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(documented); i++) {
		struct visit v;

		visit_init(&v, &(struct user){
			.paranoid = documented[i].paranoid, .tracefs = true });
		assert_int_equal(of(&v, "own-user")->verdict != REC_NO,
				 documented[i].own_user);
		assert_int_equal(of(&v, "own-kernel")->verdict != REC_NO,
				 documented[i].own_kernel);
		assert_int_equal(of(&v, "system")->verdict != REC_NO,
				 documented[i].system);
		assert_int_equal(of(&v, "tracepoints")->verdict != REC_NO,
				 documented[i].tracepoints);
		visit_fini(&v);
	}
}

static void cap_perfmon_opens_all_of_perf_at_any_level(void **state)
{
	static const char *const ids[] = { "own-user", "own-kernel", "system",
					   "tracepoints" };

	(void)state;
	for (int level = -1; level <= 4; level++) {
		struct visit v;

		visit_init(&v, &(struct user){ .paranoid = level,
					       .caps = PERFMON,
					       .tracefs = true });
		for (size_t i = 0; i < ARRAY_LEN(ids); i++)
			assert_int_not_equal(of(&v, ids[i])->verdict, REC_NO);
		visit_fini(&v);
	}
}

static void capabilities_of_a_user_namespace_do_not_count(void **state)
{
	struct visit v;

	(void)state;
	visit_init(&v, &(struct user){ .paranoid = 2, .caps = UINT64_MAX,
				       .uid_map = "0 1000 1\n" });
	assert_int_equal(of(&v, "own-user")->verdict, REC_YES);
	assert_int_equal(of(&v, "own-kernel")->verdict, REC_NO);
	assert_int_equal(of(&v, "system")->verdict, REC_NO);
	visit_fini(&v);
}

static void the_least_is_proposed_and_no_more(void **state)
{
	struct visit v;

	(void)state;
	visit_init(&v, &(struct user){ .paranoid = 3 });
	assert_string_equal(of(&v, "own-user")->mends[0].command,
			    "sysctl kernel.perf_event_paranoid=2");
	assert_true(mends(of(&v, "own-kernel"),
			  "sysctl kernel.perf_event_paranoid=1"));
	assert_true(mends(of(&v, "system"),
			  "sysctl kernel.perf_event_paranoid=0"));
	assert_true(mends(of(&v, "system"), "setcap cap_perfmon=ep rec"));
	visit_fini(&v);
}

/* Each sysctl that is proposed, done, makes a "yes" of its "no". */
static void what_is_proposed_mends(void **state)
{
	static const char set[] = "sysctl kernel.perf_event_paranoid=";
	struct user u = { .paranoid = 4, .tracefs = true };
	struct visit v;

	(void)state;
	for (size_t i = 0; i < rec_n_abilities; i++) {
		char command[64] = "";

		visit_init(&v, &u);
		for (size_t k = 0; k < v.found[i].n_mends; k++)
			if (!strncmp(v.found[i].mends[k].command, set,
				     sizeof(set) - 1))
				snprintf(command, sizeof(command), "%s",
					 v.found[i].mends[k].command);
		if (*command) {
			filetree_text(&v.tree,
				      "/proc/sys/kernel/perf_event_paranoid",
				      command + sizeof(set) - 1);
			look_again(&v);
			if (v.found[i].verdict == REC_NO)
				assert_string_equal(rec_abilities[i].id,
						    "hardware");
		}
		visit_fini(&v);
	}
}

static void before_5_8_cap_sys_admin_stands_for_cap_perfmon(void **state)
{
	struct visit v;

	(void)state;
	visit_init(&v, &(struct user){ .paranoid = 2,
				       .release = "5.7.19-amd64\n" });
	assert_true(mends(of(&v, "system"), "setcap cap_sys_admin=ep rec"));
	visit_fini(&v);
	visit_init(&v, &(struct user){ .paranoid = 2, .release = "5.8.0\n" });
	assert_true(mends(of(&v, "system"), "setcap cap_perfmon=ep rec"));
	visit_fini(&v);
}

static void setcap_keeps_what_the_program_has(void **state)
{
	struct visit v;

	(void)state;
	visit_init(&v, &(struct user){ .paranoid = 2, .caps = PERFMON });
	assert_true(mends(of(&v, "kernel-names"),
			  "setcap cap_perfmon,cap_syslog=ep rec"));
	visit_fini(&v);
}

static void a_path_is_quoted_for_the_shell(void **state)
{
	char exe[128];
	struct visit v;

	(void)state;
	visit_init(&v, &(struct user){ .paranoid = 2 });
	snprintf(exe, sizeof(exe), "%s/proc/self/exe", v.tree.root);
	assert_int_equal(symlink("/opt/it's here/rec", exe), 0);
	look_again(&v);
	assert_true(mends(of(&v, "system"),
			  "setcap cap_perfmon=ep '/opt/it'\\''s here/rec'"));
	visit_fini(&v);
}

static void what_a_container_lacks_is_given_from_outside(void **state)
{
	struct visit v;

	(void)state;
	visit_init(&v, &(struct user){ .paranoid = 2, .not_bound = PERFMON });
	assert_true(mends(of(&v, "system"),
			  "docker run --cap-add PERFMON …"));
	assert_false(mends(of(&v, "system"), "setcap cap_perfmon=ep rec"));
	visit_fini(&v);
}

static void the_first_function_tells_whether_names_are_shown(void **state)
{
	static const struct {
		const char *kallsyms;
		bool shown;
	} rows[] = {
		{ "0000000000000000 A percpu\nffffffff81000000 T _text\n",
		  true },
		{ "0000000000000000 A percpu\n0000000000000000 T _text\n"
		  "ffffffff81000000 T late\n", false },
		{ "", false },
		{ "no symbols at all", false },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct visit v;

		visit_init(&v, &(struct user){ .kallsyms = rows[i].kallsyms });
		assert_int_equal(of(&v, "kernel-names")->verdict == REC_YES,
				 rows[i].shown);
		visit_fini(&v);
	}
}

/* kallsyms_show_value() of the kernel: 0 goes by perf_event_paranoid, then as
 * 1; 1 by CAP_SYSLOG; 2 nobody. */
static void names_are_mended_as_kptr_restrict_wants_it(void **state)
{
	struct visit v;

	(void)state;
	visit_init(&v, &(struct user){ .paranoid = 2, .kptr = 0 });
	assert_true(mends(of(&v, "kernel-names"),
			  "setcap cap_syslog=ep rec"));
	assert_true(mends(of(&v, "kernel-names"),
			  "sysctl kernel.kptr_restrict=0 "
			  "kernel.perf_event_paranoid=1"));
	visit_fini(&v);
	visit_init(&v, &(struct user){ .paranoid = 1, .kptr = 1 });
	assert_true(mends(of(&v, "kernel-names"),
			  "sysctl kernel.kptr_restrict=0"));
	visit_fini(&v);
	visit_init(&v, &(struct user){ .caps = SYSLOG, .kptr = 2 });
	assert_int_equal(of(&v, "kernel-names")->n_mends, 1);
	assert_true(mends(of(&v, "kernel-names"),
			  "sysctl kernel.kptr_restrict=1"));
	visit_fini(&v);
}

static void tracefs_is_mounted_for_the_users_group(void **state)
{
	static const char mount[] = "mount -t tracefs -o mode=750,gid=7 nodev "
				    "/sys/kernel/tracing";
	struct visit v;

	(void)state;
	visit_init(&v, &(struct user){ .paranoid = -1 });
	assert_int_equal(of(&v, "tracepoints")->verdict, REC_NO);
	assert_int_equal(of(&v, "tracepoints")->n_mends, 0);
	filetree_text(&v.tree, "/sys/kernel/tracing/README", "");
	look_again(&v);
	assert_true(mends(of(&v, "tracepoints"), mount));
	visit_fini(&v);
}

static void other_users_programs_need_their_capabilities(void **state)
{
	static const struct {
		uint64_t caps;
		const char *release;
		enum rec_verdict verdict;
	} rows[] = {
		{ 0, "6.18.0\n", REC_NO },
		{ PERFMON, "6.18.0\n", REC_YES },
		{ PERFMON, "6.1.0\n", REC_PARTLY },
		{ PERFMON | SYS_PTRACE, "6.1.0\n", REC_YES },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct visit v;

		visit_init(&v, &(struct user){ .caps = rows[i].caps,
					       .release = rows[i].release });
		filetree_text(&v.tree, "/proc/1/status", "Uid:\t0 0 0 0\n");
		filetree_text(&v.tree, "/proc/1/cmdline", "init");
		look_again(&v);
		assert_int_equal(of(&v, "other-users")->verdict,
				 rows[i].verdict);
		visit_fini(&v);
	}
}

static void a_kernel_without_perf_events_is_said(void **state)
{
	struct visit v;

	(void)state;
	visit_init(&v, &(struct user){ .caps = UINT64_MAX });
	filetree_remove(&v.tree, "/proc/sys/kernel/perf_event_paranoid");
	look_again(&v);
	assert_int_equal(of(&v, "own-user")->verdict, REC_NO);
	assert_non_null(strstr(of(&v, "own-user")->why, "no perf events"));
	visit_fini(&v);
}

static void nothing_at_all_is_survived(void **state)
{
	struct rec_setting s;
	struct visit v;

	(void)state;
	visit_init(&v, &(struct user){ 0 });
	filetree_fini(&v.tree);
	look_again(&v);
	for (size_t i = 0; i < rec_n_settings; i++) {
		s = (struct rec_setting){ 0 };
		rec_settings[i].read(&v.d, &s);
		assert_non_null(s.value);
	}
	visit_fini(&v);
}

static int command(const char *root, FILE *out)
{
	char *argv[] = { (char *)"doctor", (char *)"-q", (char *)"--root",
			 (char *)root, NULL };

	return rec_command_run(rec_command_find("doctor"), 4, argv, argv,
			       out);
}

static void without_own_programs_the_status_is_1(void **state)
{
	FILE *out = fopen("/dev/null", "w");
	struct visit v;

	(void)state;
	assert_non_null(out);
	visit_init(&v, &(struct user){ .paranoid = 2 });
	assert_int_equal(command(v.tree.root, out), 0);
	visit_fini(&v);
	visit_init(&v, &(struct user){ .paranoid = 3 });
	assert_int_equal(command(v.tree.root, out), 1);
	visit_fini(&v);
	fclose(out);
}

static void every_failed_allocation_is_reported(void **state)
{
	FILE *out = fopen("/dev/null", "w");
	int refused = 0;
	struct visit v;

	(void)state;
	assert_non_null(out);
	setvbuf(out, NULL, _IONBF, 0);
	visit_init(&v, &(struct user){ .paranoid = 3 });
	for (long n = 1;; n++) {
		int status;

		failalloc_at(n);
		status = command(v.tree.root, out);
		if (!failalloc_hit())
			break;
		failalloc_off();
		/* A file that could not be read for want of memory counts as
		 * one that is not there. */
		assert_true(status == 125 || status == 1);
		refused += status == 125;
	}
	failalloc_off();
	assert_true(refused > 3);
	visit_fini(&v);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_level_opens_what_the_kernel_documents),
		cmocka_unit_test(cap_perfmon_opens_all_of_perf_at_any_level),
		cmocka_unit_test(
			capabilities_of_a_user_namespace_do_not_count),
		cmocka_unit_test(the_least_is_proposed_and_no_more),
		cmocka_unit_test(what_is_proposed_mends),
		cmocka_unit_test(
			before_5_8_cap_sys_admin_stands_for_cap_perfmon),
		cmocka_unit_test(setcap_keeps_what_the_program_has),
		cmocka_unit_test(a_path_is_quoted_for_the_shell),
		cmocka_unit_test(what_a_container_lacks_is_given_from_outside),
		cmocka_unit_test(
			the_first_function_tells_whether_names_are_shown),
		cmocka_unit_test(names_are_mended_as_kptr_restrict_wants_it),
		cmocka_unit_test(tracefs_is_mounted_for_the_users_group),
		cmocka_unit_test(other_users_programs_need_their_capabilities),
		cmocka_unit_test(a_kernel_without_perf_events_is_said),
		cmocka_unit_test(nothing_at_all_is_survived),
		cmocka_unit_test(without_own_programs_the_status_is_1),
		cmocka_unit_test(every_failed_allocation_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
