/* Prints when which thread got a CPU from which: all rows of the tracepoint
 * sched:sched_switch in a trace.
 *
 *	cc -o readtrace readtrace.c $(pkg-config --cflags --libs coltrace)
 *	rec -a -e sched:sched_switch --duration 1s
 *	./readtrace trace.ctr
 */
#include <coltrace.h>
#include <inttypes.h>
#include <stdio.h>

static void print_rows(struct ct_lookup *names, const struct ct_batch *b)
{
	const uint64_t *time = ct_batch_u64(b, 0);
	const uint64_t *prev = ct_batch_u64(b, 1), *next = ct_batch_u64(b, 2);
	uint32_t epoch = ct_batch_epoch(b);

	for (uint32_t i = 0; time && prev && next && i < ct_batch_rows(b); i++)
		printf("%" PRIu64 ".%09" PRIu64 " %s -> %s\n",
		       time[i] / 1000000000, time[i] % 1000000000,
		       ct_lookup_name(names, epoch, prev[i]),
		       ct_lookup_name(names, epoch, next[i]));
}

int main(int argc, char **argv)
{
	const char *const columns[] = { "time", "prev_comm", "next_comm",
					NULL };
	struct ct_error error = { 0 };
	struct ct_trace *trace = NULL;
	struct ct_lookup *names = NULL;
	struct ct_cursor *rows = NULL;
	const struct ct_batch *batch;
	int rc = ct_open(&trace, argc > 1 ? argv[1] : "trace.ctr", &error);

	if (rc == 0)
		rc = ct_lookup_new(&names, trace, &error);
	if (rc == 0)
		rc = ct_cursor_new(&rows, trace,
				   ct_table_by_name(trace,
						    "sched:sched_switch"),
				   columns, 0, CT_TIME_MAX, &error);
	while (rc == 0 && (rc = ct_cursor_next(rows, &batch, &error)) == 0)
		print_rows(names, batch);
	if (rc > 0)
		rc = ct_lookup_failure(names, &error);
	if (rc < 0)
		fprintf(stderr, "readtrace: %s\n", error.text);
	ct_cursor_free(rows);
	ct_lookup_free(names);
	ct_close(trace);
	return rc < 0;
}
