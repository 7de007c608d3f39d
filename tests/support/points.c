/* A trace of tracepoints as they are met, and of odd ones. Formats are those of a
 * Linux 6.18, shortened where that changes nothing, or made by hand. */
#include "tests/support/points.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#define COMMON                                                                 \
	"format:\n"                                                            \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"      \
	"\tsigned:0;\n"                                                        \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define FIELD(decl, offset, size, is_signed)                                   \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size                  \
	";\tsigned:" #is_signed ";\n"

static const char sched_switch[] =
	"name: sched_switch\nID: 372\n" COMMON
	FIELD("char prev_comm[16]", 8, 16, 0)
	FIELD("pid_t prev_pid", 24, 4, 1)
	FIELD("int prev_prio", 28, 4, 1)
	FIELD("long prev_state", 32, 8, 1)
	FIELD("char next_comm[16]", 40, 16, 0)
	FIELD("pid_t next_pid", 56, 4, 1)
	FIELD("int next_prio", 60, 4, 1)
	"\nprint fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s "
	"==> next_comm=%s next_pid=%d next_prio=%d\", REC->prev_comm, "
	"REC->prev_pid, REC->prev_prio, (REC->prev_state & ((((0x00000000 | "
	"0x00000001 | 0x00000002 | 0x00000004) + 1) << 1) - 1)) ? "
	"__print_flags(REC->prev_state & ((((0x00000000 | 0x00000001 | "
	"0x00000002 | 0x00000004) + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" "
	"}, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }) : \"R\", "
	"REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 | "
	"0x00000004) + 1) << 1) ? \"+\" : \"\", REC->next_comm, "
	"REC->next_pid, REC->next_prio\n";
static const struct tp_field sched_switch_fields[] = {
	{ "prev_comm", TF_REF, false }, { "prev_pid", TF_I64, false },
	{ "prev_prio", TF_I64, false }, { "prev_state", TF_I64, false },
	{ "next_comm", TF_REF, false }, { "next_pid", TF_I64, false },
	{ "next_prio", TF_I64, false },
};

static const char sys_enter[] =
	"name: sys_enter\nID: 443\n" COMMON
	FIELD("long id", 8, 8, 1)
	FIELD("unsigned long args[6]", 16, 48, 0)
	"\nprint fmt: \"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, "
	"REC->args[0], REC->args[1], REC->args[2], REC->args[3], REC->args[4], "
	"REC->args[5]\n";
static const struct tp_field sys_enter_fields[] = {
	{ "id", TF_I64, false },	{ "args[0]", TF_U64, false },
	{ "args[1]", TF_U64, false }, { "args[2]", TF_U64, false },
	{ "args[3]", TF_U64, false }, { "args[4]", TF_U64, false },
	{ "args[5]", TF_U64, false },
};

static const char sys_enter_openat[] =
	"name: sys_enter_openat\nID: 700\n" COMMON
	FIELD("int __syscall_nr", 8, 4, 1)
	FIELD("int dfd", 16, 8, 0)
	FIELD("const char * filename", 24, 8, 0)
	FIELD("int flags", 32, 8, 0)
	FIELD("umode_t mode", 40, 8, 0)
	"\nprint fmt: \"dfd: 0x%08lx, filename: 0x%08lx, flags: 0x%08lx, "
	"mode: 0x%08lx\", ((unsigned long)(REC->dfd)), ((unsigned long)"
	"(REC->filename)), ((unsigned long)(REC->flags)), ((unsigned long)"
	"(REC->mode))\n";

static const char block_rq_issue[] =
	"name: block_rq_issue\nID: 2104\n" COMMON
	FIELD("dev_t dev", 8, 4, 0)
	FIELD("sector_t sector", 16, 8, 0)
	FIELD("unsigned int nr_sector", 24, 4, 0)
	FIELD("unsigned int bytes", 28, 4, 0)
	FIELD("unsigned short ioprio", 32, 2, 0)
	FIELD("char rwbs[10]", 34, 10, 0)
	FIELD("char comm[16]", 44, 16, 0)
	FIELD("__data_loc char[] cmd", 60, 4, 0)
	"\nprint fmt: \"%d,%d %s %u (%s) %llu + %u %s,%u,%u [%s]\", ((unsigned "
	"int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - "
	"1))), REC->rwbs, REC->bytes, __get_str(cmd), (unsigned long long)"
	"REC->sector, REC->nr_sector, __print_symbolic((((REC->ioprio) >> 13) & "
	"(8 - 1)), { 0, \"none\" }, { 2, \"be\" }), (((REC->ioprio) >> 3) & "
	"((1 << 10) - 1)), ((REC->ioprio) & ((1 << 3) - 1)), REC->comm\n";
static const struct tp_field block_rq_issue_fields[] = {
	{ "dev", TF_U64, false },     { "sector", TF_U64, false },
	{ "nr_sector", TF_U64, false }, { "bytes", TF_U64, false },
	{ "ioprio", TF_U64, false },  { "rwbs", TF_REF, false },
	{ "comm", TF_REF, false },    { "cmd", TF_REF, false },
};

/* What the real ones seldom have. */
static const char odd[] =
	"name: odd\nID: 3000\n" COMMON
	FIELD("s32 small", 28, 4, 1)
	FIELD("unsigned char bits", 9, 1, 0)
	FIELD("s16 pair[2]", 10, 4, 1)
	FIELD("__rel_loc char[] name", 16, 4, 0)
	FIELD("__data_loc u32[] list", 20, 4, 0)
	FIELD("__data_loc u8[] raw", 24, 4, 0)
	FIELD("void * function", 32, 8, 0)
	FIELD("u8 mac[6]", 40, 6, 0)
	"\nprint fmt: \"small=%d bits=%u pair=,%d name=%s list=%d raw=%s "
	"function=%ps at=%pS mac=%pM\", REC->small, REC->bits, "
	"REC->pair[1], __get_rel_str(name), "
	"__get_dynamic_array_len(list), "
	"__print_hex(__get_dynamic_array(raw), __get_dynamic_array_len(raw)), "
	"REC->function, REC->function, REC->mac\n";
static const struct tp_field odd_fields[] = {
	{ "small", TF_I64, false },  { "bits", TF_U64, false },
	{ "pair[0]", TF_I64, false }, { "pair[1]", TF_I64, false },
	{ "name", TF_REF, false },   { "list", TF_U64, true },
	{ "raw", TF_BYTES, false },  { "function", TF_U64, false },
	{ "mac", TF_BYTES, false },
};

/* The library knows no such function, nor do we. */
static const char beyond[] =
	"name: beyond\nID: 3001\n" COMMON
	FIELD("u32 a", 8, 4, 0)
	FIELD("char text[8]", 12, 8, 0)
	"\nprint fmt: \"%s\", __print_the_moon(REC->a)\n";
static const struct tp_field beyond_fields[] = {
	{ "a", TF_U64, false }, { "text", TF_REF, false },
};

/* Printing it would divide by zero. */
static const char evil[] =
	"name: evil\nID: 3002\n" COMMON
	FIELD("u32 a", 8, 4, 0)
	"\nprint fmt: \"%d\", 7 / REC->a\n";
static const struct tp_field evil_fields[] = { { "a", TF_U64, false } };

/* Its text is in the kernel, which shows it elsewhere. */
static const char pointer[] =
	"name: pointer\nID: 3004\n" COMMON
	FIELD("const char * s", 8, 8, 0)
	"\nprint fmt: \"%s\ttab\", REC->s\n";
static const struct tp_field pointer_fields[] = { { "s", TF_U64, false } };

#define TP(system, name, id, format, fields)                                   \
	{ system, name, id, format, fields, ARRAY_LEN(fields) }
static const struct tp_tracepoint tracepoints[] = {
	TP("sched", "sched_switch", 372, sched_switch, sched_switch_fields),
	TP("raw_syscalls", "sys_enter", 443, sys_enter, sys_enter_fields),
	TP("block", "block_rq_issue", 2104, block_rq_issue,
	   block_rq_issue_fields),
	TP("odd", "odd", 3000, odd, odd_fields),
	TP("odd", "beyond", 3001, beyond, beyond_fields),
	TP("odd", "evil", 3002, evil, evil_fields),
	TP("odd", "lost", 3003, "", odd_fields),
	{ "syscalls", "sys_enter_openat", 700, sys_enter_openat, NULL, 0 },
	TP("odd", "pointer", 3004, pointer, pointer_fields),
};

static const struct tp_event events[] = {
	{ "cpu-clock", -1, 0, 0, 0 },
	{ "sched:sched_switch", T_SWITCH, T_SWITCH, 0, 0 },
	{ "syscalls:sys_enter_*", T_ENTER, T_ENTER, 0, 0 },
	{ "syscalls:sys_enter_openat", T_OPENAT, T_ENTER, 257 + 1, E_ENTER },
	{ "block:block_rq_issue", T_BLOCK, T_BLOCK, 0, 0 },
	{ "odd:odd", T_ODD, T_ODD, 0, 0 },
	{ "odd:beyond", T_BEYOND, T_BEYOND, 0, 0 },
	{ "odd:evil", T_EVIL, T_EVIL, 0, 0 },
	{ "odd:lost", T_NO_FORMAT, T_NO_FORMAT, 0, 0 },
	{ "odd:pointer", T_POINTER, T_POINTER, 0, 0 },
};

static const struct tp_thread threads[] = {
	{ 10, 10, "cat" }, { 11, 10, "dog" }, { 0, 0, "swapper/0" },
};

#define N(number) { .v = number }
static const struct tp_value switch_values[] = {
	{ .text = "cat" }, N(10), N(120), N(1), { .text = "dog" }, N(11),
	N(99),
};
static const struct tp_value running_values[] = {
	{ .text = "dog" }, N(11), N(99), N(16), { .text = "swapper/0" }, N(0),
	N(120),
};
static const struct tp_value openat_values[] = {
	N(257), N(0xffffff9c), N(0x7f01), N(0x80000), N(0), N(5), N(6),
};
static const struct tp_value other_call_values[] = {
	N(3), N(7), N(0xabc), N(0), N(0), N(0), N(1),
};
static const struct tp_value block_values[] = {
	N(254u << 20 | 3), N(8), N(16), N(8192), N(2u << 13 | 4),
	{ .text = "WS" }, { .text = "dd" }, { .text = "" },
};
static const uint64_t list[] = { 1, 0xffffffff, 3 };
static const struct tp_value odd_values[] = {
	N((uint64_t)-5), N(7), N((uint64_t)-2), N(300), { .text = "name" },
	{ .items = list, .n = 3 }, { .text = "\x01\xff", .n = 2 },
	N(0xffffffff81000410), { .text = "\x02\x03\x04\x05\x06\x07", .n = 6 },
};
static const struct tp_value beyond_values[] = {
	N(77), { .text = "moon" },
};
static const struct tp_value pointer_values[] = { N(0xffffffff828195b0) };
static const struct tp_value evil_values[] = { N(0) };

/* Not in the order of time, and in several chunks. */
static const struct tp_row rows[] = {
	{ 5000, 0, 0, E_SWITCH, switch_values, 0 },
	{ 1000, 1, 1, E_ENTER, openat_values, 0 },
	{ 6000, 0, 0, E_CLOCK, NULL, 0 },
	{ 2000, 1, 1, E_ENTER, other_call_values, 0 },
	{ 7000, 0, 1, E_BLOCK, block_values, 0 },
	{ 3000, 1, 0, E_ODD, odd_values, 0 },
	{ 8000, 0, 1, E_BEYOND, beyond_values, 1 },
	{ 4000, 1, 1, E_SWITCH, running_values, 1 },
	{ 9000, 0, 1, E_EVIL, evil_values, 1 },
	{ 9500, 0, 1, E_NO_FORMAT, odd_values, 1 },
	{ 9700, 0, 1, E_ENTER, openat_values, 1 },
	{ 9800, 0, 1, E_POINTER, pointer_values, 1 },
};
static const struct tp_switch switches[] = {
	{ 5500, 0, 0, TF_SWITCH_OUT | TF_SWITCH_PREEMPT, 11 + 1 },
	{ 5501, 0, 1, 0, 10 + 1 },
	{ 5502, 0, 1, TF_SWITCH_OUT, 0 },
};
static const struct tp_symbol symbols[] = {
	{ "handler", 0x400, 0x100 }, { "other", 0x900, 0x10 },
};
static const struct tp_fact facts[] = {
	{ "kernel_text", "0xffffffff81000000" }, { "pointer_size", "8" },
	{ "page_size", "4096" },
	{ "printk_formats", "0xffffffff828195af : \"one\"\n"
			    "0xffffffff828195b0 : \"another\"\n" },
};

const struct tp_trace points_trace = {
	.tracepoints = tracepoints, .n_tracepoints = ARRAY_LEN(tracepoints),
	.events = events, .n_events = ARRAY_LEN(events),
	.threads = threads, .n_threads = ARRAY_LEN(threads),
	.rows = rows, .n_rows = ARRAY_LEN(rows),
	.switches = switches, .n_switches = ARRAY_LEN(switches),
	.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
	.facts = facts, .n_facts = ARRAY_LEN(facts),
	.chunk_rows = 2,
	.start_unix_ns = 1700000000000000000,
};
