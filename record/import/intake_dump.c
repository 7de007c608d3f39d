/* What samples carry of the user side of their threads, as it came. */
#include "record/import/intake_state.h"
#include "record/perf/words.h"

#include <linux/perf_event.h>

#define MAX_REGISTERS 64u /* bits of a mask */

/* Behind the word that says what they are. 0: there are none. */
static size_t take_registers(uint64_t to[MAX_REGISTERS], struct span regs,
			     uint64_t *abi)
{
	size_t n = 0;

	*abi = PERF_SAMPLE_REGS_ABI_NONE;
	if (!word_take(&regs, abi))
		return 0;
	while (n < MAX_REGISTERS && word_take(&regs, &to[n]))
		n++;
	return n;
}

static void put_row(struct rec_intake *in, size_t event, uint32_t thread,
		    const struct rec_record *r, uint64_t mask)
{
	uint32_t id = rec_defs_event(&in->defs, event, &in->events[event]);
	struct tf_builder *b = rec_sink_rows(in->sink, TF_TABLE_USER_DUMP);
	struct span stack = r->sample.user_stack;
	uint64_t regs[MAX_REGISTERS], abi;
	size_t n = take_registers(regs, r->sample.user_regs, &abi);

	tf_builder_set(b, TF_USER_DUMP_TIME, r->ids.time);
	tf_builder_set(b, TF_USER_DUMP_CPU, r->ids.cpu);
	tf_builder_set(b, TF_USER_DUMP_THREAD, thread);
	tf_builder_set(b, TF_USER_DUMP_EVENT, id);
	tf_builder_set(b, TF_USER_DUMP_ABI, abi);
	tf_builder_set(b, TF_USER_DUMP_MASK, n ? mask : 0);
	tf_builder_list(b, TF_USER_DUMP_REGISTERS, regs, n);
	if (stack.n)
		tf_builder_bytes(b, TF_USER_DUMP_STACK, stack.p, stack.n);
	if (!tf_builder_commit(b))
		in->defs.failed = true;
}

/* In the epoch of its sample, whatever is due: that is how they are joined. */
int rec_intake_dump(struct rec_intake *in, size_t event,
		    const struct rec_record *r, uint64_t mask,
		    struct err *err)
{
	struct rec_ids ids = rec_intake_ids(in, &r->ids);
	struct rec_thread *t;
	int rc;

	if (event >= in->n_events)
		return err_set(err, ERR_USAGE, "there is no event %zu", event);
	rc = rec_intake_settle(in, err);
	if (rc == 0)
		rc = rec_intake_room(in, 0, NULL, err);
	if (rc < 0)
		return rc;
	t = rec_world_thread(&in->world, &ids);
	if (!t)
		return err_nomem(err);
	put_row(in, event, rec_defs_thread(&in->defs, t), r, mask);
	return 0;
}
