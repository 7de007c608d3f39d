/* What rec asks the kernel for: attrs EVENT... opens them on this thread and
 * prints each as "perf evlist -v" does, as far as both ask for the same. */
#include "record/perf/perf.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static void print(const struct rec_event *e)
{
	const struct perf_event_attr *a = &e->attr;

	printf("%s: type: %u", e->name, a->type);
	if (a->config)
		printf(", config: %#" PRIx64, (uint64_t)a->config);
	if (a->sample_period)
		printf(", { sample_period, sample_freq }: %" PRIu64,
		       (uint64_t)a->sample_period);
#define BIT(name)                                                              \
	do {                                                                   \
		if (a->name)                                                   \
			printf(", " #name ": %u", (unsigned int)a->name);      \
	} while (0)
	BIT(inherit);
	BIT(pinned);
	BIT(exclusive);
	BIT(exclude_user);
	BIT(exclude_kernel);
	BIT(exclude_hv);
	BIT(exclude_idle);
	BIT(freq);
	BIT(precise_ip);
	BIT(exclude_host);
	BIT(bp_type);
#undef BIT
	if (a->config1)
		printf(", { bp_addr, config1 }: %#" PRIx64,
		       (uint64_t)a->config1);
	if (a->config2)
		printf(", { bp_len, config2 }: %#" PRIx64,
		       (uint64_t)a->config2);
	if (a->sample_max_stack)
		printf(", sample_max_stack: %u",
		       (unsigned int)a->sample_max_stack);
	putchar('\n');
}

static int show(const char *text, const struct log *log, struct err *err)
{
	struct rec_events events = { 0 };
	struct rec_perf *perf = NULL;
	pid_t tid = getpid();
	int rc = rec_events_add(&events, text, err);

	if (!rc)
		rc = rec_perf_open(&perf, &(struct rec_perf_config){
			.events = &events, .tids = &tid, .n_tids = 1,
			.frequency = 4000, .frequency_default = true,
			.inherit = true, .log = log }, err);
	for (size_t i = 0; !rc && i < rec_perf_n_events(perf); i++)
		print(rec_perf_event(perf, i));
	rec_perf_abandon(perf);
	rec_events_fini(&events);
	return rc;
}

int main(int argc, char **argv)
{
	const struct log log = { stderr, "attrs", LOG_NORMAL };
	struct err err = { 0 };

	for (int i = 1; i < argc; i++)
		if (show(argv[i], &log, &err)) {
			fprintf(stderr, "%s: %s\n", argv[i], err.text);
			return 1;
		}
	return 0;
}
