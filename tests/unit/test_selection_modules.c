/* Modules of the kernel by any of their names, whichever of these the trace has:
 * "[nvidia]" as a recording calls it, or the path of the file as other tools'
 * recordings do. */
#include "analyze/samples.h"
#include "format/base/mem.h"
#include "tests/support/traceopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct tb_image images[] = {
	{ "nv", TF_IMAGE_MODULE, "[nvidia]", NULL, 0 },
	{ "uvm", TF_IMAGE_MODULE, "/lib/modules/6.1/nvidia-uvm.ko.xz", NULL,
	  0 },
	{ "drm", TF_IMAGE_ELF, "/lib/modules/6.1/nvidia-drm.ko", NULL, 0 },
	{ "lib", TF_IMAGE_ELF, "/usr/lib/libnvidia-ml.so.1", NULL, 0 },
	{ "tool", TF_IMAGE_ELF, "/usr/bin/nvidia-smi", NULL, 0 },
};
static const struct tb_symbol symbols[] = {
	{ "nv", "a", 0x100, 0x100, NULL },
	{ "uvm", "b", 0x100, 0x100, NULL },
	{ "drm", "c", 0x100, 0x100, NULL },
	{ "lib", "d", 0x100, 0x100, NULL },
	{ "tool", "e", 0x100, 0x100, NULL },
};
static const struct tb_thread threads[] = { { 10, 10, "app", 1 } };
static const struct tb_event events[] = {
	{ "cpu-clock", "ns", 1, 0, 99, 0, true },
};
static const struct tb_sample samples[] = {
	{ 1, 0, 0, 0, 1, "e", "a", 0, 0 },
	{ 2, 0, 0, 0, 2, "e", "b", 0, 0 },
	{ 3, 0, 0, 0, 4, "e", "c", 0, 0 },
	{ 4, 0, 0, 0, 8, "e;d", NULL, 0, 0 },
	{ 5, 0, 0, 0, 16, "e", NULL, 0, 0 },
};
static const struct tb_epoch epochs[] = { { samples, ARRAY_LEN(samples) } };
static const struct tb_trace trace = {
	.images = images, .n_images = ARRAY_LEN(images),
	.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
	.threads = threads, .n_threads = ARRAY_LEN(threads),
	.events = events, .n_events = ARRAY_LEN(events),
	.epochs = epochs, .n_epochs = ARRAY_LEN(epochs),
};

/* The sum of the periods, each a power of two; -1: refused. */
static int selected(struct trace_in_memory *m, const char *images_are)
{
	struct an_selection_args args = {
		.image = { .items = &images_are, .n = 1 } };
	struct an_selection sel;
	struct an_samples *s;
	const struct an_batch *b;
	int sum = 0;

	if (an_selection_make(&sel, &args, m->trace, &m->err))
		return -1;
	assert_int_equal(an_samples_new(&s, m->trace, &sel, AN_S_PERIOD,
					&m->err), 0);
	while (an_samples_next(s, &b, &m->err) == 0)
		for (size_t i = 0; i < b->n; i++)
			sum += (int)b->period[i];
	an_samples_free(s);
	an_selection_fini(&sel);
	return sum;
}

static void a_module_is_found_by_its_name_its_file_or_in_brackets(void **state)
{
	static const struct {
		const char *words;
		int sum;
	} cases[] = {
		{ "nvidia", 1 }, { "[nvidia]", 1 }, { "nvidia.ko", 1 },
		{ "nvidia.ko.xz", 1 }, { "/other/place/nvidia.ko.zst", 1 },
		{ "nvidia_uvm", 2 }, { "nvidia-uvm", 2 },
		{ "[nvidia_uvm]", 2 }, { "[nvidia-uvm]", 2 },
		{ "nvidia_uvm.ko", 2 }, { "nvidia-uvm.ko.xz", 2 },
		{ "/lib/modules/6.1/nvidia-uvm.ko.xz", 2 },
		{ "nvidia_drm", 4 }, { "[nvidia-drm]", 4 },
		{ "nvidia-drm.ko.gz", 4 },
		{ "/lib/modules/6.1/nvidia-drm.ko", 4 },
		{ "nvidia,nvidia_uvm", 3 },
		{ "nvidia.ko,[nvidia-uvm],nvidia_drm", 7 },
	};
	struct trace_in_memory m;

	(void)state;
	trace_must(&m, &trace);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (selected(&m, cases[i].words) != cases[i].sum)
			fail_msg("'%s'", cases[i].words);
	trace_fini(&m);
}

static void other_files_keep_their_own_names(void **state)
{
	struct trace_in_memory m;

	(void)state;
	trace_must(&m, &trace);
	assert_int_equal(selected(&m, "nvidia-smi"), 16);
	assert_int_equal(selected(&m, "nvidia_smi"), -1);
	assert_int_equal(selected(&m, "[nvidia-smi]"), -1);
	assert_int_equal(selected(&m, "nvidia-smi.ko"), -1);
	assert_int_equal(selected(&m, "libnvidia-ml.so.1"), 8);
	assert_int_equal(selected(&m, "libnvidia_ml.so.1"), -1);
	assert_int_equal(selected(&m, "/usr/*"), 8 + 16);
	assert_int_equal(selected(&m, "nvidia-modeset"), -1);
	assert_int_equal(selected(&m, "nvidia.xz"), -1);
	assert_int_equal(selected(&m, ".ko"), -1);
	trace_fini(&m);
}

/* A name longer than any module's is compared as it is. */
static void a_name_of_any_length_is_refused(void **state)
{
	char word[300];
	struct trace_in_memory m;

	(void)state;
	memset(word, 'n', sizeof(word));
	trace_must(&m, &trace);
	for (size_t n = 1; n < sizeof(word); n++) {
		word[n] = 0;
		assert_int_equal(selected(&m, word), -1);
		word[n] = 'n';
	}
	trace_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_module_is_found_by_its_name_its_file_or_in_brackets),
		cmocka_unit_test(other_files_keep_their_own_names),
		cmocka_unit_test(a_name_of_any_length_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
