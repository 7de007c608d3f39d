#include "record/perf/hotplug.h"

#include <string.h>

void rec_hotplug_fini(struct rec_hotplug *h)
{
	rec_cpus_fini(&h->down);
	rec_cpus_fini(&h->new);
}

static void take_out(struct rec_cpus *c, int cpu)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->items[i] == cpu) {
			c->n--;
			memmove(c->items + i, c->items + i + 1,
				(c->n - i) * sizeof(*c->items));
			return;
		}
}

/* Notes it first: a change that fails is not told again each second. */
static int look_at(struct rec_hotplug *h, int cpu, bool online,
		   int (*change)(void *ctx, int cpu, bool back,
				 struct err *err),
		   void *ctx, struct err *err)
{
	int rc = 0;

	if (online != rec_cpus_has(&h->down, cpu))
		return 0;
	if (online)
		take_out(&h->down, cpu);
	else
		rc = rec_cpus_add(&h->down, cpu, err);
	return rc ? rc : change(ctx, cpu, online, err);
}

int rec_hotplug_look(struct rec_hotplug *h, const char *root,
		     const struct rec_cpus *recorded, bool all,
		     int (*change)(void *ctx, int cpu, bool back,
				   struct err *err),
		     void *ctx, struct err *err)
{
	struct rec_cpus online = { 0 };
	int rc = rec_cpus_online(&online, root, err);

	for (size_t i = 0; !rc && i < recorded->n; i++) {
		int cpu = recorded->items[i];

		rc = look_at(h, cpu, rec_cpus_has(&online, cpu), change, ctx,
			     err);
	}
	for (size_t i = 0; !rc && all && i < online.n; i++) {
		int cpu = online.items[i];

		if (rec_cpus_has(recorded, cpu) || rec_cpus_has(&h->new, cpu))
			continue;
		rc = rec_cpus_add(&h->new, cpu, err);
		if (!rc)
			rc = change(ctx, cpu, false, err);
	}
	rec_cpus_fini(&online);
	return rc;
}
