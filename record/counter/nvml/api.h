/* What is asked of NVIDIA's management library: numbers and layouts of its
 * binary interface, as its public header documents them (12.x; where they
 * differed earlier, it is said). Names are our own. */
#ifndef RECORD_COUNTER_NVML_API_H
#define RECORD_COUNTER_NVML_API_H

enum nvml_code {
	NVML_OK = 0,
	NVML_UNINITIALIZED = 1,
	NVML_INVALID_ARGUMENT = 2,
	NVML_NOT_SUPPORTED = 3,
	NVML_NO_PERMISSION = 4,
	NVML_NOT_FOUND = 6,         /* of samples: nothing new */
	NVML_INSUFFICIENT_SIZE = 7, /* the count says how many there are */
	NVML_DRIVER_NOT_LOADED = 9,
	NVML_TIMEOUT = 10,          /* of events: none waits */
	NVML_FUNCTION_NOT_FOUND = 13,
	NVML_GPU_IS_LOST = 15,      /* fell off the bus; stays so */
	NVML_VERSION_MISMATCH = 18, /* of library and kernel module */
	NVML_IRQ_ISSUE = 11,
	NVML_CORRUPTED_INFOROM = 14,
	NVML_RESET_REQUIRED = 16,
	NVML_OPERATING_SYSTEM = 17,
	NVML_MEMORY_MISSING = 20,
	NVML_ARGUMENT_VERSION_MISMATCH = 25,
	NVML_DEPRECATED = 26,
	NVML_NOT_READY = 27,
	NVML_GPU_NOT_FOUND = 28,
	NVML_UNKNOWN = 999,         /* may work the next time */
};

/* Opaque to us. */
struct nvml_device;
struct nvml_event_set;
struct nvml_gpm_sample;

#define NVML_NAME_SIZE 96u /* of names and UUIDs, the zero included */

#define NVML_INIT_NO_ATTACH 2u /* touches no GPU before it is asked for */

struct nvml_utilization { unsigned gpu, memory; }; /* % */

struct nvml_memory_v1 { unsigned long long total, free, used; }; /* bytes */

/* `used` is without `reserved`, other than in the first version. */
struct nvml_memory {
	unsigned version; /* NVML_MEMORY_VERSION */
	unsigned long long total, reserved, free, used;
};
#define NVML_MEMORY_VERSION ((unsigned)sizeof(struct nvml_memory) | 2u << 24)

/* Until _v2 only `legacy` and the numbers, then reserved bytes that are fewer
 * than `address`: all versions fit in. */
struct nvml_pci {
	char legacy[16];
	unsigned domain, bus, device, ids, subsystem;
	char address[32]; /* "00000000:03:00.0" */
};

/* From R560 on; the call without a version is to go. */
struct nvml_temperature {
	unsigned version; /* NVML_TEMPERATURE_VERSION */
	unsigned sensor;
	int celsius;
};
#define NVML_TEMPERATURE_VERSION                                               \
	((unsigned)sizeof(struct nvml_temperature) | 1u << 24)

enum nvml_clock { NVML_GRAPHICS, NVML_SM, NVML_MEMORY, NVML_VIDEO };
enum nvml_pcie { NVML_TX, NVML_RX };
enum nvml_ecc { NVML_CORRECTED, NVML_UNCORRECTED };
#define NVML_ECC_VOLATILE 0u /* since the driver was loaded */
#define NVML_PERFORMANCE_UNKNOWN 32u

/* The first version ends before `instance`; that of the drivers 535.43 to
 * 535.86 has 8 more bytes at its end, under the names of the third. */
struct nvml_process {
	unsigned pid;
	unsigned long long memory; /* bytes; all ones: not known */
	unsigned instance, part;   /* of a GPU that MIG divides, else ~0 */
};
#define NVML_NO_INSTANCE 0xffffffffu
#define NVML_PROCESS_V1 16u
#define NVML_PROCESS_CC 32u

struct nvml_process_use {
	unsigned pid;
	unsigned long long time_us; /* CLOCK_REALTIME */
	unsigned sm, memory, encoder, decoder; /* % */
};

struct nvml_sample {
	unsigned long long time_us; /* CLOCK_REALTIME */
	union {
		double f64;
		unsigned u32;
		unsigned long u64l;
		unsigned long long u64;
		long long i64;
		int i32;
	} value;
};
enum nvml_sample_type { NVML_SAMPLE_POWER = 0 }; /* mW */
enum nvml_value_type {
	NVML_F64, NVML_U32, NVML_U64L, NVML_U64, NVML_I64, NVML_I32
};

#define NVML_EVENT_XID 8ull /* the driver says that something went wrong */

/* The first version of waiting writes the first three. */
struct nvml_event {
	struct nvml_device *device;
	unsigned long long type, data;
	unsigned instance, part; /* where the driver can tell, else ~0 */
};

/* GPM: performance counters, from Hopper on. */
struct nvml_gpm_support { unsigned version, supported; };
#define NVML_GPM_VERSION 1u

struct nvml_gpm_metric {
	unsigned id;
	int code;
	double value;
	const char *short_name, *long_name, *unit; /* may be NULL */
};

/* In the header the array is longer, and grew from version to version (98, 210,
 * 333 of them). Only `n` are touched; room is left behind them all the same. */
struct nvml_gpm_request {
	unsigned version, n;
	struct nvml_gpm_sample *begin, *end;
	struct nvml_gpm_metric metrics[];
};

#endif
