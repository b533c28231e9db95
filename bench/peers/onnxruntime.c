/* Times ONNX Runtime by its C API: `onnxruntime-bench LIBRARY MODEL THREADS SECONDS` prints the JSON that peers.py describes.
 *
 * LIBRARY is libonnxruntime.so of the PyPI wheel, which brings no header: what is used of the table of functions is declared
 * here by position. Positions never change: newer versions append. All optimisations, CPU, sequential; a run gives inputs and
 * outputs that were made before, so a further run allocates nothing outside the runtime. */
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_VALUES = 256, MAX_RANK = 32, MAX_RUNS = 1 << 20, API_VERSION = 17 };

/* Positions in the table of functions. */
enum {
	GET_ERROR_MESSAGE = 2,
	CREATE_ENV = 3,
	CREATE_SESSION = 7,
	RUN = 9,
	CREATE_SESSION_OPTIONS = 10,
	SET_OPTIMIZATION_LEVEL = 23,
	SET_INTRA_THREADS = 24,
	INPUT_COUNT = 30,
	OUTPUT_COUNT = 31,
	INPUT_TYPE = 33,
	INPUT_NAME = 36,
	OUTPUT_NAME = 37,
	CREATE_TENSOR = 48,
	IS_TENSOR = 50,
	TENSOR_DATA = 51,
	CAST_TO_TENSOR_INFO = 55,
	ELEMENT_TYPE = 60,
	RANK = 61,
	DIMS = 62,
	DEFAULT_ALLOCATOR = 78,
	RELEASE_VALUE = 96
};

/* Element types that inputs are made of, numbered as the runtime does. */
enum { F32 = 1, U8, I8, U16, I16, I32, I64, TEXT, BOOL, F16, F64, U32, U64 };

typedef struct ApiBase ApiBase;
struct ApiBase {
	void *const *(*table)(uint32_t version);
	const char *(*version)(void);
};

typedef void *Status; /* NULL: fine */
typedef void *Handle; /* of an environment, session, value, ... */
typedef Status (*RunFunction)(Handle session, Handle options, const char *const *in_names, const Handle *in, size_t in_count,
			      const char *const *out_names, size_t out_count, Handle *out);

typedef struct Bench Bench;
struct Bench {
	void *const *api;
	Handle session, allocator;
	size_t in_count, out_count;
	char *in_names[MAX_VALUES], *out_names[MAX_VALUES];
	Handle in[MAX_VALUES], out[MAX_VALUES];
	bool keep; /* outputs are tensors, which further runs write again */
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(3);
}

static void check(const Bench *b, Status s)
{
	if (s)
		die("onnxruntime", ((const char *(*)(Status))b->api[GET_ERROR_MESSAGE])(s));
}

/* A function of the table that takes a handle and writes a result. */
static void ask(const Bench *b, int function, Handle of, void *result)
{
	check(b, ((Status(*)(Handle, void *))b->api[function])(of, result));
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double status_bytes(const char *key)
{
	char line[256];
	double bytes = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			bytes = 1024 * strtod(line + strlen(key), NULL);
	if (f)
		fclose(f);
	return bytes;
}

/* ---- inputs ---- */

static uint32_t random_bits(void)
{
	static uint64_t state = 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static double random_normal(void)
{
	double u = (random_bits() + 1.0) / 2147483649.0, v = random_bits() / 2147483648.0;
	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static void fill_element(void *data, size_t i, int type, const char *name)
{
	static const uint16_t halves[2] = { 0x3800, 0xb400 }; /* 0.5, -0.25 */
	switch (type) {
	case F32: ((float *)data)[i] = (float)random_normal(); break;
	case F64: ((double *)data)[i] = random_normal(); break;
	case F16: ((uint16_t *)data)[i] = halves[random_bits() & 1]; break;
	case BOOL: ((uint8_t *)data)[i] = 1; break;
	case U8: case I8: ((uint8_t *)data)[i] = random_bits() & 1; break;
	case U16: case I16: ((uint16_t *)data)[i] = random_bits() & 1; break;
	case U32: case I32: ((uint32_t *)data)[i] = random_bits() & 1; break;
	case U64: case I64: ((uint64_t *)data)[i] = random_bits() & 1; break;
	default: die(name, "inputs of this element type are not made");
	}
}

/* Indices small, masks on, the rest normal; open sizes are 1. */
static Handle make_input(const Bench *b, size_t index)
{
	Handle info, tensor = NULL, value;
	int type;
	size_t rank, count = 1;
	int64_t dims[MAX_RANK];
	void *data;
	check(b, ((Status(*)(Handle, size_t, Handle *))b->api[INPUT_TYPE])(b->session, index, &info));
	ask(b, CAST_TO_TENSOR_INFO, info, &tensor);
	if (!tensor)
		die(b->in_names[index], "not a tensor");
	ask(b, ELEMENT_TYPE, tensor, &type);
	ask(b, RANK, tensor, &rank);
	if (rank > MAX_RANK)
		die(b->in_names[index], "too many dimensions");
	check(b, ((Status(*)(Handle, int64_t *, size_t))b->api[DIMS])(tensor, dims, rank));
	for (size_t i = 0; i < rank; i++)
		count *= (size_t)(dims[i] = dims[i] > 0 ? dims[i] : 1);
	check(b, ((Status(*)(Handle, const int64_t *, size_t, int, Handle *))b->api[CREATE_TENSOR])(b->allocator, dims, rank, type,
												    &value));
	ask(b, TENSOR_DATA, value, &data);
	for (size_t i = 0; i < count; i++)
		fill_element(data, i, type, b->in_names[index]);
	return value;
}

/* ---- phases ---- */

static void open_library(Bench *b, const char *path, Handle *env)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const ApiBase *(*base)(void) = library ? (const ApiBase *(*)(void))dlsym(library, "OrtGetApiBase") : NULL;
	if (!base)
		die(path, library ? "has no OrtGetApiBase" : dlerror());
	if (!(b->api = base()->table(API_VERSION)))
		die(path, "does not know this version of the interface");
	check(b, ((Status(*)(int, const char *, Handle *))b->api[CREATE_ENV])(3 /* errors only */, "bench", env));
}

static void load(Bench *b, Handle env, const char *model, int threads)
{
	Handle options;
	check(b, ((Status(*)(Handle *))b->api[CREATE_SESSION_OPTIONS])(&options));
	check(b, ((Status(*)(Handle, int))b->api[SET_OPTIMIZATION_LEVEL])(options, 99 /* all */));
	check(b, ((Status(*)(Handle, int))b->api[SET_INTRA_THREADS])(options, threads));
	check(b, ((Status(*)(Handle, const char *, Handle, Handle *))b->api[CREATE_SESSION])(env, model, options, &b->session));
}

static void prepare(Bench *b)
{
	typedef Status (*NameFunction)(Handle, size_t, Handle, char **);
	check(b, ((Status(*)(Handle *))b->api[DEFAULT_ALLOCATOR])(&b->allocator));
	ask(b, INPUT_COUNT, b->session, &b->in_count);
	ask(b, OUTPUT_COUNT, b->session, &b->out_count);
	if (b->in_count > MAX_VALUES || b->out_count > MAX_VALUES)
		die("the model", "has too many inputs or outputs");
	for (size_t i = 0; i < b->in_count; i++) {
		check(b, ((NameFunction)b->api[INPUT_NAME])(b->session, i, b->allocator, &b->in_names[i]));
		b->in[i] = make_input(b, i);
	}
	for (size_t i = 0; i < b->out_count; i++)
		check(b, ((NameFunction)b->api[OUTPUT_NAME])(b->session, i, b->allocator, &b->out_names[i]));
}

static void run(Bench *b)
{
	for (size_t i = 0; !b->keep && i < b->out_count; i++) {
		((void (*)(Handle))b->api[RELEASE_VALUE])(b->out[i]);
		b->out[i] = NULL;
	}
	check(b, ((RunFunction)b->api[RUN])(b->session, NULL, (const char *const *)b->in_names, b->in, b->in_count,
					    (const char *const *)b->out_names, b->out_count, b->out));
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Times of single runs, sorted; a tenth of the time warms up. */
static size_t timed(Bench *b, double seconds, double *spans)
{
	size_t runs = 0;
	double start = now();
	while (now() - start < seconds / 10)
		run(b);
	for (start = now(); runs < MAX_RUNS && (now() - start < seconds || runs < 5); runs++) {
		double t = now();
		run(b);
		spans[runs] = now() - t;
	}
	qsort(spans, runs, sizeof(*spans), by_size);
	return runs;
}

int main(int argc, char **argv)
{
	static Bench b;
	static double spans[MAX_RUNS];
	if (argc != 5) {
		fputs("usage: onnxruntime-bench LIBRARY MODEL THREADS SECONDS\n", stderr);
		return 2;
	}
	Handle env;
	open_library(&b, argv[1], &env);
	double start = now();
	load(&b, env, argv[2], atoi(argv[3]));
	double loaded = now() - start;
	prepare(&b);
	start = now();
	run(&b);
	double ready = loaded + now() - start, memory = status_bytes("VmHWM:");
	b.keep = true;
	for (size_t i = 0; i < b.out_count; i++) {
		int tensor = 0;
		if (b.out[i])
			ask(&b, IS_TENSOR, b.out[i], &tensor);
		b.keep = b.keep && tensor;
	}
	size_t runs = timed(&b, strtod(argv[4], NULL), spans);
	printf("{\"load\": %.9f, \"ready\": %.9f, \"memory\": %.0f, \"run\": %.9f, \"least\": %.9f, \"runs\": %zu}\n", loaded, ready,
	       memory, spans[runs / 2], spans[0], runs);
	return 0;
}
