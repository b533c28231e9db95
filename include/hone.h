/* hone.h: the library's interface. C99 and C++; every name begins with hone_ or HONE_.
 *
 * Nothing here prints, exits or aborts on bad input, and there is no global state.
 *
 * Handles are reference-counted and keep what they came from alive: they may be freed in any order, and freeing NULL is fine.
 * Output parameters are set to NULL on failure. `error` may be NULL everywhere; an error that is returned belongs to the caller.
 *
 * Threads: a program may be used by several threads, each with its own hone_exec. Models that came from one another (by
 * hone_optimize) share data that is locked inside. An options, exec or error object belongs to one thread at a time.
 *
 * Data: elements are dense and row-major; types narrower than a byte take one byte an element. Any alignment is accepted.
 * Nothing is read or written past `bytes`. The caller's arrays (`data`, `dims`) are not kept after a call returns, but for the
 * data of bound inputs and outputs, which must live until hone_exec_run has returned. */
#ifndef HONE_H
#define HONE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HONE_API __attribute__((visibility("default")))
#else
#define HONE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define HONE_VERSION_NUMBER 100 /* 0.1.0: major * 10000 + minor * 100 + patch */
HONE_API unsigned hone_version_number(void); /* of the library that is linked; compare with HONE_VERSION_NUMBER */
HONE_API const char *hone_version(void);     /* "0.1.0" */

/* ---- status and errors ---- */

typedef enum hone_status { /* as the exit codes of the command */
	HONE_STATUS_OK = 0,
	HONE_STATUS_DIFFERENT = 1,   /* hone_verify: the models give different results */
	HONE_STATUS_USAGE = 2,       /* a wrong option, index or argument */
	HONE_STATUS_INVALID = 3,     /* malformed or invalid model or data */
	HONE_STATUS_UNSUPPORTED = 4, /* valid, but hone cannot do it */
	HONE_STATUS_UNPROVED = 5,    /* the proof found a difference; the result must not be used */
	HONE_STATUS_LIMIT = 6,       /* out of memory or a limit */
	HONE_STATUS_IO = 7,          /* a file could not be read or written */
	HONE_STATUS_CANCELED = 8,    /* the progress function asked for it */
	HONE_STATUS_INTERNAL = 70
} hone_status;

typedef struct hone_error hone_error;
HONE_API hone_status hone_error_status(const hone_error *e);
HONE_API const char *hone_error_message(const hone_error *e); /* one line, UTF-8: what was found, what was expected */
HONE_API const char *hone_error_where(const hone_error *e);   /* "file:line:col", node, byte offset; NULL when unknown */
HONE_API const char *hone_error_hint(const hone_error *e);    /* what to do; may be NULL */
HONE_API const hone_error *hone_error_next(const hone_error *e); /* a further finding, owned by the first */
HONE_API void hone_error_free(hone_error *e);

/* ---- options: the names of the command line's options, as text ---- */

typedef struct hone_options hone_options;
HONE_API hone_options *hone_options_new(void); /* NULL when there is no memory */
/* "threads" "2", "dim" "batch=1" (may be set often), "verify" "no", ... ; unknown names and bad values are errors. */
HONE_API hone_status hone_options_set(hone_options *o, const char *name, const char *value, hone_error **error);
/* The i-th option's name and what it means; NULL past the last. */
HONE_API const char *hone_option_name(int i);
HONE_API const char *hone_option_help(int i);
/* Called between the phases of long calls; a result other than 0 ends the call with HONE_STATUS_CANCELED. */
typedef int (*hone_progress_fn)(void *user, const char *phase);
HONE_API void hone_options_set_progress(hone_options *o, hone_progress_fn fn, void *user);
/* Warnings and notes, one line each, without a newline. */
typedef void (*hone_log_fn)(void *user, const char *line);
HONE_API void hone_options_set_log(hone_options *o, hone_log_fn fn, void *user);
HONE_API void hone_options_free(hone_options *o);

/* ---- models ---- */

typedef enum hone_dtype {
	HONE_DTYPE_NONE, HONE_BOOL, HONE_I2, HONE_I4, HONE_I8, HONE_I16, HONE_I32, HONE_I64, HONE_U2, HONE_U4, HONE_U8, HONE_U16,
	HONE_U32, HONE_U64, HONE_F16, HONE_BF16, HONE_F32, HONE_F64, HONE_F8E4M3FN, HONE_F8E4M3FNUZ, HONE_F8E5M2, HONE_F8E5M2FNUZ,
	HONE_F8E4M3, HONE_F8E3M4, HONE_F8E4M3B11FNUZ, HONE_F8E8M0FNU, HONE_F4E2M1FN, HONE_F6E2M3FN, HONE_F6E3M2FN, HONE_C64,
	HONE_C128, HONE_STRING
} hone_dtype;
HONE_API const char *hone_dtype_name(hone_dtype d);   /* "float32" */
HONE_API size_t hone_dtype_size(hone_dtype d);        /* bytes of an element as hone_tensor holds it; 0 for strings */

typedef struct hone_model hone_model;
/* Any format that the command reads; weights stay in the mapped file. options may be NULL. */
HONE_API hone_status hone_model_load_file(const char *path, const hone_options *options, hone_model **out, hone_error **error);
/* The bytes are copied. */
HONE_API hone_status hone_model_load_memory(const void *bytes, size_t size, const hone_options *options, hone_model **out,
	hone_error **error);
/* In the format of the path's extension or of the option "format". The file is complete or absent. */
HONE_API hone_status hone_model_save_file(const hone_model *m, const char *path, const hone_options *options, hone_error **error);
HONE_API size_t hone_model_num_inputs(const hone_model *m);
HONE_API size_t hone_model_num_outputs(const hone_model *m);
/* Inputs and outputs by index; NULL, HONE_DTYPE_NONE or -1 past the end. */
HONE_API const char *hone_model_input_name(const hone_model *m, size_t i);
HONE_API const char *hone_model_output_name(const hone_model *m, size_t i);
HONE_API hone_dtype hone_model_input_dtype(const hone_model *m, size_t i);  /* HONE_DTYPE_NONE: no tensor, or not known */
HONE_API hone_dtype hone_model_output_dtype(const hone_model *m, size_t i);
HONE_API int hone_model_input_rank(const hone_model *m, size_t i);          /* -1: not known */
HONE_API int hone_model_output_rank(const hone_model *m, size_t i);
HONE_API int64_t hone_model_input_dim(const hone_model *m, size_t i, int d);  /* -1: open */
HONE_API int64_t hone_model_output_dim(const hone_model *m, size_t i, int d);
HONE_API const char *hone_model_input_symbol(const hone_model *m, size_t i, int d); /* "batch", "2*n+1"; NULL for a number */
HONE_API const char *hone_model_output_symbol(const hone_model *m, size_t i, int d);
HONE_API void hone_model_free(hone_model *m);

/* ---- optimise, verify ---- */

typedef struct hone_report hone_report;
HONE_API const char *hone_report_json(const hone_report *r); /* valid as long as the report */
HONE_API void hone_report_free(hone_report *r);
/* A new model, proved equal unless the option "verify" says "no". report may be NULL. */
HONE_API hone_status hone_optimize(const hone_model *m, const hone_options *options, hone_model **out, hone_report **report,
	hone_error **error);
/* Both on the same seeded inputs; the tolerance is a small multiple of a's own rounding error. HONE_STATUS_DIFFERENT sets no
 * error: the report says what differs. */
HONE_API hone_status hone_verify(const hone_model *a, const hone_model *b, const hone_options *options, hone_report **report,
	hone_error **error);

/* ---- compile and run ---- */

typedef struct hone_program hone_program; /* immutable; may be shared by threads */
/* Optimises (unless m was compiled before) and makes a program. */
HONE_API hone_status hone_compile(const hone_model *m, const hone_options *options, hone_program **out, hone_error **error);
/* A file that `hone compile` wrote, or any model. */
HONE_API hone_status hone_program_load(const char *path, const hone_options *options, hone_program **out, hone_error **error);
/* A file for hone_program_load (.hone): with the weights packed as runs so far needed them, so save after the first run. */
HONE_API hone_status hone_program_save(const hone_program *p, const char *path, hone_error **error);
/* Its inputs and outputs; belongs to the program. */
HONE_API const hone_model *hone_program_model(const hone_program *p);
HONE_API void hone_program_free(hone_program *p);

typedef struct hone_tensor {
	void *data;
	size_t bytes;          /* at data */
	hone_dtype dtype;
	int rank;
	const int64_t *dims;   /* rank entries */
} hone_tensor;

typedef struct hone_exec hone_exec; /* memory and threads of one run at a time */
HONE_API hone_status hone_exec_new(const hone_program *p, const hone_options *options, hone_exec **out, hone_error **error);
/* Read in place by every later run. dims are copied. */
HONE_API hone_status hone_exec_bind_input(hone_exec *x, size_t i, const hone_tensor *t, hone_error **error);
/* Written in place by every later run; dtype, rank and dims of t are not looked at. t NULL: memory of the exec again. */
HONE_API hone_status hone_exec_bind_output(hone_exec *x, size_t i, const hone_tensor *t, hone_error **error);
HONE_API hone_status hone_exec_run(hone_exec *x, hone_error **error);
/* A view of the last run's result; data and dims are valid until the next run or until x is freed. */
HONE_API hone_status hone_exec_output(const hone_exec *x, size_t i, hone_tensor *view, hone_error **error);
HONE_API size_t hone_exec_memory(const hone_exec *x); /* bytes of its arenas */
HONE_API void hone_exec_free(hone_exec *x);

#ifdef __cplusplus
}
#endif

#endif
