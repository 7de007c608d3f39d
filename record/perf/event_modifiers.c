#include "record/perf/event_modifiers.h"

#include <string.h>

#define KNOWN "ukhGHpPIDSWe"
#define PRECISE_MAX 3

/* perf's rules: naming one level leaves the others out, until they are named,
 * too. */
static void privilege_levels(struct rec_event *e, const char *text)
{
	struct perf_event_attr *a = &e->attr;
	bool user = strchr(text, 'u');
	bool kernel = strchr(text, 'k');
	bool hv = strchr(text, 'h');

	if (!user && !kernel && !hv)
		return;
	if (!a->exclude_user && !a->exclude_kernel && !a->exclude_hv)
		a->exclude_user = a->exclude_kernel = a->exclude_hv = 1;
	if (user)
		a->exclude_user = 0;
	if (kernel)
		a->exclude_kernel = 0;
	if (hv)
		a->exclude_hv = 0;
	e->user_only = !a->exclude_user && a->exclude_kernel;
	e->kernel_only = a->exclude_user && !a->exclude_kernel;
}

static void guest_or_host(struct rec_event *e, const char *text)
{
	bool guest = strchr(text, 'G');
	bool host = strchr(text, 'H');

	if (!guest && !host)
		return;
	e->guest_set = true;
	e->attr.exclude_guest = !guest;
	e->attr.exclude_host = !host;
}

static int precision(struct rec_event *e, const char *whole, const char *text,
		     struct err *err)
{
	unsigned int n = 0;

	for (const char *p = text; *p; p++)
		n += *p == 'p';
	if (!n && !strchr(text, 'P'))
		return 0;
	e->precise_max = strchr(text, 'P');
	if (n > PRECISE_MAX || (n && e->precise_max))
		return err_set(err, ERR_USAGE, "event '%s' asks for more "
			       "precision than ppp", whole);
	if (e->precise_max)
		n = PRECISE_MAX;
	e->attr.precise_ip = n & PRECISE_MAX;
	return 0;
}

bool rec_modifiers_are(const char *text)
{
	return *text && !text[strspn(text, KNOWN)];
}

int rec_modifiers_apply(struct rec_event *e, const char *whole,
			const char *text, struct err *err)
{
	char bad = text[strspn(text, KNOWN)];

	if (bad || !*text)
		return err_set(err, ERR_USAGE,
			       "event '%s': unknown modifier '%.1s' (known: "
			       "u k h G H p P I D S W e)", whole, &bad);
	privilege_levels(e, text);
	guest_or_host(e, text);
	if (strchr(text, 'I'))
		e->attr.exclude_idle = 1;
	if (strchr(text, 'D'))
		e->attr.pinned = 1;
	if (strchr(text, 'e'))
		e->attr.exclusive = 1;
	if (strchr(text, 'S'))
		e->leader_samples = true;
	if (strchr(text, 'W'))
		e->weak = true;
	return precision(e, whole, text, err);
}
