#include "record/counter/fdinfo/clients.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/counter/source.h"
#include "tests/support/drmtree.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A machine with GPUs, and what is read of it. */
struct machine {
	struct filetree tree;
	struct rec_readings to;
	struct rec_drm_clients c;
	struct err err;
};

static int set_up(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	filetree_init(&m->tree);
	filetree_text(&m->tree, "/proc/uptime", "1 1\n");
	filetree_text(&m->tree, "/dev/dri/card0", "");
	assert_int_equal(rec_readings_init(&m->to, &m->err), 0);
	assert_int_equal(rec_drm_clients_open(&m->c, m->tree.root, &m->to,
					      &m->err), 0);
	*state = m;
	return 0;
}

static int tear_down(void **state)
{
	struct machine *m = *state;

	rec_drm_clients_close(&m->c);
	rec_readings_fini(&m->to);
	filetree_fini(&m->tree);
	free(m);
	return 0;
}

static const char *text(uint64_t client, const char *engine, uint64_t ns)
{
	static char to[256];

	snprintf(to, sizeof(to), "pos:\t0\ndrm-driver:\ti915\n"
		 "drm-client-id:\t%llu\ndrm-pdev:\t0000:00:02.0\n"
		 "drm-engine-%s:\t%llu ns\n", (unsigned long long)client,
		 engine, (unsigned long long)ns);
	return to;
}

static void holds(struct machine *m, int pid, int fd, const char *what)
{
	drmtree_file(&m->tree, pid, fd, "renderD128", what);
}

static void see(struct machine *m, int pid, int fd)
{
	rec_drm_clients_see(&m->c, pid, fd, "renderD128");
}

/* The n-th row of a series; NULL: it has fewer. */
static const struct rec_reading *row(const struct machine *m, uint32_t series,
				     size_t n)
{
	for (size_t i = 0; i < m->to.n; i++)
		if (m->to.rows[i].series == series && !n--)
			return &m->to.rows[i].r;
	return NULL;
}

static uint32_t find(const struct machine *m, const char *name,
		     const char *part, uint64_t client)
{
	for (size_t i = 0; i < m->to.n_series; i++)
		if (!strcmp(m->to.series[i].name, name) &&
		    !strcmp(m->to.series[i].part, part) &&
		    m->to.series[i].client == client)
			return (uint32_t)i;
	return UINT32_MAX;
}

static void one_file_of_many_processes_is_one_client_of_the_first(void **state)
{
	struct machine *m = *state;
	const struct rec_series *s;

	for (int pid = 10; pid < 14; pid++)
		for (int fd = 3; fd < 6; fd++)
			holds(m, pid, fd, text(17, "render", 500));
	drmtree_comm(&m->tree, 10, "compositor");
	for (int pid = 10; pid < 14; pid++)
		for (int fd = 3; fd < 6; fd++)
			see(m, pid, fd);
	rec_drm_clients_read(&m->c);
	assert_int_equal(m->to.n_series, 1);
	assert_int_equal(m->to.n, 1);
	s = &m->to.series[0];
	assert_string_equal(s->name, "drm-engine");
	assert_string_equal(s->part, "render");
	assert_string_equal(s->unit, "ns");
	assert_string_equal(s->device, "0000:00:02.0");
	assert_string_equal(s->label, "compositor");
	assert_int_equal(s->pid, 10);
	assert_int_equal(s->client, 17);
	assert_int_equal(s->kind, TF_SERIES_COUNT);
	assert_int_equal(s->source, TF_SERIES_FDINFO);
	assert_int_equal(row(m, 0, 0)->value, 500);
	assert_int_equal(row(m, 0, 0)->state, TF_COUNTER_READ);
}

/* 30 ms of 100 and, of two engines, 150 of 100. */
static void readings_are_what_the_file_says_at_that_moment(void **state)
{
	struct machine *m = *state;
	uint32_t s;

	holds(m, 10, 3, text(17, "render", 1000000));
	see(m, 10, 3);
	rec_drm_clients_read(&m->c);
	holds(m, 10, 3, text(17, "render", 31000000));
	rec_drm_clients_read(&m->c);
	/* Passed on as it is, even where it steps back. */
	holds(m, 10, 3, text(17, "render", 30999999));
	rec_drm_clients_read(&m->c);
	s = find(m, "drm-engine", "render", 17);
	assert_int_equal(row(m, s, 0)->value, 1000000);
	assert_int_equal(row(m, s, 1)->value, 31000000);
	assert_int_equal(row(m, s, 2)->value, 30999999);
	assert_true(row(m, s, 0)->time_ns < row(m, s, 1)->time_ns);
	assert_null(row(m, s, 3));
}

static void a_driver_of_cycles_has_both_counts_and_capacities(void **state)
{
	struct machine *m = *state;
	uint32_t all;

	holds(m, 10, 3, drmtree_xe(4));
	see(m, 10, 3);
	rec_drm_clients_read(&m->c);
	all = find(m, "drm-total-cycles", "ccs", 4);
	assert_int_equal(row(m, all, 0)->value, 7655183225);
	assert_int_equal(m->to.series[all].capacity, 4);
	assert_int_equal(m->to.series[find(m, "drm-cycles", "ccs", 4)].capacity,
			 4);
	assert_int_equal(m->to.series[find(m, "drm-cycles", "rcs", 4)].capacity,
			 1);
	assert_int_equal(find(m, "drm-engine", "rcs", 4), UINT32_MAX);
	all = find(m, "drm-memory-resident", "vram0", 4);
	assert_int_equal(row(m, all, 0)->value, 24567808);
	assert_int_equal(m->to.series[all].kind, TF_SERIES_LEVEL);
	assert_string_equal(m->to.series[all].unit, "bytes");
	/* 17 of memory, 5 engines of two counts. */
	assert_int_equal(m->to.n_series, 27);
}

static void when_the_first_ends_its_series_go_on_with_another(void **state)
{
	struct machine *m = *state;

	holds(m, 10, 3, text(17, "render", 1));
	holds(m, 20, 9, text(17, "render", 1));
	see(m, 10, 3);
	see(m, 20, 9);
	rec_drm_clients_read(&m->c);
	drmtree_end(&m->tree, 10);
	holds(m, 20, 9, text(17, "render", 5));
	rec_drm_clients_read(&m->c);
	rec_drm_clients_settle(&m->c);
	assert_int_equal(m->to.n_series, 1);
	assert_int_equal(m->to.series[0].pid, 10);
	assert_int_equal(row(m, 0, 1)->value, 5);
	assert_null(row(m, 0, 2));
}

static uint64_t clock_now(void)
{
	return time_now_ns(CLOCK_MONOTONIC);
}

static void a_client_that_nobody_has_any_more_is_gone(void **state)
{
	struct machine *m = *state;
	uint64_t before, noticed;

	holds(m, 10, 3, text(17, "render", 1));
	see(m, 10, 3);
	rec_drm_clients_read(&m->c);
	before = clock_now();
	drmtree_end(&m->tree, 10);
	rec_drm_clients_read(&m->c);
	assert_null(row(m, 0, 1));
	noticed = m->c.items[0].lost_ns;
	assert_true(noticed >= before && noticed <= clock_now());
	/* It ended then, however late that is said. */
	rec_drm_clients_read(&m->c);
	rec_drm_clients_settle(&m->c);
	assert_int_equal(row(m, 0, 1)->state, TF_COUNTER_GONE);
	assert_true(row(m, 0, 1)->time_ns == noticed);
	rec_drm_clients_read(&m->c);
	rec_drm_clients_settle(&m->c);
	assert_null(row(m, 0, 2));
	assert_int_equal(m->c.n, 0);
	assert_int_equal(m->c.n_files, 0);
}

static void who_inherited_a_file_is_found_before_it_is_gone(void **state)
{
	struct machine *m = *state;

	holds(m, 10, 3, text(17, "render", 1));
	see(m, 10, 3);
	rec_drm_clients_read(&m->c);
	drmtree_end(&m->tree, 10);
	rec_drm_clients_read(&m->c);
	holds(m, 30, 3, text(17, "render", 4));
	see(m, 30, 3);
	rec_drm_clients_read(&m->c);
	rec_drm_clients_settle(&m->c);
	assert_int_equal(m->to.n_series, 1);
	assert_int_equal(row(m, 0, 1)->value, 4);
	assert_null(row(m, 0, 2));
}

static void another_file_under_the_same_number_is_another_client(void **state)
{
	struct machine *m = *state;

	holds(m, 10, 3, text(17, "render", 1));
	see(m, 10, 3);
	rec_drm_clients_read(&m->c);
	holds(m, 10, 3, text(18, "render", 900));
	rec_drm_clients_read(&m->c);
	see(m, 10, 3);
	rec_drm_clients_read(&m->c);
	rec_drm_clients_settle(&m->c);
	assert_int_equal(row(m, find(m, "drm-engine", "render", 17), 1)->state,
			 TF_COUNTER_GONE);
	assert_int_equal(row(m, find(m, "drm-engine", "render", 18), 0)->value,
			 900);
}

/* It need not have been read in between. */
static void another_file_under_a_number_is_seen_at_once(void **state)
{
	struct machine *m = *state;

	holds(m, 10, 3, text(17, "render", 1));
	see(m, 10, 3);
	rec_drm_clients_read(&m->c);
	holds(m, 10, 3, text(18, "render", 900));
	see(m, 10, 3);
	rec_drm_clients_read(&m->c);
	assert_null(row(m, find(m, "drm-engine", "render", 17), 1));
	assert_int_equal(row(m, find(m, "drm-engine", "render", 18), 0)->value,
			 900);
	see(m, 10, 3);
	assert_int_equal(m->c.n, 2);
}

static void an_engine_that_is_told_later_began_with_0(void **state)
{
	struct machine *m = *state;
	const struct rec_reading *first;
	uint32_t s;

	holds(m, 10, 3, text(17, "gfx", 1));
	see(m, 10, 3);
	rec_drm_clients_read(&m->c);
	first = row(m, 0, 0);
	holds(m, 10, 3, "drm-driver: amdgpu\ndrm-client-id: 17\n"
			"drm-pdev: 0000:00:02.0\ndrm-engine-gfx: 1 ns\n"
			"drm-engine-dec: 250 ns\ndrm-memory-vram: 4 KiB\n");
	rec_drm_clients_read(&m->c);
	s = find(m, "drm-engine", "dec", 17);
	first = row(m, 0, 0);
	assert_int_equal(row(m, s, 0)->value, 0);
	assert_true(row(m, s, 0)->time_ns == first->time_ns);
	assert_int_equal(row(m, s, 1)->value, 250);
	/* A level has no such past. */
	s = find(m, "drm-memory-resident", "vram", 17);
	assert_int_equal(row(m, s, 0)->value, 4096);
}

static void what_a_new_client_used_it_used_since_it_was_not_there(void **state)
{
	struct machine *m = *state;
	uint32_t s;

	holds(m, 10, 3, text(17, "render", 100));
	see(m, 10, 3);
	m->c.watched_ns = 777;
	holds(m, 11, 3, text(18, "render", 200));
	see(m, 11, 3);
	/* An older file that was handed on, or could not be seen before. */
	holds(m, 12, 3, text(16, "render", 300));
	see(m, 12, 3);
	holds(m, 13, 3, drmtree_xe(1));
	see(m, 13, 3);
	rec_drm_clients_read(&m->c);
	s = find(m, "drm-engine", "render", 17);
	assert_int_equal(row(m, s, 0)->value, 100);
	s = find(m, "drm-engine", "render", 18);
	assert_int_equal(row(m, s, 0)->value, 0);
	assert_int_equal(row(m, s, 0)->time_ns, 777);
	assert_int_equal(row(m, s, 1)->value, 200);
	s = find(m, "drm-engine", "render", 16);
	assert_int_equal(row(m, s, 0)->value, 300);
	/* The engine's count of all is not known of then. */
	s = find(m, "drm-total-cycles", "rcs", 1);
	assert_int_equal(row(m, s, 0)->value, 7655183225);
	s = find(m, "drm-cycles", "rcs", 1);
	assert_int_equal(row(m, s, 0)->value, 28257900);
}

static void clients_of_two_devices_have_the_same_numbers(void **state)
{
	struct machine *m = *state;

	holds(m, 10, 3, text(4, "render", 1));
	holds(m, 10, 4, drmtree_xe(4));
	see(m, 10, 3);
	see(m, 10, 4);
	assert_int_equal(m->c.n, 2);
}

/* Both nodes of a GPU that is no PCI device are of one device in sysfs. */
static void without_pci_the_device_is_the_one_in_sysfs(void **state)
{
	static const char msm[] = "drm-driver: msm\ndrm-client-id: 2\n"
				  "drm-cycles-gpu: 7\n"
				  "drm-maxfreq-gpu: 600 MHz\n";
	struct machine *m = *state;
	uint32_t s;

	drmtree_link(&m->tree, "/sys/class/drm/renderD128/device",
		     "../../../3d00000.gpu");
	drmtree_link(&m->tree, "/sys/class/drm/card0/device",
		     "../../../3d00000.gpu");
	holds(m, 10, 3, msm);
	drmtree_file(&m->tree, 11, 5, "card0", msm);
	drmtree_file(&m->tree, 12, 5, "card7", msm);
	see(m, 10, 3);
	rec_drm_clients_see(&m->c, 11, 5, "card0");
	assert_int_equal(m->c.n, 1);
	rec_drm_clients_see(&m->c, 12, 5, "card7");
	assert_int_equal(m->c.n, 2);
	m->c.watched_ns = 5;
	rec_drm_clients_read(&m->c);
	s = find(m, "drm-cycles", "gpu", 2);
	assert_string_equal(m->to.series[s].device, "3d00000.gpu");
	assert_string_equal(m->to.series[s + 2].device, "card7");
	s = find(m, "drm-maxfreq", "gpu", 2);
	assert_int_equal(row(m, s, 0)->value, 600000000);
	assert_string_equal(m->to.series[s].unit, "Hz");
}

static void a_client_is_called_as_its_process_and_by_its_own_name(void **state)
{
	struct machine *m = *state;

	holds(m, 10, 3, "drm-client-id: 1\ndrm-client-name: tab 5\n"
			"drm-engine-render: 1 ns\n");
	drmtree_comm(&m->tree, 10, "chrome");
	see(m, 10, 3);
	rec_drm_clients_read(&m->c);
	assert_string_equal(m->to.series[0].label, "chrome: tab 5");
}

static void drivers_that_tell_nothing_are_said_once(void **state)
{
	static const char virtio[] = "drm-driver:\tvirtio_gpu\n"
				     "drm-client-id:\t3\n"
				     "drm-pdev:\t0000:00:01.0\n";
	struct machine *m = *state;

	holds(m, 10, 3, virtio);
	holds(m, 11, 3, virtio);
	holds(m, 12, 3, "pos: 0\nflags: 0\n");
	for (int pid = 10; pid < 13; pid++)
		see(m, pid, 3);
	see(m, 99, 3); /* it ended meanwhile */
	assert_int_equal(m->c.n, 0);
	assert_int_equal(m->c.n_files, 0);
	assert_int_equal(m->to.n_missing, 2);
	assert_string_equal(m->to.missing[0].name, "fdinfo/virtio_gpu");
	assert_string_equal(m->to.missing[1].name, "fdinfo/renderD128");
}

static void values_that_make_no_sense_are_said(void **state)
{
	struct machine *m = *state;

	holds(m, 10, 3, "drm-driver: xe\ndrm-client-id: 1\n"
			"drm-engine-render: 1 ns\ndrm-engine-copy: -1 ns\n");
	see(m, 10, 3);
	rec_drm_clients_read(&m->c);
	assert_int_equal(m->to.n_missing, 1);
	assert_string_equal(m->to.missing[0].name, "fdinfo/xe");
}

static void a_text_without_end_is_not_read(void **state)
{
	struct machine *m = *state;
	char *long_text = malloc(1 << 20);

	assert_non_null(long_text);
	memset(long_text, '\n', 1 << 20);
	memcpy(long_text, text(17, "render", 1), strlen(text(17, "render", 1)));
	filetree_bytes(&m->tree, "/proc/10/fdinfo/3", long_text, 1 << 20);
	see(m, 10, 3);
	assert_int_equal(m->c.n, 0);
	free(long_text);
}

static void the_source_opens_reads_and_ends(void **state)
{
	const struct rec_counter_source *src = &rec_counter_fdinfo;
	struct machine *m = *state;
	struct rec_counter_opening how = { .root = m->tree.root };
	void *fdinfo = NULL;

	filetree_remove(&m->tree, "/dev");
	assert_int_equal(src->open(&fdinfo, &how, &m->to, &m->err), 1);
	assert_non_null(strstr(m->err.text, "there is no DRM device"));
	holds(m, 20, 4, text(7, "render", 1));
	assert_int_equal(src->open(&fdinfo, &how, &m->to, &m->err), 0);
	src->read(fdinfo, &m->to);
	assert_int_equal(m->to.n, 1);
	drmtree_end(&m->tree, 20);
	holds(m, 21, 5, text(8, "render", 3));
	usleep(1050000);
	src->read(fdinfo, &m->to);
	assert_int_equal(row(m, find(m, "drm-engine", "render", 7), 1)->state,
			 TF_COUNTER_GONE);
	/* It was not there when the source was opened. */
	assert_int_equal(row(m, find(m, "drm-engine", "render", 8), 0)->value,
			 0);
	assert_int_equal(row(m, find(m, "drm-engine", "render", 8), 1)->value,
			 3);
	src->close(fdinfo);
}

static void running_out_of_memory_ends_nothing(void **state)
{
	const struct rec_counter_source *src = &rec_counter_fdinfo;
	struct machine *m = *state;
	struct rec_counter_opening how = { .root = m->tree.root };

	holds(m, 20, 4, text(7, "render", 1));
	holds(m, 21, 4, drmtree_xe(8));
	for (long n = 1;; n++) {
		struct rec_readings to = { .n = 0 };
		void *fdinfo = NULL;
		int rc;

		assert_int_equal(rec_readings_init(&to, NULL), 0);
		failalloc_at(n);
		rc = src->open(&fdinfo, &how, &to, &m->err);
		if (!rc)
			src->read(fdinfo, &to);
		failalloc_off();
		if (rc)
			assert_int_equal(rc, ERR_NOMEM);
		else
			src->close(fdinfo);
		if (!failalloc_hit()) {
			assert_int_equal(to.n_series, 28);
			rec_readings_fini(&to);
			break;
		}
		rec_readings_fini(&to);
	}
}

int main(void)
{
#define ROW(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		ROW(one_file_of_many_processes_is_one_client_of_the_first),
		ROW(readings_are_what_the_file_says_at_that_moment),
		ROW(a_driver_of_cycles_has_both_counts_and_capacities),
		ROW(when_the_first_ends_its_series_go_on_with_another),
		ROW(a_client_that_nobody_has_any_more_is_gone),
		ROW(who_inherited_a_file_is_found_before_it_is_gone),
		ROW(another_file_under_the_same_number_is_another_client),
		ROW(another_file_under_a_number_is_seen_at_once),
		ROW(an_engine_that_is_told_later_began_with_0),
		ROW(what_a_new_client_used_it_used_since_it_was_not_there),
		ROW(clients_of_two_devices_have_the_same_numbers),
		ROW(without_pci_the_device_is_the_one_in_sysfs),
		ROW(a_client_is_called_as_its_process_and_by_its_own_name),
		ROW(drivers_that_tell_nothing_are_said_once),
		ROW(values_that_make_no_sense_are_said),
		ROW(a_text_without_end_is_not_read),
		ROW(the_source_opens_reads_and_ends),
		ROW(running_out_of_memory_ends_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
