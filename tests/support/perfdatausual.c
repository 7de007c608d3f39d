#include "tests/support/perfdatausual.h"

#include "format/base/mem.h"

#include <string.h>
#include <zstd.h>

static const uint64_t clock_ids[] = { 11, 12 }, fault_ids[] = { 21, 22 };
const struct pdb_attr usual_events[2] = {
	{ .type = 1, .size = 112, .config = 0, .period = 1000,
	  .sample_type = USUAL | CHAIN,
	  .flags = PDB_SAMPLE_ID_ALL | PDB_EXCLUDE_GUEST, .ids = clock_ids,
	  .n_ids = 2 },
	{ .type = 1, .size = 112, .config = 2, .period = 1,
	  .sample_type = USUAL | CHAIN,
	  .flags = PDB_SAMPLE_ID_ALL | PDB_EXCLUDE_GUEST, .ids = fault_ids,
	  .n_ids = 2 },
};

/* -- Records of those ------------------------------------------------------- */

void usual_trailer(struct pdb *p, uint32_t tid, uint64_t time, uint32_t cpu,
		    uint64_t id)
{
	pdb_pair(p, 100, tid);
	pdb_u64(p, time);
	pdb_pair(p, cpu, 0);
	pdb_u64(p, id);
}

static void comm(struct pdb *p, uint64_t time, const char *name)
{
	size_t at = pdb_begin(p, COMM, 0);

	pdb_pair(p, 100, 101);
	pdb_room(p, name, 16);
	usual_trailer(p, 101, time, 0, 11);
	pdb_end(p, at);
}

void usual_mmap2(struct pdb *p, uint64_t time, uint64_t start)
{
	size_t at = pdb_begin(p, MMAP2, USER);

	pdb_pair(p, 100, 101);
	pdb_u64(p, start);
	pdb_u64(p, 0x2000);
	pdb_u64(p, 0x1000);
	pdb_pair(p, 8, 1);
	pdb_u64(p, 4711);
	pdb_u64(p, 1);
	pdb_pair(p, 5, 2);
	pdb_room(p, "/bin/prog", 16);
	usual_trailer(p, 101, time, 0, 11);
	pdb_end(p, at);
}

void usual_sample(struct pdb *p, uint64_t id, uint64_t time, uint32_t cpu,
		   uint64_t period)
{
	size_t at = pdb_begin(p, SAMPLE, USER);

	pdb_u64(p, id);
	pdb_u64(p, 0x401234);
	pdb_pair(p, 100, 101);
	pdb_u64(p, time);
	pdb_pair(p, cpu, 0);
	pdb_u64(p, period);
	pdb_u64(p, 3);
	pdb_u64(p, CONTEXT_USER);
	pdb_u64(p, 0x401234);
	pdb_u64(p, 0x401300);
	pdb_end(p, at);
}

static void task(struct pdb *p, uint32_t type, uint64_t time)
{
	size_t at = pdb_begin(p, type, 0);

	pdb_pair(p, 200, 100);
	pdb_pair(p, 201, 101);
	pdb_u64(p, time);
	usual_trailer(p, 101, time, 1, 11);
	pdb_end(p, at);
}

void usual_words(struct pdb *p, uint32_t type, uint16_t misc, const uint64_t *w,
		  size_t n, uint64_t time, uint64_t id)
{
	size_t at = pdb_begin(p, type, misc);

	for (size_t i = 0; i < n; i++)
		pdb_u64(p, w[i]);
	usual_trailer(p, 101, time, 1, id);
	pdb_end(p, at);
}

static void finished_round(struct pdb *p)
{
	pdb_end(p, pdb_begin(p, ROUND, 0));
}

static void ksymbol(struct pdb *p, uint64_t time)
{
	size_t at = pdb_begin(p, KSYMBOL, 0);

	pdb_u64(p, 0xffffffffc0000000);
	pdb_u32(p, 64);
	pdb_u16(p, 1);
	pdb_u16(p, 0);
	pdb_room(p, "bpf_prog_1", 16);
	usual_trailer(p, 0, time, 1, 11);
	pdb_end(p, at);
}

/* One of each, two CPUs whose records are not in the order of time. */
void usual_records(struct pdb *p)
{
	static const uint64_t lost[] = { 21, 7 }, throttle[] = { 1500, 12, 0 };
	size_t at;

	comm(p, 0, "prog");
	usual_mmap2(p, 1000, 0x400000);
	usual_sample(p, 11, 1100, 0, 1000);
	usual_sample(p, 11, 1900, 0, 1001);
	usual_sample(p, 21, 1200, 1, 1);
	usual_words(p, LOST, 0, lost, 2, 1300, 22);
	finished_round(p);
	usual_words(p, THROTTLE, 0, throttle, 3, 1500, 12);
	task(p, FORK, 1600);
	ksymbol(p, 1650);
	usual_words(p, SWITCH, 1 << 13, NULL, 0, 1700, 11);
	at = pdb_begin(p, SWITCH_WIDE, 0);
	pdb_pair(p, 300, 301);
	usual_trailer(p, 101, 1750, 1, 11);
	pdb_end(p, at);
	finished_round(p);
	usual_sample(p, 12, 2500, 0, 1002);
	usual_sample(p, 22, 2400, 1, 2);
	task(p, EXIT, 2600);
	finished_round(p);
}

const char usual_lines[] =
	"comm 0/0 'swapper'\n"
	"event 0 'cpu-clock' : format 0\n"
	"event 1 'page-faults' : format 0\n"
	"record 3 misc 0 time 0 by 100/101 cpu 0 100/101 0 'prog'\n"
	"record 10 misc 2 time 1000 by 100/101 cpu 0 100/101 0x400000+0x2000 "
	"@0x1000 prot 5 id  '/bin/prog'\n"
	"sample 0 misc 2 time 1100 of 100/101 cpu 0 period 1000 ip 0x401234 "
	"chain 0xfffffffffffffe00 0x401234 0x401300\n"
	"sample 1 misc 2 time 1200 of 100/101 cpu 1 period 1 ip 0x401234 "
	"chain 0xfffffffffffffe00 0x401234 0x401300\n"
	"lost kind 1 event 1 cpu 1 time 1300 count 7\n"
	"lost kind 2 event 0 cpu 1 time 1500 count 1\n"
	"record 7 misc 0 time 1600 by 100/101 cpu 1 200/201 of 100/101\n"
	"record 17 misc 0 time 1650 by 0/0 cpu 1 0xffffffffc0000000+0x40 "
	"'bpf_prog_1'\n"
	"record 14 misc 8192 time 1700 by 100/101 cpu 1\n"
	"record 15 misc 0 time 1750 by 100/101 cpu 1 other 300/301\n"
	"sample 0 misc 2 time 1900 of 100/101 cpu 0 period 1001 ip 0x401234 "
	"chain 0xfffffffffffffe00 0x401234 0x401300\n"
	"sample 1 misc 2 time 2400 of 100/101 cpu 1 period 2 ip 0x401234 "
	"chain 0xfffffffffffffe00 0x401234 0x401300\n"
	"sample 0 misc 2 time 2500 of 100/101 cpu 0 period 1002 ip 0x401234 "
	"chain 0xfffffffffffffe00 0x401234 0x401300\n"
	"record 4 misc 0 time 2600 by 100/101 cpu 1 200/201 of 100/101\n";

/* -- Files of them ---------------------------------------------------------- */

void usual_file_of(struct pdb *out, const struct pdb_attr *attrs, size_t n,
		    const struct pdb *data)
{
	out->big = data->big;
	pdb_file(out, &(struct pdb_file){ .attrs = attrs, .n_attrs = n,
					  .data = { data->b.p, data->b.n } });
}

void usual_file(struct pdb *out, bool big)
{
	struct pdb data = { .big = big };

	usual_records(&data);
	usual_file_of(out, usual_events, 2, &data);
	buf_fini(&data.b);
}

void usual_pipe(struct pdb *out, bool big)
{
	out->big = big;
	pdb_pipe(out);
	pdb_pipe_attr(out, &usual_events[0]);
	pdb_pipe_attr(out, &usual_events[1]);
	usual_records(out);
}

/* The records as one stream of zstd, flushed and cut every so many bytes. */
static void compress(struct pdb *out, const struct pdb *plain, size_t cut,
		     uint32_t type)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	uint8_t room[1000];

	for (size_t at = 0; at < plain->b.n; at += cut) {
		ZSTD_inBuffer in = { plain->b.p + at,
				     plain->b.n - at < cut ? plain->b.n - at :
							     cut, 0 };
		ZSTD_outBuffer to = { room, sizeof(room), 0 };
		size_t begin = pdb_begin(out, type, 0);

		(void)!ZSTD_compressStream2(z, &to, &in, ZSTD_e_flush);
		if (type == COMPRESSED2)
			pdb_u64(out, to.pos);
		pdb_bytes(out, room, to.pos);
		/* Only the newer kind is padded. */
		if (type == COMPRESSED2) {
			pdb_end(out, begin);
		} else {
			out->b.p[begin + 6] = (uint8_t)(out->b.n - begin);
			out->b.p[begin + 7] =
				(uint8_t)((out->b.n - begin) >> 8);
		}
	}
	ZSTD_freeCCtx(z);
}

void usual_compressed_records(struct pdb *out, size_t cut, uint32_t type)
{
	struct pdb plain = { 0 };

	usual_records(&plain);
	compress(out, &plain, cut, type);
	buf_fini(&plain.b);
}

void usual_compressed(struct pdb *out, size_t cut, uint32_t type)
{
	struct pdb data = { 0 };

	usual_compressed_records(&data, cut, type);
	usual_file_of(out, usual_events, 2, &data);
	buf_fini(&data.b);
}

