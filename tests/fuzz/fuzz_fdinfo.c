/* What drivers of GPUs tell: the fdinfo of a DRM file, the number in a file of
 * /sys, the block gpu_metrics. The first byte says which. */
#include "record/counter/device/file.h"
#include "record/counter/fdinfo/fdinfo.h"
#include "record/counter/device/gpu_metrics.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(struct span part, struct span text)
{
	if (!part.n || part.n > REC_FDINFO_WORD || part.p < text.p ||
	    part.p + part.n > text.p + text.n)
		abort();
}

static void check_fdinfo(struct span text)
{
	struct rec_fdinfo f;

	rec_fdinfo_parse(&f, text);
	if (f.n > REC_FDINFO_VALUES || f.n_capacities > REC_FDINFO_CAPACITIES ||
	    f.driver.n > REC_FDINFO_WORD || f.name.n > REC_FDINFO_WORD)
		abort();
	if (f.pdev.n)
		check_inside(f.pdev, text);
	for (size_t i = 0; i < f.n; i++) {
		check_inside(f.values[i].part, text);
		if (f.values[i].value < 0 ||
		    !rec_fdinfo_capacity(&f, f.values[i].part) ||
		    !rec_fdinfo_has(&f, f.values[i].kind, f.values[i].part) ||
		    !rec_fdinfo_series_name(f.values[i].kind))
			abort();
	}
}

static void check_metrics(struct span block)
{
	struct rec_gpu_metrics m = { 0 };

	if (rec_gpu_metrics_decode(&m, block, NULL) && m.has)
		abort();
	for (size_t i = 0; i < REC_GM_N; i++)
		if ((m.has & 1u << i) && !(m.scales[i] > 0))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;
	int64_t v;

	if (!size)
		return 0;
	/* In memory of its own, so that a byte too far is found. */
	copy = malloc(size > 1 ? size - 1 : 1);
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	if (data[0] % 4 == 0)
		check_fdinfo(span_of(copy, size - 1));
	else if (data[0] % 4 == 1)
		check_metrics(span_of(copy, size - 1));
	else
		(void)rec_device_value(&v, data[0] % 4 == 2 ?
					       REC_DEVICE_NUMBER :
					       REC_DEVICE_STARRED,
				       span_of(copy, size - 1));
	free(copy);
	return 0;
}
