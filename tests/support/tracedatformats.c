#include "tests/support/tracedatformats.h"

#include "format/base/mem.h"

void tdb_put(struct buf *b, bool big, size_t size, uint64_t v)
{
	for (size_t i = 0; i < size; i++)
		buf_u8(b, (uint8_t)(v >> 8 * (big ? size - 1 - i : i)));
}

static void put_format(const struct tdb *t, struct buf *to, const char *name,
		       unsigned id, const char *fields, const char *print)
{
	struct buf text;

	buf_init(&text, 0);
	buf_printf(&text, "name: %s\nID: %u\nformat:\n"
		   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\t"
		   "signed:0;\n\tfield:unsigned char common_flags;\toffset:2;\t"
		   "size:1;\tsigned:0;\n\tfield:unsigned char "
		   "common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		   "%s\nprint fmt: %s\n", name, id, fields, print);
	tdb_put(to, t->big, 8, text.n);
	buf_put(to, text.p, text.n);
	buf_fini(&text);
}

/* "TYPE NAME" at an offset. */
static void field(struct buf *to, const char *what, unsigned offset,
		  unsigned size)
{
	buf_printf(to, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:0;\n", what,
		   offset, size);
}

struct field {
	const char *what;
	unsigned offset, size;
};

static void put_fields(const struct tdb *t, struct buf *to, const char *name,
		       unsigned id, const struct field *fields, size_t n,
		       const char *print)
{
	struct buf text;

	buf_init(&text, 0);
	for (size_t i = 0; i < n; i++)
		field(&text, fields[i].what, fields[i].offset,
		      fields[i].size);
	buf_u8(&text, 0);
	put_format(t, to, name, id, (const char *)text.p, print);
	buf_fini(&text);
}

void tdb_formats_ftrace(struct buf *to, const struct tdb *t)
{
	const unsigned l = t->long_size, two = 8 + 2 * l;
	const struct field print[] = {
		{ "unsigned long ip", 8, l }, { "char buf[]", 8 + l, 0 },
	};
	const struct field bprint[] = {
		{ "unsigned long ip", 8, l }, { "const char * fmt", 8 + l, l },
		{ "u32 buf[]", two, 0 },
	};
	const struct field bputs[] = {
		{ "unsigned long ip", 8, l }, { "const char * str", 8 + l, l },
	};
	const struct field stack[] = {
		{ "int size", 8, 4 },
		{ "unsigned long caller[8]", l == 8 ? 16 : 12, 8 * l },
	};
	const struct field user[] = {
		{ "unsigned int tgid", 8, 4 },
		{ "unsigned long caller[8]", l == 8 ? 16 : 12, 8 * l },
	};
	const struct field raw[] = {
		{ "unsigned int id", 8, 4 }, { "char buf[]", 12, 0 },
	};

	tdb_put(to, t->big, 4, 6);
	put_fields(t, to, "print", TDB_PRINT, print, ARRAY_LEN(print),
		   "\"%ps: %s\", (void *)REC->ip, REC->buf");
	put_fields(t, to, "bprint", TDB_BPRINT, bprint, ARRAY_LEN(bprint),
		   "\"%ps: %s\", (void *)REC->ip, REC->fmt");
	put_fields(t, to, "bputs", TDB_BPUTS, bputs, ARRAY_LEN(bputs),
		   "\"%ps: %s\", (void *)REC->ip, REC->str");
	put_fields(t, to, "kernel_stack", TDB_KERNEL_STACK, stack,
		   ARRAY_LEN(stack), "\"\"");
	put_fields(t, to, "user_stack", TDB_USER_STACK, user, ARRAY_LEN(user),
		   "\"\"");
	put_fields(t, to, "raw_data", TDB_RAW_DATA, raw, ARRAY_LEN(raw),
		   "\"id:%04x %08x\", REC->id, (int)REC->buf[0]");
}

void tdb_formats_systems(struct buf *to, const struct tdb *t)
{
	static const struct field switched[] = {
		{ "char prev_comm[16]", 8, 16 }, { "pid_t prev_pid", 24, 4 },
		{ "char next_comm[16]", 28, 16 }, { "pid_t next_pid", 44, 4 },
	};
	static const struct field all[] = {
		{ "u8 byte", 8, 1 }, { "u16 half", 10, 2 },
		{ "u32 word", 12, 4 }, { "u64 twice", 16, 8 },
		{ "u16 pair[2]", 24, 4 }, { "__data_loc char[] name", 28, 4 },
		{ "__data_loc u32[] list", 32, 4 },
	};

	tdb_put(to, t->big, 4, 2);
	buf_put(to, "sched", 6);
	tdb_put(to, t->big, 4, 1);
	put_fields(t, to, "sched_switch", TDB_SWITCH, switched,
		   ARRAY_LEN(switched), "\"%d\", REC->next_pid");
	buf_put(to, "test", 5);
	tdb_put(to, t->big, 4, 1);
	put_fields(t, to, "all", TDB_ALL, all, ARRAY_LEN(all),
		   "\"%u\", REC->word");
}
