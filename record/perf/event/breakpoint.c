/* mem:ADDRESS[/LENGTH][:rwx] */
#include "record/perf/event/kind.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* false: what stands there is no access. */
static bool take_access(const char *text, uint32_t *type)
{
	*type = 0;
	for (; *text; text++) {
		uint32_t bit = *text == 'r' ? HW_BREAKPOINT_R :
			       *text == 'w' ? HW_BREAKPOINT_W :
			       *text == 'x' ? HW_BREAKPOINT_X : 0;

		if (!bit || *type & bit)
			return false;
		*type |= bit;
	}
	return *type;
}

static bool take_number(const char **at, uint64_t *out)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*out = strtoull(*at, &end, 0);
	*at = end;
	return !errno;
}

/* An instruction is as long as the kernel says, which is a long; data is an
 * int where nothing is said: perf's rules. */
static uint64_t default_length(uint32_t type)
{
	return type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
}

static int breakpoint_parse(struct rec_events *to, const char *name,
			    struct err *err)
{
	uint32_t type = HW_BREAKPOINT_R | HW_BREAKPOINT_W;
	uint64_t address, length = 0;
	struct rec_event *e;
	const char *at = name + 4;

	if (strncmp(name, "mem:", 4))
		return 1;
	if (!take_number(&at, &address))
		goto bad;
	if (*at == '/' && (at++, !take_number(&at, &length)))
		goto bad;
	if (*at == ':' && !take_access(at + 1, &type))
		goto bad;
	else if (*at && *at != ':')
		goto bad;
	e = rec_events_append(to, NULL, err);
	if (!e)
		return ERR_NOMEM;
	e->attr.type = PERF_TYPE_BREAKPOINT;
	e->attr.bp_type = type;
	e->attr.bp_addr = address;
	e->attr.bp_len = length ? length : default_length(type);
	e->attr.sample_period = 1;
	return 0;
bad:
	return err_set(err, ERR_USAGE, "'%s' is not a breakpoint "
		       "(mem:ADDRESS[/LENGTH][:rwx])", name);
}

const struct rec_event_kind rec_kind_breakpoint = { breakpoint_parse, NULL };
