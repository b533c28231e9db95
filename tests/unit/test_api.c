/* The public interface: what a program that links the library sees. */
#include "hone.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/seccomp.h>

#include <cmocka.h>

#define MODEL TEST_DIR "/../examples/ocr-classifier/model.onnx"
enum { PIXELS = 3 * 48 * 192 };
static const int64_t DIMS[] = { 1, 3, 48, 192 };

/* Allocations of the whole program are counted. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1
static atomic_long allocations;
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
void *malloc(size_t n) { atomic_fetch_add(&allocations, 1); return __libc_malloc(n); }
void *calloc(size_t n, size_t size) { atomic_fetch_add(&allocations, 1); return __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { atomic_fetch_add(&allocations, 1); return __libc_realloc(p, n); }
#endif

static hone_program *program(const char *name, const char *value)
{
	hone_options *o = hone_options_new();
	hone_program *p;
	hone_error *e;
	if (name)
		assert_int_equal(hone_options_set(o, name, value, &e), HONE_STATUS_OK);
	assert_int_equal(hone_program_load(MODEL, o, &p, &e), HONE_STATUS_OK);
	hone_options_free(o);
	return p;
}

static hone_exec *executable(const hone_program *p, const char *threads)
{
	hone_options *o = hone_options_new();
	hone_exec *x;
	assert_int_equal(hone_options_set(o, "threads", threads, NULL), HONE_STATUS_OK);
	assert_int_equal(hone_exec_new(p, o, &x, NULL), HONE_STATUS_OK);
	hone_options_free(o);
	return x;
}

static float *image(void)
{
	float *v = malloc(PIXELS * sizeof(*v));
	for (int i = 0; i < PIXELS; i++)
		v[i] = sinf((float)i * 0.37f);
	return v;
}

static void bind_image(hone_exec *x, float *v)
{
	hone_tensor t = { .data = v, .bytes = PIXELS * sizeof(*v), .dtype = HONE_F32, .rank = 4, .dims = DIMS };
	assert_int_equal(hone_exec_bind_input(x, 0, &t, NULL), HONE_STATUS_OK);
}

static void interface_is_told(void **state)
{
	(void)state;
	hone_model *m;
	assert_int_equal(hone_version_number(), HONE_VERSION_NUMBER);
	assert_int_equal(hone_model_load_file(MODEL, NULL, &m, NULL), HONE_STATUS_OK);
	assert_int_equal(hone_model_num_inputs(m), 1);
	assert_int_equal(hone_model_num_outputs(m), 1);
	assert_string_equal(hone_model_input_name(m, 0), "x");
	assert_null(hone_model_input_name(m, 1));
	assert_int_equal(hone_model_input_dtype(m, 0), HONE_F32);
	assert_int_equal(hone_model_input_rank(m, 0), 4);
	assert_int_equal(hone_model_input_dim(m, 0, 1), 3);
	assert_int_equal(hone_model_input_dim(m, 0, 0), -1);
	assert_non_null(hone_model_input_symbol(m, 0, 0));
	assert_null(hone_model_input_symbol(m, 0, 1));
	assert_string_equal(hone_dtype_name(HONE_F32), "float32");
	assert_int_equal(hone_dtype_size(HONE_BF16), 2);
	hone_model_free(m);
}

static int count_phases(void *user, const char *phase)
{
	(void)phase;
	return ++*(int *)user > 1;
}

static void optimised_models_are_equal(void **state)
{
	(void)state;
	hone_model *m, *n;
	hone_report *r;
	hone_error *e;
	assert_int_equal(hone_model_load_file(MODEL, NULL, &m, &e), HONE_STATUS_OK);
	assert_int_equal(hone_optimize(m, NULL, &n, &r, &e), HONE_STATUS_OK);
	assert_non_null(strstr(hone_report_json(r), "\"proved\": true"));
	hone_report_free(r);
	hone_options *o = hone_options_new();
	assert_int_equal(hone_options_set(o, "rounds", "1", NULL), HONE_STATUS_OK);
	assert_int_equal(hone_options_set(o, "dim", "p2o.DynamicDimension.0=1", NULL), HONE_STATUS_OK);
	assert_int_equal(hone_verify(m, n, o, &r, &e), HONE_STATUS_OK);
	hone_report_free(r);
	int phases = 0;
	hone_model *gone;
	hone_options_set_progress(o, count_phases, &phases);
	assert_int_equal(hone_model_load_file(MODEL, o, &gone, NULL), HONE_STATUS_OK);
	hone_model_free(gone);
	assert_int_equal(hone_optimize(m, o, &gone, NULL, &e), HONE_STATUS_CANCELED);
	assert_null(gone);
	hone_error_free(e);
	hone_options_free(o);
	hone_model_free(m); /* the other keeps what both share */
	assert_int_equal(hone_model_num_inputs(n), 1);
	hone_model_free(n);
}

static void errors_say_what_is_wrong(void **state)
{
	(void)state;
	hone_error *e;
	hone_model *m = (hone_model *)&e;
	hone_options *o = hone_options_new();
	assert_int_equal(hone_model_load_file("/no/such/model.onnx", NULL, &m, &e), HONE_STATUS_IO);
	assert_null(m);
	assert_int_equal(hone_error_status(e), HONE_STATUS_IO);
	assert_true(strstr(hone_error_message(e), "/no/such") || (hone_error_where(e) && strstr(hone_error_where(e), "/no/such")));
	hone_error_free(e);
	assert_int_equal(hone_model_load_memory("no model at all", 15, NULL, &m, &e), HONE_STATUS_INVALID);
	hone_error_free(e);
	assert_int_equal(hone_options_set(o, "thread", "2", &e), HONE_STATUS_USAGE);
	hone_error_free(e);
	assert_int_equal(hone_options_set(o, "threads", "two", NULL), HONE_STATUS_USAGE);
	assert_int_equal(hone_options_set(o, "verify", "maybe", NULL), HONE_STATUS_USAGE);
	hone_options_free(o);
	hone_error_free(NULL);
	hone_program *p = program(NULL, NULL);
	hone_exec *x = executable(p, "1");
	assert_int_equal(hone_exec_run(x, &e), HONE_STATUS_INVALID); /* no input */
	hone_error_free(e);
	float few[4] = { 0 };
	hone_tensor t = { .data = few, .bytes = sizeof(few), .dtype = HONE_F32, .rank = 4, .dims = DIMS };
	assert_int_equal(hone_exec_bind_input(x, 0, &t, NULL), HONE_STATUS_USAGE);
	assert_int_equal(hone_exec_bind_input(x, 7, &t, NULL), HONE_STATUS_USAGE);
	t.bytes = 4;
	t.rank = 0;
	assert_int_equal(hone_exec_bind_input(x, 0, &t, NULL), HONE_STATUS_OK);
	assert_int_equal(hone_exec_run(x, &e), HONE_STATUS_INVALID); /* a wrong rank */
	assert_non_null(strstr(hone_error_message(e), "rank"));
	hone_error_free(e);
	assert_int_equal(hone_exec_output(x, 0, &t, NULL), HONE_STATUS_USAGE);
	hone_exec_free(x);
	hone_program_free(p);
}

static void runs_agree_with_the_evaluator(void **state)
{
	(void)state;
	hone_program *fast = program(NULL, NULL), *slow = program("reference", "yes");
	hone_exec *a = executable(fast, "2"), *b = executable(slow, "1");
	hone_program_free(fast); /* runs keep it */
	hone_program_free(slow);
	float *v = image(), own[2] = { 0 };
	bind_image(a, v);
	bind_image(b, v);
	hone_tensor out = { .data = own, .bytes = sizeof(own) }, y, z;
	assert_int_equal(hone_exec_bind_output(a, 0, &out, NULL), HONE_STATUS_OK);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(hone_exec_run(a, NULL), HONE_STATUS_OK);
		assert_int_equal(hone_exec_run(b, NULL), HONE_STATUS_OK);
		assert_int_equal(hone_exec_output(a, 0, &y, NULL), HONE_STATUS_OK);
		assert_int_equal(hone_exec_output(b, 0, &z, NULL), HONE_STATUS_OK);
		assert_ptr_equal(y.data, own);
		assert_int_equal(y.rank, 2);
		assert_int_equal(y.dims[1], 2);
		for (int k = 0; k < 2; k++)
			assert_float_equal(own[k], ((float *)z.data)[k], 1e-5);
		v[i] += 3;
	}
	out.bytes = 1;
	assert_int_equal(hone_exec_bind_output(a, 0, &out, NULL), HONE_STATUS_OK);
	assert_int_equal(hone_exec_run(a, NULL), HONE_STATUS_INVALID);
	assert_true(hone_exec_memory(a) > 0);
	hone_exec_free(a);
	hone_exec_free(b);
	free(v);
}

static void programs_are_saved(void **state)
{
	(void)state;
	char path[] = "/tmp/hone-api-XXXXXX.hone";
	int fd = mkstemps(path, 5);
	assert_true(fd >= 0);
	close(fd);
	hone_program *p = program(NULL, NULL), *q;
	hone_exec *x = executable(p, "1"), *z;
	float *v = image();
	hone_tensor a, b;
	bind_image(x, v);
	assert_int_equal(hone_exec_run(x, NULL), HONE_STATUS_OK);
	assert_int_equal(hone_program_save(p, path, NULL), HONE_STATUS_OK);
	assert_int_equal(hone_program_load(path, NULL, &q, NULL), HONE_STATUS_OK);
	z = executable(q, "1");
	bind_image(z, v);
	assert_int_equal(hone_exec_run(z, NULL), HONE_STATUS_OK);
	assert_int_equal(hone_exec_output(x, 0, &a, NULL), HONE_STATUS_OK);
	assert_int_equal(hone_exec_output(z, 0, &b, NULL), HONE_STATUS_OK);
	assert_memory_equal(a.data, b.data, 2 * sizeof(float));
	unlink(path);
	hone_exec_free(x);
	hone_exec_free(z);
	hone_program_free(p);
	hone_program_free(q);
	free(v);
}

static void *run_many(void *arg)
{
	hone_exec *x = executable(arg, "1");
	float *v = image();
	hone_tensor y;
	float first = 0;
	bind_image(x, v);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(hone_exec_run(x, NULL), HONE_STATUS_OK);
		assert_int_equal(hone_exec_output(x, 0, &y, NULL), HONE_STATUS_OK);
		if (i == 0)
			first = *(float *)y.data;
		assert_true(first == *(float *)y.data);
	}
	hone_exec_free(x);
	free(v);
	return NULL;
}

static void threads_share_a_program(void **state)
{
	(void)state;
	hone_program *p = program(NULL, NULL);
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&t[i], NULL, run_many, p), 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	hone_program_free(p);
}

#ifdef COUNTS_ALLOCATIONS
static void runs_allocate_nothing(void **state)
{
	(void)state;
	hone_program *p = program(NULL, NULL);
	hone_exec *x = executable(p, "1");
	float *v = image();
	bind_image(x, v);
	for (int i = 0; i < 2; i++)
		assert_int_equal(hone_exec_run(x, NULL), HONE_STATUS_OK);
	long before = atomic_load(&allocations);
	for (int i = 0; i < 10; i++)
		assert_int_equal(hone_exec_run(x, NULL), HONE_STATUS_OK);
	assert_int_equal(atomic_load(&allocations), before);
	hone_exec_free(x);
	hone_program_free(p);
	free(v);
}

/* In a child that may only read, write and leave. */
static void runs_make_no_system_call(void **state)
{
	(void)state;
	hone_program *p = program(NULL, NULL);
	hone_exec *x = executable(p, "1");
	float *v = image();
	int status;
	bind_image(x, v);
	assert_int_equal(hone_exec_run(x, NULL), HONE_STATUS_OK);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		hone_status s = hone_exec_run(x, NULL);
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			_exit(77);
		for (int i = 0; i < 5; i++)
			s |= hone_exec_run(x, NULL);
		syscall(SYS_exit, s);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	hone_exec_free(x);
	hone_program_free(p);
	free(v);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip(); /* this system has no such sandbox */
	assert_int_equal(WEXITSTATUS(status), 0);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interface_is_told), cmocka_unit_test(optimised_models_are_equal),
		cmocka_unit_test(errors_say_what_is_wrong), cmocka_unit_test(runs_agree_with_the_evaluator),
		cmocka_unit_test(threads_share_a_program), cmocka_unit_test(programs_are_saved),
#ifdef COUNTS_ALLOCATIONS
		cmocka_unit_test(runs_allocate_nothing), cmocka_unit_test(runs_make_no_system_call),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
