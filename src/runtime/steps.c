/* Every thread walks the whole list: of a parallel step it does its share, others are left to thread 0. A barrier stands
 * wherever one thread may read what another wrote: between any two steps unless both belong to thread 0. */
#include "runtime/runtime.h"

bool steps_prepare(Step *steps, size_t n)
{
	bool shared = false;
	for (size_t i = 0; i < n; i++) {
		steps[i].sync = i > 0 && (steps[i].parallel || steps[i - 1].parallel);
		shared |= steps[i].parallel;
	}
	return shared;
}

static void run_one(Run *r, const Step *s, int thread, int threads)
{
	char *scratch = r->scratch + (size_t)thread * r->scratch_bytes;
	if (!s->kernel) {
		if (thread == 0 && !s->call((void *)(uintptr_t)s->param, r))
			atomic_store_explicit(&r->failed, true, memory_order_relaxed);
		return;
	}
	if (!s->parallel) {
		if (thread == 0)
			s->kernel->run(s->param, r->table + s->ptr, scratch, 0, s->tasks);
		return;
	}
	int64_t begin = s->tasks * thread / threads, end = s->tasks * (thread + 1) / threads;
	if (begin < end)
		s->kernel->run(s->param, r->table + s->ptr, scratch, begin, end);
}

/* The least time of a step over the runs: what others take from the processor does not count. */
static void profile_add(double *least, double seconds)
{
	if (*least == 0 || seconds < *least)
		*least = seconds;
}

/* After a failed call nothing more runs, but all threads still meet at every barrier. The others may see the failure of a call
 * early: they have no part in such a step. */
static void run_thread(void *arg, int thread)
{
	Run *r = arg;
	int threads = pool_threads(r->pool);
	for (size_t i = 0; i < r->nsteps; i++) {
		const Step *s = &r->steps[i];
		if (s->sync)
			pool_barrier(r->pool, thread);
		if (atomic_load_explicit(&r->failed, memory_order_relaxed))
			continue;
		double start = r->profile && thread == 0 ? clock_seconds() : 0;
		run_one(r, s, thread, threads);
		if (r->profile && thread == 0)
			profile_add(&r->profile[i], clock_seconds() - start);
	}
}

static bool run_alone(Run *r)
{
	for (size_t i = 0; i < r->nsteps && !r->failed; i++) {
		double start = r->profile ? clock_seconds() : 0;
		run_one(r, &r->steps[i], 0, 1);
		if (r->profile)
			profile_add(&r->profile[i], clock_seconds() - start);
	}
	return !r->failed;
}

bool steps_run(Run *r)
{
	r->failed = false;
	if (pool_threads(r->pool) == 1)
		return run_alone(r);
	pool_run(r->pool, run_thread, r);
	return !r->failed;
}
