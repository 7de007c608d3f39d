#include "record/tracepoint/keys.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <string.h>

/* How well-known fields depend on each other. "*" at the end of a name stands
 * for any rest. A field that is not there makes its row void. */
struct known {
	const char *event; /* SYSTEM:NAME */
	const char *field;
	enum tf_role role;
	const char *key, *second, *link;
};

static const struct known known[] = {
	/* Who leaves the CPU is who got it at the switch before. */
	{ "sched:sched_switch", "thread", TF_ROLE_ID, "cpu", NULL, "next_pid" },
	{ "sched:sched_switch", "prev_pid", TF_ROLE_ID, "cpu", NULL,
	  "next_pid" },
	{ "sched:sched_switch", "prev_comm", TF_ROLE_ID, "cpu", NULL,
	  "next_comm" },
	{ "sched:sched_switch", "prev_prio", TF_ROLE_ID, "cpu", NULL,
	  "next_prio" },
	{ "sched:sched_switch", "prev_state", TF_ROLE_ID, "cpu", NULL,
	  "next_pid" },
	{ "sched:sched_switch", "ustack", TF_ROLE_ID, "cpu", NULL, "next_pid" },
	{ "sched:sched_switch", "kstack", TF_ROLE_ID, "cpu", NULL, "next_pid" },
	{ "sched:sched_switch", "flags", TF_ROLE_ID, "cpu", NULL, "next_pid" },
	{ "sched:sched_switch", "next_*", TF_ROLE_ID, NULL, NULL, NULL },
	{ "sched:sched_wak*", "pid", TF_ROLE_ID, NULL, NULL, NULL },
	{ "sched:sched_wak*", "target_cpu", TF_ROLE_VALUE, "pid", NULL, NULL },
	{ "sched:sched_migrate_task", "*_cpu", TF_ROLE_VALUE, "pid", NULL,
	  NULL },
	{ "raw_syscalls:*", "id", TF_ROLE_ID, NULL, NULL, NULL },
	{ "raw_syscalls:*", "*", TF_ROLE_ID, "thread", "id", NULL },
	{ "syscalls:*", "*", TF_ROLE_ID, "thread", NULL, NULL },
	{ "irq:softirq_*", "vec", TF_ROLE_ID, NULL, NULL, NULL },
	{ "irq:irq_handler_*", "irq", TF_ROLE_ID, NULL, NULL, NULL },
	{ "irq:irq_handler_*", "*", TF_ROLE_VALUE, "irq", NULL, NULL },
	{ "timer:timer_*", "timer", TF_ROLE_ID, NULL, NULL, NULL },
	{ "timer:timer_*", "function", TF_ROLE_ID, "timer", NULL, NULL },
	{ "timer:hrtimer_*", "hrtimer", TF_ROLE_ID, NULL, NULL, NULL },
	{ "timer:hrtimer_*", "function", TF_ROLE_ID, "hrtimer", NULL, NULL },
	{ "power:*", "cpu_id", TF_ROLE_ID, NULL, NULL, NULL },
	{ "power:*", "state", TF_ROLE_VALUE, "cpu_id", NULL, NULL },
	{ "dma_fence:*", "context", TF_ROLE_ID, NULL, NULL, NULL },
	{ "dma_fence:*", "seqno", TF_ROLE_SERIAL, "context", NULL, NULL },
	{ "dma_fence:*", "*", TF_ROLE_VALUE, "context", NULL, NULL },
	{ "drm:drm_vblank_*", "crtc", TF_ROLE_ID, NULL, NULL, NULL },
	{ "drm:drm_vblank_*", "seq", TF_ROLE_SERIAL, "crtc", NULL, NULL },
	{ "drm:drm_vblank_*", "time", TF_ROLE_SERIAL, "crtc", NULL, NULL },
};

/* A pattern has at most one "*", anywhere. */
static bool fits(const char *pattern, const char *text)
{
	const char *star = strchr(pattern, '*');
	size_t n = strlen(text), head, tail;

	if (!star)
		return strcmp(pattern, text) == 0;
	head = (size_t)(star - pattern);
	tail = strlen(star + 1);
	return n >= head + tail && strncmp(pattern, text, head) == 0 &&
	       strcmp(text + n - tail, star + 1) == 0;
}

struct places { /* columns by name */
	struct tf_column *columns;
	size_t n;
};

static bool is_plain(const struct tf_column *c)
{
	return !c->list && c->type != TF_BYTES;
}

/* Id + 1; 0: there is no such column, or it is the one that asks. */
static uint32_t place(const struct places *p, const char *name,
		      const struct tf_column *c)
{
	for (size_t i = 0; name && i < p->n; i++)
		if (strcmp(p->columns[i].name, name) == 0)
			return &p->columns[i] != c && is_plain(&p->columns[i]) ?
				       p->columns[i].id + 1 : 0;
	return 0;
}

/* false: a column that the row names is missing. */
static bool apply(const struct places *p, struct tf_column *c,
		  const struct known *k)
{
	uint32_t key = place(p, k->key, c), second = place(p, k->second, c);
	uint32_t link = place(p, k->link, c);

	if ((k->key && !key) || (k->second && !second) || (k->link && !link))
		return false;
	c->role = k->role;
	c->key = key;
	c->second = second;
	c->link = link;
	return true;
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n == m ? strcmp(name, end) == 0 :
			n > m && name[n - m - 1] == '_' &&
				strcmp(name + n - m, end) == 0;
}

static bool is_process(const char *name)
{
	return ends_in(name, "pid") || ends_in(name, "tid");
}

/* "next_comm" → "next_pid", where there is one. */
static uint32_t process_of(const struct places *p, const struct tf_column *c)
{
	static const char *const told[] = { "comm", "prio" };

	for (size_t i = 0; i < ARRAY_LEN(told); i++) {
		size_t n = strlen(c->name), m = strlen(told[i]);
		char name[64];

		if (!ends_in(c->name, told[i]) || n - m + 4 > sizeof(name))
			continue;
		memcpy(name, c->name, n - m);
		memcpy(name + n - m, "pid", 4);
		return place(p, name, c);
	}
	return 0;
}

/* Most fields say something about what their thread is at. Of the columns of
 * `sample` those are left alone that say what they are keyed by for good. */
static void guess(const struct places *p, struct tf_column *c)
{
	if (c->id < TF_PAYLOAD_FLAGS && c->id != TF_SAMPLE_KSTACK &&
	    c->id != TF_SAMPLE_FLAGS && c->id != TF_SAMPLE_IP)
		return;
	if (c->ref_table != TF_TABLE_STRING && is_process(c->name)) {
		c->role = TF_ROLE_ID;
		return;
	}
	c->key = process_of(p, c);
	if (!c->key && !p->columns[TF_SAMPLE_THREAD].link)
		c->key = place(p, "thread", c);
}

static bool apply_known(const struct places *p, struct tf_column *c,
			const char *system, const char *name)
{
	size_t n = strlen(system);

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		const struct known *k = &known[i];
		const char *colon = strchr(k->event, ':');

		if ((size_t)(colon - k->event) == n &&
		    strncmp(k->event, system, n) == 0 &&
		    fits(colon + 1, name) && fits(k->field, c->name) &&
		    (c->id >= TF_PAYLOAD_FIRST || !strchr(k->field, '*')) &&
		    c->role != TF_ROLE_TIME && /* of the row; fields may be
						* called so, too */
		    apply(p, c, k))
			return true;
	}
	return false;
}

static bool is_key(const struct places *p, uint32_t id)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->columns[i].key == id + 1 ||
		    p->columns[i].second == id + 1 ||
		    p->columns[i].link == id + 1)
			return true;
	return false;
}

void rec_tracepoint_keys(struct tf_column *columns, size_t n,
			 const char *system, const char *name)
{
	struct places p = { columns, n };

	for (size_t i = 0; i < n; i++) {
		struct tf_column *c = &columns[i];

		if (is_plain(c) && !apply_known(&p, c, system, name))
			guess(&p, c);
	}
	/* A column that predicts others is not predicted itself. */
	for (size_t i = 0; i < n; i++)
		if (is_key(&p, columns[i].id) && !columns[i].link)
			columns[i].key = columns[i].second = 0;
}
