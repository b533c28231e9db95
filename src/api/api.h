/* api: what lies behind the handles of hone.h. */
#ifndef HONE_API_INT_H
#define HONE_API_INT_H

#include "driver/driver.h"
#include "hone.h"
#include "plan/plan.h"

#include <pthread.h>

/* A context with everything that was made in it, shared by the models that came from one file. */
typedef struct Root {
	int refs;             /* atomic */
	Context *ctx;
	Arena *arena;
	pthread_mutex_t lock; /* the context serves one thread at a time */
} Root;
Root *root_new(void);
Root *root_ref(Root *r);
void root_unref(Root *r);

struct hone_model {
	int refs;             /* atomic */
	Root *root;
	Module *module;
};
hone_model *model_ref(const hone_model *m);

struct hone_options {
	Arena *arena;
	VEC(const char *) names;
	VEC(const char *) values;
	hone_progress_fn progress;
	void *progress_user;
	hone_log_fn log;
	void *log_user;
};
const char *option_get(const hone_options *o, const char *name); /* the last value, or NULL; o may be NULL */
bool option_on(const hone_options *o, const char *name, bool fallback);
int64_t option_int(const hone_options *o, const char *name, int64_t fallback);
bool progress_go_on(const hone_options *o, const char *phase);   /* false: cancelled */
/* "dim" and "shape" for functions that take bindings; false + diagnostic. */
bool option_bindings(const hone_options *o, Context *c, Arena *a, ShapeBinding **out, size_t *n);
bool option_rewrite(const hone_options *o, Context *c, OptimiseOptions *out);
bool option_isa(const hone_options *o, Diags *d, Isa *out);      /* false + diagnostic */

/* The errors among diagnostics; what is no error goes to the log. Empties d. The status is s unless that is OK. */
hone_status take_errors(Diags *d, hone_status s, const hone_options *o, hone_error **error);
/* One error without a place. */
hone_status fail(hone_status s, hone_error **error, const char *fmt, ...) PRINTF_LIKE(3, 4);

struct hone_report {
	char *json;
};

#endif
