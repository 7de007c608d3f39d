/* What it costs to follow the clients of a GPU on a machine with many processes:
 * `fdinfocost [PROCESSES] [CLIENTS] [SECONDS] [READINGS] [OPENERS]`, 2000, 50, 10,
 * 1 and 0 without. PROCESSES are really there, asleep, with a few files open each;
 * OPENERS of them open once a second what stands for a node, and have no client,
 * so that they are looked at twice. The clients are in a tree of files, with the
 * text of a driver that tells much.
 * Prints what CPU it takes: looks at all processes; a second, looking for new
 * files and READINGS of each client. */
#include "record/counter/fdinfo/clients.h"
#include "record/counter/fdinfo/sweep.h"

#include "format/base/time.h"
#include "tests/support/drmtree.h"
#include "tests/support/filetree.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct cost {
	struct rec_drm_sweep sweep;
	struct rec_drm_clients clients;
	struct rec_readings readings;
	uint64_t files;
};

static bool see(void *ctx, pid_t pid, int fd, const char *node)
{
	struct cost *c = ctx;

	(void)pid, (void)fd, (void)node;
	c->files++;
	return false;
}

/* For most of a second. */
static void open_or_sleep(const char *node)
{
	int fd;

	if (!node) {
		pause();
		return;
	}
	fd = open(node, O_RDONLY);
	usleep(1000000);
	close(fd);
}

/* They end with this one. The first ones open the node. */
static void sleepers(pid_t *pids, size_t n, const char *node, size_t openers)
{
	pid_t parent = getpid();

	for (size_t i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] < 0) {
			perror("fdinfocost: fork");
			exit(1);
		}
		if (!pids[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			while (getppid() == parent)
				open_or_sleep(i < openers ? node : NULL);
			_exit(0);
		}
	}
}

static void ended(pid_t *pids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	for (size_t i = 0; i < n; i++)
		waitpid(pids[i], NULL, 0);
}

static double cpu_ms(void)
{
	return (double)time_now_ns(CLOCK_THREAD_CPUTIME_ID) / 1e6;
}

static void measure(struct cost *c, unsigned seconds, unsigned readings)
{
	double sweeping = 0, reading = 0, at;
	uint64_t all = c->sweep.all_ns;
	unsigned looks = 0;

	for (unsigned i = 0; i < seconds * readings; i++) {
		usleep(1000000 / readings);
		at = cpu_ms();
		(void)rec_drm_sweep_tick(&c->sweep,
					 time_now_ns(CLOCK_MONOTONIC));
		sweeping += cpu_ms() - at;
		looks += c->sweep.all_ns != all;
		all = c->sweep.all_ns;
		at = cpu_ms();
		rec_drm_clients_read(&c->clients);
		reading += cpu_ms() - at;
		c->readings.n = 0;
	}
	printf("looks at all of %zu processes in %u s: %u of %.1f ms\n",
	       c->sweep.now.n, seconds, looks, (double)c->sweep.cost_ns / 1e6);
	printf("CPU a second, looking: %.2f ms\n", sweeping / seconds);
	printf("CPU a second, %u x %zu clients: %.2f ms\n", readings,
	       c->clients.n, reading / seconds);
}

static unsigned arg(int argc, char **argv, int i, unsigned usual)
{
	return i < argc ? (unsigned)strtoul(argv[i], NULL, 10) : usual;
}

int main(int argc, char **argv)
{
	unsigned n = arg(argc, argv, 1, 2000), clients = arg(argc, argv, 2, 50);
	unsigned seconds = arg(argc, argv, 3, 10);
	unsigned readings = arg(argc, argv, 4, 1);
	unsigned openers = arg(argc, argv, 5, 0);
	pid_t *pids = calloc(n + 1u, sizeof(*pids));
	struct filetree tree, machine;
	struct cost c = { 0 };
	char node[128];

	if (!pids || !readings)
		return 1;
	filetree_init(&tree);
	drmtree_comm(&tree, 1, "init");
	filetree_init(&machine);
	filetree_text(&machine, "/dev/dri/renderD128", "");
	drmtree_link(&machine, "/proc", "/proc");
	snprintf(node, sizeof(node), "%s/dev/dri/renderD128", machine.root);
	sleepers(pids, n, node, openers);
	if (rec_readings_init(&c.readings, NULL) ||
	    rec_drm_clients_open(&c.clients, tree.root, &c.readings, NULL))
		return 1;
	for (unsigned i = 0; i < clients; i++) {
		drmtree_file(&tree, 100 + (int)i, 5, "renderD128",
			     drmtree_xe(i + 1));
		rec_drm_clients_see(&c.clients, 100 + (int)i, 5, "renderD128");
	}
	if (rec_drm_sweep_open(&c.sweep, machine.root, NULL, 0, see, &c, NULL))
		return 1;
	measure(&c, seconds, readings);
	rec_drm_sweep_close(&c.sweep);
	rec_drm_clients_close(&c.clients);
	rec_readings_fini(&c.readings);
	ended(pids, n);
	filetree_fini(&tree);
	filetree_fini(&machine);
	free(pids);
	return 0;
}
