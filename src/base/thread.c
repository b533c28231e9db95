/* Parallel loop over an index range. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };

typedef struct Loop {
	int64_t n;
	void (*body)(void *arg, int64_t i);
	void *arg;
	_Atomic int64_t next;
	atomic_bool out_of_memory;
} Loop;

int cpu_count(void)
{
	long n = 0;
#ifdef CPU_COUNT
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
#endif
	if (n < 1)
		n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (int)n;
}

/* Takes indices until none is left. A failed allocation may not jump out of this thread while others still use the
 * loop: it ends the loop for all and is raised again by the caller's thread. */
static void *work(void *p)
{
	Loop *loop = p;
	MemGuard guard;
	mem_guard_push(&guard);
	if (setjmp(guard.env)) {
		atomic_store(&loop->out_of_memory, true);
		return NULL;
	}
	while (!atomic_load_explicit(&loop->out_of_memory, memory_order_relaxed)) {
		int64_t i = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
		if (i >= loop->n)
			break;
		loop->body(loop->arg, i);
	}
	mem_guard_pop(&guard);
	return NULL;
}

/* The calling thread works too; when the system refuses a thread, fewer do the same work. */
void parallel_for(int threads, int64_t n, void (*body)(void *arg, int64_t i), void *arg)
{
	if (threads <= 0)
		threads = cpu_count();
	if (threads > MAX_THREADS)
		threads = MAX_THREADS;
	if (threads > n)
		threads = (int)n;
	if (threads <= 1) {
		for (int64_t i = 0; i < n; i++)
			body(arg, i);
		return;
	}
	Loop loop = {.n = n, .body = body, .arg = arg};
	pthread_t ids[MAX_THREADS];
	int started = 0;
	while (started < threads - 1 && pthread_create(&ids[started], NULL, work, &loop) == 0)
		started++;
	work(&loop);
	for (int i = 0; i < started; i++)
		pthread_join(ids[i], NULL);
	if (atomic_load(&loop.out_of_memory))
		mem_fail();
}
