/* Performance counters. */
#include "tests/support/nvml/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if AGE >= 3
static uint64_t stamps; /* samples so far */

ONE(nvmlGpmQueryDeviceSupport, void)
{
	uint32_t version;
	unsigned yes = 0;
	int code;

	memcpy(&version, to, 4);
	if (version != 1)
		return 25;
	code = ask_u32("gpm", device, &yes);
	put32(to, 4, yes);
	return code;
}
int nvmlGpmSampleAlloc(void **to)
{
	*to = calloc(1, sizeof(uint64_t));
	return *to ? OK : 20;
}
int nvmlGpmSampleFree(void *sample)
{
	free(sample);
	return OK;
}
int nvmlGpmSampleGet(void *device, uint64_t *sample)
{
	long long v;
	int code = ask("gpm_sample", device, &v, 1);

	if (index_of(device) >= GPUS)
		return 2;
	if (code && line_of("gpm_sample"))
		return code;
	/* Who it is of, and which one. */
	*sample = ++stamps << 8 | index_of(device);
	return OK;
}
/* Those of GPU instance 3 are gpm.ID@203, whatever GPU it is of. */
int nvmlGpmMigSampleGet(void *device, unsigned instance, uint64_t *sample)
{
	long long v;
	int code = ask("gpm_mig_sample", device, &v, 1);

	if (index_of(device) >= GPUS || instance >= 50)
		return 2;
	if (code && line_of("gpm_mig_sample"))
		return code;
	*sample = ++stamps << 8 | (200 + instance);
	return OK;
}
/* gpm.ID=VALUE/CODE, with a point */
static void metric(char *to, unsigned gpu)
{
	uint32_t id;
	char key[24], *text;
	double value = 0;

	memcpy(&id, to, 4);
	snprintf(key, sizeof(key), "gpm.%u", id);
	text = answer(key, gpu);
	if (text && *text != '!') {
		value = strtod(text, NULL);
		put32(to, 4, OK);
	} else
		put32(to, 4, text ? atoi(text + 1) : NOT_SUPPORTED);
	put(to, 8, &value, 8);
	free(text);
}
int nvmlGpmMetricsGet(void *request)
{
	const uint64_t *a, *b;
	uint32_t version, n;

	memcpy(&version, request, 4);
	memcpy(&n, (char *)request + 4, 4);
	memcpy(&a, (char *)request + 8, 8);
	memcpy(&b, (char *)request + 16, 8);
	if (version != 1)
		return 25;
	/* Of one GPU, the older one first, and none in between. */
	if ((*a & 0xff) != (*b & 0xff) || *a >= *b)
		return 2;
	for (size_t i = 0; i < n; i++)
		metric((char *)request + 24 + 40 * i, (unsigned)(*a & 0xff));
	return OK;
}
#endif
