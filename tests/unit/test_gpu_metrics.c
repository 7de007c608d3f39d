#include "record/counter/device/gpu_metrics.h"

#include "format/base/mem.h"
#include "tests/support/mutate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What the compiler makes of the kernel's struct (kgd_pp_interface.h), its begin:
 * an opinion of its own about where the fields are. */
struct v1_3 {
	uint16_t size;
	uint8_t format, content;
	uint16_t edge, hotspot, mem, vrgfx, vrsoc, vrmem;
	uint16_t gfx_activity, umc_activity, mm_activity;
	uint16_t socket_power;
	uint64_t energy;
	uint64_t system_clock;
	uint16_t average_clocks[7];
	uint16_t gfxclk, socclk, uclk, vclk0, dclk0, vclk1, dclk1;
	uint32_t throttle;
	uint16_t fan, pcie_width, pcie_speed, padding;
	uint32_t gfx_acc, mem_acc;
	uint16_t hbm[4];
	uint64_t firmware;
	uint16_t v_soc, v_gfx, v_mem, padding1;
	uint64_t indep;
};

struct v1_5 {
	uint16_t size;
	uint8_t format, content;
	uint16_t hotspot, mem, vrsoc, power, gfx_activity, umc_activity;
	uint16_t vcn[4], jpeg[32];
	uint64_t energy, system_clock;
	uint32_t throttle, lock;
	uint16_t links[4];
	uint32_t gfx_acc, mem_acc;
	uint64_t pcie[5];
	uint32_t nak[2];
	uint64_t xgmi[16];
	uint64_t firmware;
	uint16_t gfxclk[8], socclk[4], vclk0[4], dclk0[4], uclk, padding;
};

struct v1_7 {
	uint16_t size;
	uint8_t format, content;
	uint16_t hotspot, mem, vrsoc, power, gfx_activity, umc_activity;
	uint64_t bandwidth, energy, system_clock;
	uint32_t accumulated[6], lock;
	uint16_t links[4];
	uint32_t gfx_acc, mem_acc;
	uint64_t pcie[5];
	uint32_t nak[2];
	uint64_t xgmi[16];
	uint16_t xgmi_status[8], padding;
	uint64_t firmware;
	uint16_t gfxclk[8], socclk[4], vclk0[4], dclk0[4], uclk, partitions;
};

struct v2_4 {
	uint16_t size;
	uint8_t format, content;
	uint16_t t_gfx, t_soc, t_core[8], t_l3[2];
	uint16_t gfx_activity, mm_activity;
	uint64_t system_clock;
	uint16_t socket_power, cpu_power, soc_power, gfx_power, core_power[8];
	uint16_t average_clocks[6];
	uint16_t gfxclk, socclk, uclk, fclk, vclk, dclk, coreclk[8], l3clk[2];
	uint32_t throttle;
	uint16_t fan, padding[3];
	uint64_t indep;
	uint16_t average_temperatures[12];
	uint16_t v_cpu, v_soc, v_gfx, currents[3];
};

struct v3_0 {
	uint16_t size;
	uint8_t format, content;
	uint16_t t_gfx, t_soc, t_core[16], t_skin;
	uint16_t gfx_activity, vcn_activity, ipu[8], c0[16], traffic[4];
	uint64_t system_clock;
	uint32_t socket_power;
	uint16_t ipu_power;
	uint32_t apu, gfx, dgpu, cores;
	uint16_t core_power[16], system, limit, limit_now;
	uint16_t gfxclk, socclk, vpeclk, ipuclk, fclk, vclk, uclk, mpipu;
	uint16_t coreclk[16], core_max, gfx_max;
	uint32_t throttle[7], filter;
};

static struct span block(const void *p, size_t n)
{
	return span_of(p, n);
}

static double of(const struct rec_gpu_metrics *m, enum rec_gpu_metric i)
{
	assert_true(m->has & 1u << i);
	return (double)m->values[i] * m->scales[i];
}

#define IS(m, metric, what)                                                    \
	assert_true(of(&(m), metric) > (what) - 1e-9 &&                        \
		    of(&(m), metric) < (what) + 1e-9)

static struct v1_3 good_v1_3(void)
{
	return (struct v1_3){
		.size = sizeof(struct v1_3), .format = 1, .content = 3,
		.edge = 51, .hotspot = 63, .mem = 70, .gfx_activity = 97,
		.umc_activity = 33, .mm_activity = UINT16_MAX,
		.socket_power = 212, .energy = 9, .gfxclk = 2450,
		.socclk = 1200, .uclk = 1000, .fan = 1733, .v_soc = 1012,
		.v_gfx = 981, .v_mem = UINT16_MAX, .indep = 1ull << 33,
	};
}

static void a_discrete_card_is_in_whole_units(void **state)
{
	const struct v1_3 b = good_v1_3();
	struct rec_gpu_metrics m;

	(void)state;
	assert_int_equal(sizeof(b), 120);
	assert_int_equal(rec_gpu_metrics_decode(&m, block(&b, sizeof(b)), NULL),
			 0);
	IS(m, REC_GM_TEMPERATURE_EDGE, 51);
	IS(m, REC_GM_TEMPERATURE_HOTSPOT, 63);
	IS(m, REC_GM_TEMPERATURE_MEMORY, 70);
	IS(m, REC_GM_UTILIZATION_GPU, 97);
	IS(m, REC_GM_UTILIZATION_MEMORY, 33);
	IS(m, REC_GM_POWER_MEAN, 212);
	IS(m, REC_GM_CLOCK_GFX, 2450);
	IS(m, REC_GM_CLOCK_SOC, 1200);
	IS(m, REC_GM_CLOCK_MEMORY, 1000);
	IS(m, REC_GM_FAN, 1733);
	IS(m, REC_GM_VOLTAGE_SOC, 1.012);
	IS(m, REC_GM_VOLTAGE_GFX, 0.981);
	assert_true(m.values[REC_GM_THROTTLE] == 1ll << 33);
}

static void what_is_all_ones_is_not_there(void **state)
{
	const struct v1_3 b = good_v1_3();
	struct rec_gpu_metrics m;

	(void)state;
	assert_int_equal(rec_gpu_metrics_decode(&m, block(&b, sizeof(b)), NULL),
			 0);
	assert_false(m.has & 1u << REC_GM_UTILIZATION_MEDIA);
	assert_false(m.has & 1u << REC_GM_VOLTAGE_MEMORY);
	/* The unit of this revision's energy is not the same on each chip. */
	assert_false(m.has & 1u << REC_GM_ENERGY);
}

/* An earlier revision of the same layout has nothing behind its end. */
static void what_is_behind_the_end_is_not_there(void **state)
{
	struct v1_3 b = good_v1_3();
	struct rec_gpu_metrics m;

	(void)state;
	b.content = 1;
	b.size = 96;
	assert_int_equal(rec_gpu_metrics_decode(&m, block(&b, sizeof(b)), NULL),
			 0);
	IS(m, REC_GM_TEMPERATURE_EDGE, 51);
	assert_false(m.has & 1u << REC_GM_VOLTAGE_GFX);
	assert_false(m.has & 1u << REC_GM_THROTTLE);
}

static void accelerators_count_energy(void **state)
{
	const struct v1_5 five = {
		.size = sizeof(five), .format = 1, .content = 5, .hotspot = 45,
		.mem = 40, .power = 305, .gfx_activity = 12,
		.umc_activity = 3, .energy = 65536 * 7 + 32768,
		.gfxclk = { 2100, 132 }, .socclk = { 900 }, .uclk = 1300,
	};
	const struct v1_7 seven = {
		.size = sizeof(seven), .format = 1, .content = 7,
		.power = 700, .bandwidth = 5300, .energy = 65536,
		.gfxclk = { 1980 }, .socclk = { 950 }, .uclk = 1400,
	};
	struct rec_gpu_metrics m;

	(void)state;
	assert_int_equal(sizeof(five), 360);
	assert_int_equal(rec_gpu_metrics_decode(&m, block(&five, sizeof(five)),
						NULL), 0);
	IS(m, REC_GM_POWER, 305);
	IS(m, REC_GM_ENERGY, 7.5);
	IS(m, REC_GM_CLOCK_GFX, 2100);
	IS(m, REC_GM_CLOCK_SOC, 900);
	IS(m, REC_GM_CLOCK_MEMORY, 1300);
	IS(m, REC_GM_UTILIZATION_MEMORY, 3);
	assert_int_equal(rec_gpu_metrics_decode(&m, block(&seven,
							  sizeof(seven)),
						NULL), 0);
	IS(m, REC_GM_POWER, 700);
	IS(m, REC_GM_ENERGY, 1);
	IS(m, REC_GM_CLOCK_GFX, 1980);
	IS(m, REC_GM_CLOCK_SOC, 950);
	IS(m, REC_GM_CLOCK_MEMORY, 1400);
}

static void an_apu_is_in_hundredths(void **state)
{
	struct v2_4 b = {
		.size = sizeof(b), .format = 2, .content = 4, .t_gfx = 4512,
		.t_soc = 4300, .gfx_activity = 8750, .mm_activity = 100,
		.socket_power = 15250, .gfxclk = 1600, .socclk = 800,
		.uclk = 933, .fclk = 1200, .indep = 5, .v_soc = 700,
		.v_gfx = 850,
	};
	struct rec_gpu_metrics m;

	(void)state;
	assert_int_equal(rec_gpu_metrics_decode(&m, block(&b, sizeof(b)), NULL),
			 0);
	IS(m, REC_GM_TEMPERATURE_GFX, 45.12);
	IS(m, REC_GM_TEMPERATURE_SOC, 43);
	IS(m, REC_GM_UTILIZATION_GPU, 87.5);
	IS(m, REC_GM_UTILIZATION_MEDIA, 1);
	IS(m, REC_GM_POWER_MEAN, 15.25);
	IS(m, REC_GM_CLOCK_FABRIC, 1200);
	IS(m, REC_GM_THROTTLE, 5);
	IS(m, REC_GM_VOLTAGE_GFX, 0.85);
	b.content = 1;
	assert_int_equal(rec_gpu_metrics_decode(&m, block(&b, sizeof(b)), NULL),
			 0);
	IS(m, REC_GM_TEMPERATURE_GFX, 45.12);
	IS(m, REC_GM_CLOCK_GFX, 1600);
	assert_false(m.has & 1u << REC_GM_UTILIZATION_GPU);
	assert_false(m.has & 1u << REC_GM_POWER_MEAN);
}

static void a_new_apu_has_means(void **state)
{
	const struct v3_0 b = {
		.size = sizeof(b), .format = 3, .t_gfx = 5012,
		.t_soc = 4800, .socket_power = 28125, .gfxclk = 2200,
		.uclk = 1000,
	};
	struct rec_gpu_metrics m;

	(void)state;
	assert_int_equal(sizeof(b), 264);
	assert_int_equal(rec_gpu_metrics_decode(&m, block(&b, sizeof(b)), NULL),
			 0);
	IS(m, REC_GM_TEMPERATURE_GFX, 50.12);
	IS(m, REC_GM_POWER_MEAN, 28.125);
	IS(m, REC_GM_CLOCK_GFX_MEAN, 2200);
	IS(m, REC_GM_CLOCK_MEMORY_MEAN, 1000);
}

static void an_unknown_revision_is_refused_by_name(void **state)
{
	static const uint8_t unknown[][2] = { { 1, 9 }, { 2, 5 }, { 3, 1 },
					      { 0, 0 }, { 4, 0 }, { 255, 255 } };
	struct v1_3 b = good_v1_3();
	struct rec_gpu_metrics m = { .has = 77 };
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(unknown); i++) {
		b.format = unknown[i][0];
		b.content = unknown[i][1];
		assert_int_equal(rec_gpu_metrics_decode(&m, block(&b, sizeof(b)),
							&err),
				 ERR_UNSUPPORTED);
		assert_int_equal(m.has, 77);
	}
	assert_non_null(strstr(err.text, "255.255"));
}

static void see_prefix(void *ctx, struct span in)
{
	struct rec_gpu_metrics m = { .has = 77 };

	(void)ctx;
	if (in.n < sizeof(struct v1_3)) {
		assert_int_equal(rec_gpu_metrics_decode(&m, in, NULL),
				 ERR_FORMAT);
		assert_int_equal(m.has, 77);
	}
}

static void see_flip(void *ctx, struct span in, size_t bit)
{
	struct rec_gpu_metrics m;

	(void)ctx, (void)bit;
	(void)rec_gpu_metrics_decode(&m, in, NULL);
}

static void a_part_of_it_is_refused_and_any_bytes_are_taken(void **state)
{
	struct v1_3 b = good_v1_3();
	uint8_t *copy = malloc(sizeof(b));

	(void)state;
	assert_non_null(copy);
	memcpy(copy, &b, sizeof(b));
	mutate_prefixes(block(copy, sizeof(b)), see_prefix, NULL);
	mutate_bits(copy, sizeof(b), see_flip, NULL);
	free(copy);
}

/* A head that says less than its revision needs is of another layout. */
static void a_block_that_says_it_is_short_is_refused(void **state)
{
	struct v3_0 b = { .size = sizeof(b) - 16, .format = 3 };
	struct rec_gpu_metrics m;

	(void)state;
	assert_int_equal(rec_gpu_metrics_decode(&m, block(&b, sizeof(b)), NULL),
			 ERR_FORMAT);
	b.size = 3;
	assert_int_equal(rec_gpu_metrics_decode(&m, block(&b, sizeof(b)), NULL),
			 ERR_FORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_discrete_card_is_in_whole_units),
		cmocka_unit_test(what_is_all_ones_is_not_there),
		cmocka_unit_test(what_is_behind_the_end_is_not_there),
		cmocka_unit_test(accelerators_count_energy),
		cmocka_unit_test(an_apu_is_in_hundredths),
		cmocka_unit_test(a_new_apu_has_means),
		cmocka_unit_test(an_unknown_revision_is_refused_by_name),
		cmocka_unit_test(a_part_of_it_is_refused_and_any_bytes_are_taken),
		cmocka_unit_test(a_block_that_says_it_is_short_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
