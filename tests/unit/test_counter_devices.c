#include "record/counter/source.h"

#include "format/base/mem.h"
#include "record/counter/device/file.h"
#include "record/counter/drm.h"
#include "tests/support/drmtree.h"
#include "tests/support/failalloc.h"
#include "tests/support/mutate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A tree of /sys, made by hand: nobody here has these GPUs. */
struct machine {
	struct filetree tree;
	struct rec_readings to;
	struct err err;
	void *devices;
};

static int set_up(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	filetree_init(&m->tree);
	assert_int_equal(rec_readings_init(&m->to, &m->err), 0);
	*state = m;
	return 0;
}

static int tear_down(void **state)
{
	struct machine *m = *state;

	if (m->devices)
		rec_counter_devices.close(m->devices);
	rec_readings_fini(&m->to);
	filetree_fini(&m->tree);
	free(m);
	return 0;
}

/* A card whose device is the folder /sys/devices/DEVICE. */
static void card(struct machine *m, const char *name, const char *device)
{
	char path[128], target[128];

	snprintf(path, sizeof(path), "/sys/class/drm/%s/device", name);
	snprintf(target, sizeof(target), "../../../devices/%s", device);
	drmtree_link(&m->tree, path, target);
	snprintf(path, sizeof(path), "/sys/devices/%s/uevent", device);
	filetree_text(&m->tree, path, "");
}

static void has(struct machine *m, const char *path, const char *text)
{
	char full[256];

	snprintf(full, sizeof(full), "/sys/%s", path);
	filetree_text(&m->tree, full, text);
}

static void open_it(struct machine *m)
{
	const struct rec_counter_opening how = { .root = m->tree.root };

	if (rec_counter_devices.open(&m->devices, &how, &m->to, &m->err))
		fail_msg("%s", m->err.text);
}

static void read_it(struct machine *m)
{
	rec_counter_devices.read(m->devices, &m->to);
}

static const struct rec_series *series(const struct machine *m,
				       const char *device, const char *name,
				       const char *part)
{
	for (size_t i = 0; i < m->to.n_series; i++)
		if (!strcmp(m->to.series[i].device, device) &&
		    !strcmp(m->to.series[i].name, name) &&
		    !strcmp(m->to.series[i].part, part))
			return &m->to.series[i];
	return NULL;
}

/* Its last row; NULL: it has none. */
static const struct rec_reading *last(const struct machine *m,
				      const struct rec_series *s)
{
	const struct rec_reading *r = NULL;

	for (size_t i = 0; i < m->to.n; i++)
		if (&m->to.series[m->to.rows[i].series] == s)
			r = &m->to.rows[i].r;
	return r;
}

static void tells(struct machine *m, const char *device, const char *name,
		  const char *part, const char *unit, double value)
{
	const struct rec_series *s = series(m, device, name, part);
	double got;

	if (!s || !last(m, s))
		fail_msg("no %s of %s", name, part);
	assert_string_equal(s->unit, unit);
	assert_int_equal(s->source, TF_SERIES_SYSFS);
	assert_int_equal(last(m, s)->state, TF_COUNTER_READ);
	got = (double)last(m, s)->value * s->scale;
	if (got < value - 1e-6 || got > value + 1e-6)
		fail_msg("%s of %s: %f, not %f", name, part, got, value);
}

#define AMD "0000:03:00.0"

static void amdgpu(struct machine *m)
{
	card(m, "card1", AMD);
	has(m, "devices/" AMD "/power/runtime_status", "active\n");
	has(m, "devices/" AMD "/gpu_busy_percent", "37\n");
	has(m, "devices/" AMD "/mem_busy_percent", "12\n");
	has(m, "devices/" AMD "/mem_info_vram_used", "4294967296\n");
	has(m, "devices/" AMD "/mem_info_vram_total", "17163091968\n");
	has(m, "devices/" AMD "/mem_info_gtt_used", "50331648\n");
	has(m, "devices/" AMD "/pp_dpm_sclk",
	    "0: 500Mhz \n1: 2124Mhz *\n2: 2581Mhz \n");
	has(m, "devices/" AMD "/pp_dpm_mclk", "0: 96Mhz *\n1: 1000Mhz\n");
	has(m, "devices/" AMD "/pp_dpm_pcie", "0: 8.0GT/s, x16 619Mhz *\n");
	has(m, "devices/" AMD "/hwmon/hwmon4/freq1_input", "2098000000\n");
	has(m, "devices/" AMD "/hwmon/hwmon4/freq1_label", "sclk\n");
	has(m, "devices/" AMD "/hwmon/hwmon4/temp1_input", "51000\n");
	has(m, "devices/" AMD "/hwmon/hwmon4/temp1_label", "edge\n");
	has(m, "devices/" AMD "/hwmon/hwmon4/temp2_input", "-4500\n");
	has(m, "devices/" AMD "/hwmon/hwmon4/power1_average", "212000000\n");
	has(m, "devices/" AMD "/hwmon/hwmon4/power1_label", "PPT\n");
	has(m, "devices/" AMD "/hwmon/hwmon4/in0_input", "981\n");
	has(m, "devices/" AMD "/hwmon/hwmon4/in0_label", "vddgfx\n");
	has(m, "devices/" AMD "/hwmon/hwmon4/fan1_input", "1733\n");
}

static void amdgpu_tells_load_memory_clocks_and_sensors(void **state)
{
	struct machine *m = *state;

	amdgpu(m);
	open_it(m);
	read_it(m);
	tells(m, AMD, "suspended", "", "", 0);
	tells(m, AMD, "utilization", "gpu", "%", 37);
	tells(m, AMD, "utilization", "memory", "%", 12);
	tells(m, AMD, "memory-used", "vram", "bytes", 4294967296.0);
	tells(m, AMD, "memory-total", "vram", "bytes", 17163091968.0);
	tells(m, AMD, "memory-used", "gtt", "bytes", 50331648);
	tells(m, AMD, "clock", "mclk", "MHz", 96);
	tells(m, AMD, "temperature", "edge", "C", 51);
	tells(m, AMD, "temperature", "temp2", "C", -4.5);
	tells(m, AMD, "power", "PPT", "W", 212);
	tells(m, AMD, "voltage", "vddgfx", "V", 0.981);
	tells(m, AMD, "fan", "fan1", "rpm", 1733);
	assert_int_equal(series(m, AMD, "power", "PPT")->kind, TF_SERIES_MEAN);
	assert_null(series(m, AMD, "clock", "pcie"));
	assert_string_equal(series(m, AMD, "fan", "fan1")->label,
			    "hwmon/hwmon4/fan1_input");
}

/* Of two files that tell the same the more exact one is read. */
static void a_clock_is_told_once(void **state)
{
	struct machine *m = *state;
	size_t n = 0;

	amdgpu(m);
	open_it(m);
	read_it(m);
	tells(m, AMD, "clock", "sclk", "MHz", 2098);
	for (size_t i = 0; i < m->to.n_series; i++)
		n += !strcmp(m->to.series[i].name, "clock") &&
		     !strcmp(m->to.series[i].part, "sclk");
	assert_int_equal(n, 1);
}

static void what_changes_is_read_anew(void **state)
{
	struct machine *m = *state;

	amdgpu(m);
	open_it(m);
	read_it(m);
	has(m, "devices/" AMD "/gpu_busy_percent", "99\n");
	has(m, "devices/" AMD "/pp_dpm_mclk", "0: 96Mhz\n1: 1000Mhz *\n");
	read_it(m);
	tells(m, AMD, "utilization", "gpu", "%", 99);
	tells(m, AMD, "clock", "mclk", "MHz", 1000);
}

/* Of v1_3: head, then temperatures from byte 4 and activity from 16 on. */
static void metrics_tell_what_no_file_tells(void **state)
{
	struct machine *m = *state;
	uint8_t block[120];

	amdgpu(m);
	memset(block, 0xff, sizeof(block));
	memcpy(block, "\x78\x00\x01\x03", 4);
	memcpy(block + 4, "\x40\x00\x50\x00", 4);  /* 64 edge, 80 hotspot */
	memcpy(block + 16, "\x05\x00\x06\x00\x07\x00", 6); /* % */
	filetree_bytes(&m->tree, "/sys/devices/" AMD "/gpu_metrics", block,
		       sizeof(block));
	open_it(m);
	read_it(m);
	tells(m, AMD, "temperature", "edge", "C", 51);
	tells(m, AMD, "temperature", "junction", "C", 80);
	tells(m, AMD, "utilization", "gpu", "%", 37);
	tells(m, AMD, "utilization", "media", "%", 7);
	assert_int_equal(m->to.dropped, 0);
}

static void metrics_of_a_revision_that_is_not_known_are_said_once(void **state)
{
	struct machine *m = *state;
	size_t n;

	amdgpu(m);
	filetree_bytes(&m->tree, "/sys/devices/" AMD "/gpu_metrics",
		       "\x08\x00\x07\x00\x00\x00\x00\x00", 8);
	open_it(m);
	read_it(m);
	n = m->to.n_missing;
	assert_int_equal(n, 1);
	assert_string_equal(m->to.missing[0].name,
			    "devices/" AMD "/gpu_metrics");
	assert_string_equal(m->to.missing[0].why,
			    "its revision 7.0 is not known");
	read_it(m);
	assert_int_equal(m->to.n_missing, n);
}

static void a_card_that_sleeps_is_not_woken(void **state)
{
	static const char *const asleep[] = { "suspended\n", "suspending\n",
					      "resuming\n" };
	struct machine *m = *state;

	amdgpu(m);
	open_it(m);
	for (size_t i = 0; i < ARRAY_LEN(asleep); i++) {
		has(m, "devices/" AMD "/power/runtime_status", asleep[i]);
		m->to.n = 0;
		read_it(m);
		assert_int_equal(m->to.n, 1);
		tells(m, AMD, "suspended", "", "", 1);
	}
	has(m, "devices/" AMD "/power/runtime_status", "unsupported\n");
	read_it(m);
	tells(m, AMD, "suspended", "", "", 0);
	tells(m, AMD, "fan", "fan1", "rpm", 1733);
}

#define IGPU "0000:00:02.0"

static void i915_has_clocks_of_each_gt(void **state)
{
	struct machine *m = *state;

	card(m, "card0", IGPU);
	has(m, "class/drm/card0/gt_act_freq_mhz", "1111\n");
	has(m, "class/drm/card0/gt/gt0/rps_act_freq_mhz", "1350\n");
	has(m, "class/drm/card0/gt/gt0/rps_cur_freq_mhz", "1400\n");
	has(m, "class/drm/card0/gt/gt0/rc6_residency_ms", "86000\n");
	has(m, "class/drm/card0/gt/gt0/throttle_reason_status", "1\n");
	has(m, "class/drm/card0/gt/gt1/rps_act_freq_mhz", "900\n");
	has(m, "devices/" IGPU "/hwmon/hwmon2/energy1_input", "123456789\n");
	open_it(m);
	read_it(m);
	tells(m, IGPU, "clock", "gt0", "MHz", 1350);
	tells(m, IGPU, "clock", "gt1", "MHz", 900);
	tells(m, IGPU, "clock-requested", "gt0", "MHz", 1400);
	tells(m, IGPU, "idle", "gt0", "ms", 86000);
	tells(m, IGPU, "throttled", "gt0", "", 1);
	tells(m, IGPU, "energy", "energy1", "J", 123.456789);
	assert_int_equal(series(m, IGPU, "energy", "energy1")->kind,
			 TF_SERIES_COUNT);
	/* It has no runtime_status, so that nothing is said of it. */
	assert_null(series(m, IGPU, "suspended", ""));
}

static void an_old_i915_has_one_clock(void **state)
{
	struct machine *m = *state;

	card(m, "card0", IGPU);
	has(m, "class/drm/card0/gt_act_freq_mhz", "1111\n");
	open_it(m);
	read_it(m);
	tells(m, IGPU, "clock", "gt0", "MHz", 1111);
}

static void xe_has_clocks_of_each_gt_of_each_tile(void **state)
{
	struct machine *m = *state;

	card(m, "card0", AMD);
	has(m, "devices/" AMD "/tile0/gt0/freq0/act_freq", "2050\n");
	has(m, "devices/" AMD "/tile0/gt0/freq0/cur_freq", "2100\n");
	has(m, "devices/" AMD "/tile0/gt0/freq0/throttle/status", "0\n");
	has(m, "devices/" AMD "/tile0/gt0/gtidle/idle_residency_ms", "555\n");
	has(m, "devices/" AMD "/tile1/gt2/freq0/act_freq", "0\n");
	has(m, "devices/" AMD "/hwmon/hwmon1/energy2_input", "2000000\n");
	has(m, "devices/" AMD "/hwmon/hwmon1/energy2_label", "pkg\n");
	open_it(m);
	read_it(m);
	tells(m, AMD, "clock", "gt0", "MHz", 2050);
	tells(m, AMD, "clock-requested", "gt0", "MHz", 2100);
	tells(m, AMD, "throttled", "gt0", "", 0);
	tells(m, AMD, "idle", "gt0", "ms", 555);
	tells(m, AMD, "clock", "gt2", "MHz", 0);
	tells(m, AMD, "energy", "pkg", "J", 2);
	assert_string_equal(series(m, AMD, "clock", "gt0")->label,
			    "tile0/gt0/freq0/act_freq");
}

static void a_platform_gpu_has_the_clock_of_devfreq(void **state)
{
	struct machine *m = *state;

	card(m, "card0", "3d00000.gpu");
	has(m, "devices/3d00000.gpu/devfreq/3d00000.gpu/cur_freq",
	    "490000000\n");
	open_it(m);
	read_it(m);
	tells(m, "3d00000.gpu", "clock", "gpu", "MHz", 490);
}

static void a_machine_without_is_said(void **state)
{
	struct machine *m = *state;
	const struct rec_counter_opening how = { .root = m->tree.root };

	assert_int_equal(rec_counter_devices.open(&m->devices, &how, &m->to,
						  &m->err), 1);
	has(m, "class/drm/version", "drm 1.1.0\n");
	has(m, "class/drm/card0-HDMI-A-1/status", "connected\n");
	card(m, "card0", "vkms");
	assert_int_equal(rec_counter_devices.open(&m->devices, &how, &m->to,
						  &m->err), 1);
	assert_non_null(strstr(m->err.text, "/sys/class/drm"));
	assert_null(m->devices);
}

static void a_text_without_a_number_is_a_failed_reading(void **state)
{
	struct machine *m = *state;
	const struct rec_series *s;

	amdgpu(m);
	open_it(m);
	has(m, "devices/" AMD "/gpu_busy_percent", "n/a\n");
	read_it(m);
	s = series(m, AMD, "utilization", "gpu");
	assert_int_equal(last(m, s)->state, TF_COUNTER_FAILED);
	has(m, "devices/" AMD "/gpu_busy_percent", "5\n");
	read_it(m);
	tells(m, AMD, "utilization", "gpu", "%", 5);
}

/* A folder in place of a file fails as some drivers do: at reading. */
static void what_cannot_be_read_does_not_end_the_others(void **state)
{
	struct machine *m = *state;
	const struct rec_series *s;
	char path[128];

	amdgpu(m);
	snprintf(path, sizeof(path), "%s/sys/devices/" AMD
		 "/hwmon/hwmon4/fan2_input", m->tree.root);
	assert_int_equal(mkdir(path, 0700), 0);
	open_it(m);
	read_it(m);
	s = series(m, AMD, "fan", "fan2");
	assert_int_equal(last(m, s)->state, TF_COUNTER_FAILED);
	tells(m, AMD, "fan", "fan1", "rpm", 1733);
}

static void only_cards_are_cards(void **state)
{
	(void)state;
	assert_true(rec_drm_is_card("card0"));
	assert_true(rec_drm_is_card("card128"));
	assert_false(rec_drm_is_card("card0-HDMI-A-1"));
	assert_false(rec_drm_is_card("card"));
	assert_false(rec_drm_is_card("renderD128"));
	assert_false(rec_drm_is_card("version"));
	assert_false(rec_drm_is_card(""));
}

struct wanted {
	const char *text;
	bool ok;
	int64_t value;
};

static void numbers_are_taken_as_far_as_they_are_sound(void **state)
{
	static const struct wanted numbers[] = {
		{ "37\n", true, 37 },   { "  -4500\n", true, -4500 },
		{ "12 MHz", true, 12 }, { "", false, 0 },
		{ "-", false, 0 },	{ "abc", false, 0 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "9223372036854775808", false, 0 },
		{ "99999999999999999999", false, 0 },
	};
	static const struct wanted starred[] = {
		{ "0: 500Mhz \n1: 800Mhz *\n", true, 800 },
		{ "1: 800Mhz *", true, 800 },
		{ "0: 500Mhz\n", false, 0 },
		{ "*\n", false, 0 },
		{ "", false, 0 },
		{ "S: 19Mhz *\n0: 500Mhz\n", true, 19 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		const struct wanted *w = &numbers[i];
		int64_t v = 0;

		assert_int_equal(rec_device_value(&v, REC_DEVICE_NUMBER,
						  span_of(w->text,
							  strlen(w->text))),
				 w->ok);
		assert_int_equal(v, w->value);
	}
	for (size_t i = 0; i < ARRAY_LEN(starred); i++) {
		const struct wanted *w = &starred[i];
		int64_t v = 0;

		assert_int_equal(rec_device_value(&v, REC_DEVICE_STARRED,
						  span_of(w->text,
							  strlen(w->text))),
				 w->ok);
		assert_int_equal(v, w->value);
	}
}

static void see_prefix(void *ctx, struct span in)
{
	int64_t v;

	(void)ctx;
	(void)rec_device_value(&v, REC_DEVICE_NUMBER, in);
	(void)rec_device_value(&v, REC_DEVICE_STARRED, in);
}

static void see_flip(void *ctx, struct span in, size_t bit)
{
	(void)bit;
	see_prefix(ctx, in);
}

static void any_text_is_taken(void **state)
{
	static const char good[] = "0: 500Mhz \n1: 2124Mhz *\n";
	uint8_t *copy = malloc(sizeof(good));

	(void)state;
	assert_non_null(copy);
	memcpy(copy, good, sizeof(good));
	mutate_prefixes(span_of(copy, sizeof(good)), see_prefix, NULL);
	mutate_bits(copy, sizeof(good), see_flip, NULL);
	free(copy);
}

static void running_out_of_memory_is_told(void **state)
{
	const struct rec_counter_source *src = &rec_counter_devices;
	struct machine *m = *state;
	const struct rec_counter_opening how = { .root = m->tree.root };

	amdgpu(m);
	card(m, "card2", IGPU);
	has(m, "class/drm/card2/gt/gt0/rps_act_freq_mhz", "1350\n");
	for (long n = 1;; n++) {
		struct rec_readings to = { .n = 0 };
		void *devices = NULL;
		int rc;

		assert_int_equal(rec_readings_init(&to, NULL), 0);
		failalloc_at(n);
		rc = src->open(&devices, &how, &to, &m->err);
		if (!rc)
			src->read(devices, &to);
		failalloc_off();
		/* The C library's folders are not ours to judge. */
		if (rc < 0)
			assert_int_equal(rc, ERR_NOMEM);
		if (!rc)
			src->close(devices);
		rec_readings_fini(&to);
		if (!failalloc_hit())
			break;
	}
}

int main(void)
{
#define ROW(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		ROW(amdgpu_tells_load_memory_clocks_and_sensors),
		ROW(a_clock_is_told_once),
		ROW(what_changes_is_read_anew),
		ROW(metrics_tell_what_no_file_tells),
		ROW(metrics_of_a_revision_that_is_not_known_are_said_once),
		ROW(a_card_that_sleeps_is_not_woken),
		ROW(i915_has_clocks_of_each_gt),
		ROW(an_old_i915_has_one_clock),
		ROW(xe_has_clocks_of_each_gt_of_each_tile),
		ROW(a_platform_gpu_has_the_clock_of_devfreq),
		ROW(a_machine_without_is_said),
		ROW(a_text_without_a_number_is_a_failed_reading),
		ROW(what_cannot_be_read_does_not_end_the_others),
		cmocka_unit_test(only_cards_are_cards),
		cmocka_unit_test(numbers_are_taken_as_far_as_they_are_sound),
		cmocka_unit_test(any_text_is_taken),
		ROW(running_out_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
