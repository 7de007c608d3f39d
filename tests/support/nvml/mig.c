/* GPUs that are divided into instances. */
#include "tests/support/nvml/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if AGE >= 3
/* What was there at the last count, of each GPU: INSTANCE/PART+..., !CODE in the
 * place of one that cannot be had. */
static char now[GPUS][256];

int nvmlDeviceGetMigMode(void *device, unsigned *on, unsigned *later)
{
	*later = 0;
	return ask_u32("mig", device, on);
}
int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *n)
{
	unsigned gpu = index_of(device);
	char *text;

	if (gpu >= GPUS)
		return 2;
	text = answer("migs", gpu);
	snprintf(now[gpu], sizeof(now[gpu]), "%s", text ? text : "none");
	free(text);
	*n = 7;
	return OK;
}
/* That of an index; NULL: there is none. */
static const char *entry(unsigned gpu, unsigned at)
{
	const char *text = now[gpu];

	if (!strcmp(text, "none"))
		return NULL;
	for (; text && at; at--) {
		text = strchr(text, '+');
		text = text ? text + 1 : NULL;
	}
	return text && *text ? text : NULL;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned at, void **to)
{
	unsigned gpu = index_of(device);
	const char *text;

	if (gpu >= GPUS || at >= 7)
		return 2;
	text = entry(gpu, at);
	if (!text)
		return NOT_FOUND;
	if (*text == '!')
		return atoi(text + 1);
	*to = &devices[MIGS_AT + MIGS * gpu + at];
	return OK;
}
static int number(const void *device, unsigned *to, bool part)
{
	unsigned i = index_of(device), instance, of_it;
	const char *text;

	if (i < MIGS_AT)
		return NOT_SUPPORTED;
	i -= MIGS_AT;
	text = entry(i / MIGS, i % MIGS);
	if (!text || sscanf(text, "%u/%u", &instance, &of_it) != 2)
		return 2;
	*to = part ? of_it : instance;
	return OK;
}
ONE(nvmlDeviceGetGpuInstanceId, unsigned)
{
	return number(device, to, false);
}
ONE(nvmlDeviceGetComputeInstanceId, unsigned)
{
	return number(device, to, true);
}
#endif
int nvmlDeviceGetUUID(void *device, char *to, unsigned size)
{
	char *text = answer("uuid", index_of(device));

	snprintf(to, size, "%s", text ? text : "");
	free(text);
	return *to ? OK : NOT_SUPPORTED;
}
