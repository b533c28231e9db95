/* Threads of one executable. A run starts by raising `generation`; a barrier is a counter and a phase. Waiting spins, then
 * yields, and between runs sleeps. */
#include "runtime/runtime.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MAX_POOL = 256, SPINS = 2000, IDLE_YIELDS = 200 };

typedef struct Worker {
	Pool *pool;
	int index;
	pthread_t thread;
} Worker;

struct Pool {
	int threads;
	_Atomic uint32_t generation;
	_Atomic int sleeping;
	atomic_bool stop;
	void (*body)(void *arg, int thread);
	void *arg;
	_Alignas(64) _Atomic int arrived;
	_Alignas(64) _Atomic uint32_t phase;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	Worker workers[MAX_POOL];
};

static inline void cpu_pause(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static uint32_t wait_change(_Atomic uint32_t *word, uint32_t old, int yields)
{
	for (int i = 0; i < SPINS; i++) {
		uint32_t now = atomic_load_explicit(word, memory_order_acquire);
		if (now != old)
			return now;
		cpu_pause();
	}
	for (int i = 0; yields < 0 || i < yields; i++) {
		uint32_t now = atomic_load_explicit(word, memory_order_acquire);
		if (now != old)
			return now;
		sched_yield();
	}
	return old;
}

void pool_barrier(Pool *p, int thread)
{
	(void)thread;
	if (!p || p->threads == 1)
		return;
	uint32_t phase = atomic_load_explicit(&p->phase, memory_order_relaxed);
	if (atomic_fetch_add_explicit(&p->arrived, 1, memory_order_acq_rel) + 1 == p->threads) {
		atomic_store_explicit(&p->arrived, 0, memory_order_relaxed);
		atomic_store_explicit(&p->phase, phase + 1, memory_order_release);
		return;
	}
	wait_change(&p->phase, phase, -1);
}

/* The next run after `seen`; sleeps when none comes soon. */
static uint32_t await_run(Pool *p, uint32_t seen)
{
	uint32_t now = wait_change(&p->generation, seen, IDLE_YIELDS);
	if (now != seen)
		return now;
	pthread_mutex_lock(&p->lock);
	atomic_fetch_add(&p->sleeping, 1);
	while ((now = atomic_load(&p->generation)) == seen)
		pthread_cond_wait(&p->wake, &p->lock);
	atomic_fetch_sub(&p->sleeping, 1);
	pthread_mutex_unlock(&p->lock);
	return now;
}

static void *worker_main(void *arg)
{
	Worker *w = arg;
	Pool *p = w->pool;
	uint32_t seen = 0;
	for (;;) {
		seen = await_run(p, seen);
		if (atomic_load(&p->stop))
			return NULL;
		p->body(p->arg, w->index);
		pool_barrier(p, w->index);
	}
}

static void raise_generation(Pool *p)
{
	atomic_fetch_add(&p->generation, 1);
	if (atomic_load(&p->sleeping) > 0) {
		pthread_mutex_lock(&p->lock);
		pthread_cond_broadcast(&p->wake);
		pthread_mutex_unlock(&p->lock);
	}
}

/* A worker that could not be started leaves a smaller pool: nobody has entered a barrier before the first run. */
Pool *pool_new(int threads)
{
	if (threads <= 1)
		return NULL;
	Pool *p = mem_zalloc(sizeof(*p));
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	p->threads = 1;
	for (int i = 1; i < threads && i < MAX_POOL; i++) {
		p->workers[i] = (Worker){ .pool = p, .index = i };
		if (pthread_create(&p->workers[i].thread, NULL, worker_main, &p->workers[i]))
			break;
		p->threads = i + 1;
	}
	return p;
}

void pool_free(Pool *p)
{
	if (!p)
		return;
	atomic_store(&p->stop, true);
	raise_generation(p);
	for (int i = 1; i < p->threads; i++)
		pthread_join(p->workers[i].thread, NULL);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	mem_free(p);
}

int pool_threads(const Pool *p)
{
	return p ? p->threads : 1;
}

void pool_run(Pool *p, void (*body)(void *arg, int thread), void *arg)
{
	if (!p || p->threads == 1) {
		body(arg, 0);
		return;
	}
	p->body = body;
	p->arg = arg;
	raise_generation(p);
	body(arg, 0);
	pool_barrier(p, 0);
}
