#include "analyze/counter/topology.h"

#include "format/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *word;
	int width; /* of the label in perf's lines */
} levels[] = {
	[AN_CPU_LEVEL_ALL] = { "", 0 },
	[AN_CPU_LEVEL_ONE] = { "CPU", 8 },
	[AN_CPU_LEVEL_CORE] = { "core", 15 },
	[AN_CPU_LEVEL_DIE] = { "die", 12 },
	[AN_CPU_LEVEL_SOCKET] = { "socket", 6 },
	[AN_CPU_LEVEL_NODE] = { "node", 6 },
};

/* A number, or "-" for what the kernel did not tell, and the character behind
 * it; false: neither. */
static bool number(const char **at, char end, int32_t *to)
{
	char *behind;
	long v;

	if (**at == '-' && ((*at)[1] == end || (end == ' ' && !(*at)[1]))) {
		*at += 1 + ((*at)[1] != '\0');
		return true;
	}
	if (**at != '-' && (**at < '0' || **at > '9'))
		return false;
	v = strtol(*at, &behind, 10);
	if (behind == *at || v < INT32_MIN || v > INT32_MAX ||
	    (*behind != end && (end != ' ' || *behind)))
		return false;
	*to = (int32_t)v;
	*at = behind + (*behind != '\0');
	return true;
}

/* "0=0/0/0/0 1=0/0/1/0": CPU=socket/die/core/node. */
static bool find(const char *text, int32_t cpu, struct an_cpu_place *out)
{
	for (const char *at = text; *at;) {
		struct an_cpu_place p = { .cpu = -1 };

		if (!number(&at, '=', &p.cpu) || !number(&at, '/', &p.socket) ||
		    !number(&at, '/', &p.die) || !number(&at, '/', &p.core) ||
		    !number(&at, ' ', &p.node))
			return false;
		if (p.cpu == cpu) {
			*out = p;
			return true;
		}
	}
	return false;
}

/* What all machines of a merged trace have in common has no number. */
static const char *told(const struct an_trace *t, uint32_t machine)
{
	const char *own = NULL;
	char key[40];

	snprintf(key, sizeof(key), "source.%" PRIu32 ".cpu_places",
		 machine - 1);
	if (machine)
		own = an_fact(t, key);
	return own ? own : an_fact(t, "cpu_places");
}

bool an_cpu_place_of(struct an_cpu_place *out, const struct an_trace *t,
		     enum an_cpu_level level, uint32_t machine, int32_t cpu)
{
	struct an_cpu_place p = { .cpu = cpu };
	const char *text = told(t, machine);

	*out = (struct an_cpu_place){ .machine = machine };
	if (level == AN_CPU_LEVEL_ALL)
		return true;
	if (level == AN_CPU_LEVEL_ONE) {
		out->cpu = cpu;
		return true;
	}
	if (!text || !find(text, cpu, &p))
		return false;
	if (level == AN_CPU_LEVEL_NODE) {
		out->node = p.node;
		return true;
	}
	out->socket = p.socket;
	out->die = level == AN_CPU_LEVEL_SOCKET ? 0 : p.die;
	out->core = level == AN_CPU_LEVEL_CORE ? p.core : 0;
	return true;
}

int an_cpu_place_order(const struct an_cpu_place *a,
		       const struct an_cpu_place *b)
{
	int order = CMP(a->machine, b->machine);

	order = order ? order : CMP(a->node, b->node);
	order = order ? order : CMP(a->socket, b->socket);
	order = order ? order : CMP(a->die, b->die);
	order = order ? order : CMP(a->core, b->core);
	return order ? order : CMP(a->cpu, b->cpu);
}

void an_cpu_place_text(char to[AN_CPU_PLACE_TEXT], enum an_cpu_level level,
		       const struct an_cpu_place *p)
{
	size_t n = AN_CPU_PLACE_TEXT;

	to[0] = 0;
	switch (level) {
	case AN_CPU_LEVEL_ALL:
		break;
	case AN_CPU_LEVEL_ONE:
		snprintf(to, n, "CPU%" PRId32, p->cpu);
		break;
	case AN_CPU_LEVEL_CORE:
		snprintf(to, n, "S%" PRId32 "-D%" PRId32 "-C%" PRId32,
			 p->socket, p->die, p->core);
		break;
	case AN_CPU_LEVEL_DIE:
		snprintf(to, n, "S%" PRId32 "-D%" PRId32, p->socket, p->die);
		break;
	case AN_CPU_LEVEL_SOCKET:
		snprintf(to, n, "S%" PRId32, p->socket);
		break;
	case AN_CPU_LEVEL_NODE:
		snprintf(to, n, "N%" PRId32, p->node);
		break;
	}
}

const char *an_cpu_place_word(enum an_cpu_level level)
{
	return levels[level].word;
}

int an_cpu_place_width(enum an_cpu_level level)
{
	return levels[level].width;
}
