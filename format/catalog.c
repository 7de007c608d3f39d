#include "format/catalog.h"

#include "format/base/mem.h"

#define COLUMN(at, nm, ty, un, ro, pr)                                         \
	[at] = { .id = at, .name = nm, .type = ty, .unit = un,                 \
		 .role = TF_ROLE_##ro, .privacy = TF_PRIVACY_##pr }
/* Predicted by another column, see struct tf_column. */
#define BY(at, nm, ty, un, ro, pr, by)                                         \
	[at] = { .id = at, .name = nm, .type = ty, .unit = un,                 \
		 .role = TF_ROLE_##ro, .privacy = TF_PRIVACY_##pr,             \
		 .key = (by) + 1 }
#define REF_BY(at, nm, to, ro, pr, by)                                         \
	[at] = { .id = at, .name = nm, .type = TF_REF, .unit = "",             \
		 .ref_table = TF_TABLE_##to, .role = TF_ROLE_##ro,             \
		 .privacy = TF_PRIVACY_##pr, .key = (by) + 1 }
#define U64(at, nm, un, ro, pr) COLUMN(at, nm, TF_U64, un, ro, pr)
#define REF(at, nm, to, ro, pr)                                                \
	[at] = { .id = at, .name = nm, .type = TF_REF, .unit = "",             \
		 .ref_table = TF_TABLE_##to, .role = TF_ROLE_##ro,             \
		 .privacy = TF_PRIVACY_##pr }
#define BYTES(at, nm, ro, pr) COLUMN(at, nm, TF_BYTES, "bytes", ro, pr)
#define LIST(at, nm, ty, ro, pr)                                               \
	[at] = { .id = at, .name = nm, .type = ty, .unit = "", .list = true,   \
		 .role = TF_ROLE_##ro, .privacy = TF_PRIVACY_##pr }

#define TABLE(var, number, nm, what)                                           \
	static const struct tf_table var = {                                   \
		.id = number, .name = nm, .kind = TF_KIND_##what,              \
		.columns = var##_columns,                                      \
		.n_columns = ARRAY_LEN(var##_columns),                         \
	}

/* What a string is shown as depends on the column that refers to it; by
 * itself it has the strictest class of them. */
static const struct tf_column string_columns[] = {
	BYTES(TF_STRING_BYTES, "bytes", TEXT, ARGUMENT),
};
TABLE(string, TF_TABLE_STRING, "string", DEFINITION);

static const struct tf_column image_columns[] = {
	U64(TF_IMAGE_KIND, "kind", "", ID, NUMBER),
	REF(TF_IMAGE_PATH, "path", STRING, ID, PATH),
	BYTES(TF_IMAGE_BUILD_ID, "build_id", BLOB, NAME),
	U64(TF_IMAGE_GENERATION, "generation", "", VALUE, NUMBER),
};
TABLE(image, TF_TABLE_IMAGE, "image", DEFINITION);

static const struct tf_column process_columns[] = {
	U64(TF_PROCESS_PID, "pid", "", ID, NUMBER),
	U64(TF_PROCESS_PARENT, "parent", "", ID, NUMBER),
	U64(TF_PROCESS_TIME, "time", "ns", TIME, NUMBER),
	REF(TF_PROCESS_COMMAND, "command", STRING, ID, ARGUMENT),
	U64(TF_PROCESS_NS_PID, "ns_pid", "", ID, NUMBER),
	U64(TF_PROCESS_PID_NS, "pid_ns", "", ID, NUMBER),
	REF(TF_PROCESS_CGROUP, "cgroup", STRING, ID, NAME),
};
TABLE(process, TF_TABLE_PROCESS, "process", DEFINITION);

static const struct tf_column thread_columns[] = {
	U64(TF_THREAD_TID, "tid", "", ID, NUMBER),
	U64(TF_THREAD_PID, "pid", "", ID, NUMBER),
	U64(TF_THREAD_TIME, "time", "ns", TIME, NUMBER),
	REF(TF_THREAD_COMM, "comm", STRING, ID, NAME),
};
TABLE(thread, TF_TABLE_THREAD, "thread", DEFINITION);

static const struct tf_column mapping_columns[] = {
	U64(TF_MAPPING_PID, "pid", "", ID, NUMBER),
	U64(TF_MAPPING_TIME, "time", "ns", TIME, NUMBER),
	U64(TF_MAPPING_START, "start", "", VALUE, ADDRESS),
	BY(TF_MAPPING_SIZE, "size", TF_U64, "bytes", VALUE, NUMBER,
	   TF_MAPPING_IMAGE),
	BY(TF_MAPPING_OFFSET, "offset", TF_U64, "bytes", VALUE, NUMBER,
	   TF_MAPPING_IMAGE),
	REF(TF_MAPPING_IMAGE, "image", IMAGE, ID, NUMBER),
};
TABLE(mapping, TF_TABLE_MAPPING, "mapping", DEFINITION);

static const struct tf_column event_columns[] = {
	REF(TF_EVENT_NAME, "name", STRING, ID, NAME),
	REF(TF_EVENT_UNIT, "unit", STRING, ID, NAME),
	U64(TF_EVENT_TYPE, "type", "", ID, NUMBER),
	U64(TF_EVENT_CONFIG, "config", "", VALUE, NUMBER),
	U64(TF_EVENT_FREQUENCY, "frequency", "Hz", VALUE, NUMBER),
	U64(TF_EVENT_PERIOD, "period", "", VALUE, NUMBER),
	COLUMN(TF_EVENT_CALLCHAIN, "callchain", TF_BOOL, "", VALUE, NUMBER),
	BYTES(TF_EVENT_ATTR, "attr", BLOB, NUMBER),
	U64(TF_EVENT_TABLE, "table", "", ID, NUMBER),
	U64(TF_EVENT_TRACEPOINT, "tracepoint", "", ID, NUMBER),
	U64(TF_EVENT_KEY, "key", "", VALUE, NUMBER),
	REF(TF_EVENT_OF, "of", EVENT, SERIAL, NUMBER),
};
TABLE(event, TF_TABLE_EVENT, "event", DEFINITION);

static const struct tf_column frame_columns[] = {
	REF(TF_FRAME_IMAGE, "image", IMAGE, ID, NUMBER),
	BY(TF_FRAME_ADDRESS, "address", TF_U64, "", VALUE, ADDRESS,
	   TF_FRAME_IMAGE),
	U64(TF_FRAME_KIND, "kind", "", ID, NUMBER),
};
TABLE(frame, TF_TABLE_FRAME, "frame", DEFINITION);

static const struct tf_column stack_columns[] = {
	REF(TF_STACK_PARENT, "parent", STACK, BELOW, NUMBER),
	REF(TF_STACK_FRAME, "frame", FRAME, ID, NUMBER),
};
TABLE(stack, TF_TABLE_STACK, "stack", DEFINITION);

static const struct tf_column symbol_columns[] = {
	REF(TF_SYMBOL_IMAGE, "image", IMAGE, ID, NUMBER),
	U64(TF_SYMBOL_START, "start", "", VALUE, ADDRESS),
	U64(TF_SYMBOL_SIZE, "size", "bytes", VALUE, NUMBER),
	REF(TF_SYMBOL_NAME, "name", STRING, ID, NAME),
	REF(TF_SYMBOL_LINKAGE, "linkage", STRING, ID, NAME),
};
TABLE(symbol, TF_TABLE_SYMBOL, "symbol", DEFINITION);

static const struct tf_column clock_reading_columns[] = {
	U64(TF_CLOCK_MONOTONIC, "monotonic", "ns", TIME, NUMBER),
	U64(TF_CLOCK_REALTIME, "realtime", "ns", SERIAL, NUMBER),
	U64(TF_CLOCK_BOOTTIME, "boottime", "ns", SERIAL, NUMBER),
};
TABLE(clock_reading, TF_TABLE_CLOCK, "clock", DEFINITION);

static const struct tf_column fact_columns[] = {
	REF(TF_FACT_KEY, "key", STRING, ID, NAME),
	REF(TF_FACT_VALUE, "value", STRING, ID, HOST),
};
TABLE(fact, TF_TABLE_FACT, "fact", DEFINITION);

static const struct tf_column loss_columns[] = {
	U64(TF_LOSS_TIME, "time", "ns", TIME, NUMBER),
	U64(TF_LOSS_KIND, "kind", "", ID, NUMBER),
	U64(TF_LOSS_EVENT, "event", "", ID, NUMBER),
	U64(TF_LOSS_CPU, "cpu", "", ID, NUMBER),
	U64(TF_LOSS_COUNT, "count", "events", VALUE, NUMBER),
};
TABLE(loss, TF_TABLE_LOSS, "loss", DEFINITION);

static const struct tf_column tracepoint_columns[] = {
	REF(TF_TRACEPOINT_SYSTEM, "system", STRING, ID, NAME),
	REF(TF_TRACEPOINT_NAME, "name", STRING, ID, NAME),
	U64(TF_TRACEPOINT_ID, "id", "", VALUE, NUMBER),
	BYTES(TF_TRACEPOINT_FORMAT, "format", TEXT, NAME),
};
TABLE(tracepoint, TF_TABLE_TRACEPOINT, "tracepoint", DEFINITION);

static const struct tf_column mark_columns[] = {
	U64(TF_MARK_TIME, "time", "ns", TIME, NUMBER),
	U64(TF_MARK_SOURCE, "source", "", ID, NUMBER),
	U64(TF_MARK_PID, "pid", "", ID, NUMBER),
	REF(TF_MARK_TEXT, "text", STRING, ID, CONTENT),
};
TABLE(mark, TF_TABLE_MARK, "mark", EVENT);

static const struct tf_column chunk_index_columns[] = {
	U64(TF_INDEX_OFFSET, "offset", "bytes", SERIAL, NUMBER),
	U64(TF_INDEX_SIZE, "size", "bytes", VALUE, NUMBER),
	U64(TF_INDEX_TYPE, "type", "", ID, NUMBER),
	U64(TF_INDEX_FLAGS, "flags", "", ID, NUMBER),
	U64(TF_INDEX_EPOCH, "epoch", "", SERIAL, NUMBER),
	U64(TF_INDEX_PARTS, "parts", "", VALUE, NUMBER),
	U64(TF_INDEX_T_MIN, "t_min", "ns", SERIAL, NUMBER),
	U64(TF_INDEX_T_MAX, "t_max", "ns", SERIAL, NUMBER),
	U64(TF_INDEX_TABLES, "tables", "", ID, NUMBER),
};
TABLE(chunk_index, TF_TABLE_INDEX, "index", DEFINITION);

static const struct tf_column sample_columns[] = {
	BY(TF_SAMPLE_TIME, "time", TF_U64, "ns", TIME, NUMBER, TF_SAMPLE_CPU),
	U64(TF_SAMPLE_CPU, "cpu", "", ID, NUMBER),
	REF(TF_SAMPLE_THREAD, "thread", THREAD, ID, NUMBER),
	REF(TF_SAMPLE_EVENT, "event", EVENT, ID, NUMBER),
	BY(TF_SAMPLE_PERIOD, "period", TF_U64, "", VALUE, NUMBER,
	   TF_SAMPLE_EVENT),
	REF(TF_SAMPLE_IP, "ip", FRAME, ID, NUMBER),
	REF_BY(TF_SAMPLE_KSTACK, "kstack", STACK, ID, NUMBER, TF_SAMPLE_IP),
	REF_BY(TF_SAMPLE_USTACK, "ustack", STACK, ID, NUMBER,
	       TF_SAMPLE_THREAD),
	BY(TF_SAMPLE_FLAGS, "flags", TF_U64, "", ID, NUMBER, TF_SAMPLE_IP),
};
TABLE(sample, TF_TABLE_SAMPLE, "sample", EVENT);

/* `switch` is a word of C. */
static const struct tf_column cpu_switch_columns[] = {
	BY(TF_SWITCH_TIME, "time", TF_U64, "ns", TIME, NUMBER, TF_SWITCH_CPU),
	U64(TF_SWITCH_CPU, "cpu", "", ID, NUMBER),
	REF(TF_SWITCH_THREAD, "thread", THREAD, ID, NUMBER),
	U64(TF_SWITCH_FLAGS, "flags", "", ID, NUMBER),
	U64(TF_SWITCH_OTHER, "other", "", ID, NUMBER),
};
TABLE(cpu_switch, TF_TABLE_SWITCH, "switch", EVENT);

static const struct tf_column user_dump_columns[] = {
	BY(TF_USER_DUMP_TIME, "time", TF_U64, "ns", TIME, NUMBER,
	   TF_USER_DUMP_CPU),
	U64(TF_USER_DUMP_CPU, "cpu", "", ID, NUMBER),
	REF(TF_USER_DUMP_THREAD, "thread", THREAD, ID, NUMBER),
	REF(TF_USER_DUMP_EVENT, "event", EVENT, ID, NUMBER),
	U64(TF_USER_DUMP_ABI, "abi", "", ID, NUMBER),
	U64(TF_USER_DUMP_MASK, "mask", "", ID, NUMBER),
	LIST(TF_USER_DUMP_REGISTERS, "registers", TF_U64, VALUE, CONTENT),
	BYTES(TF_USER_DUMP_STACK, "stack", BLOB, CONTENT),
};
TABLE(user_dump, TF_TABLE_USER_DUMP, "user_dump", EVENT);

static const struct tf_column series_columns[] = {
	REF(TF_SERIES_NAME, "name", STRING, ID, NAME),
	REF(TF_SERIES_UNIT, "unit", STRING, ID, NAME),
	U64(TF_SERIES_KIND, "kind", "", ID, NUMBER),
	COLUMN(TF_SERIES_SCALE, "scale", TF_F64, "", VALUE, NUMBER),
	U64(TF_SERIES_SOURCE, "source", "", ID, NUMBER),
	U64(TF_SERIES_EVENT, "event", "", ID, NUMBER),
	U64(TF_SERIES_CPU, "cpu", "", ID, NUMBER),
	U64(TF_SERIES_PID, "pid", "", ID, NUMBER),
	REF(TF_SERIES_DEVICE, "device", STRING, ID, HOST),
	REF(TF_SERIES_PART, "part", STRING, ID, NAME),
	U64(TF_SERIES_CLIENT, "client", "", ID, NUMBER),
	U64(TF_SERIES_CAPACITY, "capacity", "", ID, NUMBER),
	U64(TF_SERIES_RUN, "run", "", ID, NUMBER),
	REF(TF_SERIES_LABEL, "label", STRING, ID, NAME),
};
TABLE(series, TF_TABLE_SERIES, "series", DEFINITION);

static const struct tf_column counter_columns[] = {
	U64(TF_COUNTER_TIME, "time", "ns", TIME, NUMBER),
	REF(TF_COUNTER_SERIES, "series", SERIES, ID, NUMBER),
	BY(TF_COUNTER_VALUE, "value", TF_I64, "", VALUE, NUMBER,
	   TF_COUNTER_SERIES),
	BY(TF_COUNTER_ENABLED, "enabled", TF_U64, "ns", VALUE, NUMBER,
	   TF_COUNTER_SERIES),
	BY(TF_COUNTER_RUNNING, "running", TF_U64, "ns", VALUE, NUMBER,
	   TF_COUNTER_SERIES),
	U64(TF_COUNTER_TOOK, "took", "ns", VALUE, NUMBER),
	U64(TF_COUNTER_STATE, "state", "", ID, NUMBER),
};
TABLE(counter, TF_TABLE_COUNTER, "counter", EVENT);

const struct tf_table *const tf_catalog[] = {
	&string, &image, &process, &thread, &mapping, &event, &frame,
	&stack, &symbol, &clock_reading, &fact, &loss, &tracepoint, &mark,
	&chunk_index, &sample, &cpu_switch, &user_dump, &series, &counter, NULL,
};
const size_t tf_catalog_size = ARRAY_LEN(tf_catalog) - 1;
const size_t tf_catalog_usual = ARRAY_LEN(tf_catalog) - 4;

const struct tf_table *tf_catalog_table(uint32_t id)
{
	for (size_t i = 0; i < tf_catalog_size; i++)
		if (tf_catalog[i]->id == id)
			return tf_catalog[i];
	return NULL;
}
