#include "record/perf/event_modifiers.h"

#include <string.h>

#define KNOWN "ukhGHpPID"
#define PRECISE_MAX 3

/* perf's rules: naming one level leaves the others out. */
static void privilege_levels(struct rec_event *e, const char *text)
{
	bool user = strchr(text, 'u');
	bool kernel = strchr(text, 'k');
	bool hv = strchr(text, 'h');

	if (!user && !kernel && !hv)
		return;
	e->attr.exclude_user = !user;
	e->attr.exclude_kernel = !kernel;
	e->attr.exclude_hv = !hv;
	e->user_only = user && !kernel;
	e->kernel_only = kernel && !user;
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

static int precision(struct rec_event *e, const char *text, struct err *err)
{
	unsigned int n = 0;

	for (const char *p = text; *p; p++)
		n += *p == 'p';
	e->precise_max = strchr(text, 'P');
	if (n > PRECISE_MAX || (n && e->precise_max))
		return err_set(err, ERR_USAGE, "event '%s' asks for more "
			       "precision than ppp", e->name);
	if (e->precise_max)
		n = PRECISE_MAX;
	e->attr.precise_ip = n & PRECISE_MAX;
	return 0;
}

bool rec_modifiers_are(const char *text)
{
	return *text && !text[strspn(text, KNOWN)];
}

int rec_modifiers_apply(struct rec_event *e, const char *text,
			struct err *err)
{
	char bad = text[strspn(text, KNOWN)];

	if (bad || !*text)
		return err_set(err, ERR_USAGE,
			       "event '%s': unknown modifier '%.1s' (known: "
			       "u k h G H p P I D)", e->name, &bad);
	privilege_levels(e, text);
	guest_or_host(e, text);
	e->attr.exclude_idle = strchr(text, 'I') != NULL;
	e->attr.pinned = strchr(text, 'D') != NULL;
	return precision(e, text, err);
}
