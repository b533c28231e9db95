/* Metadata of torch_xla's directories that is damaged, hostile or of another model, a line a case: words of the message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/bundle/bundle.h"

static const char CODE[] = "func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {\n"
	"  %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n";

typedef struct Folder {
	Context *c;
	char dir[64];
} Folder;

static const char *path_in(Folder *f, const char *name)
{
	return arena_printf(f->c->arena, "%s/%s", f->dir, name);
}

static void put(Folder *f, const char *name, const char *data, size_t n)
{
	FILE *out = fopen(path_in(f, name), "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, n, out), n);
	fclose(out);
}

static int setup(void **state)
{
	Folder *f = calloc(1, sizeof *f);
	f->c = context_new();
	strcpy(f->dir, "/tmp/hone-test-XXXXXX");
	*state = f;
	if (!mkdtemp(f->dir))
		return 1;
	static const char *const folders[] = {"functions", "data", "data/sub", "constants"};
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		mkdir(path_in(f, folders[i]), 0777);
	put(f, "functions/forward.mlir", CODE, strlen(CODE));
	const float v[2] = {1, 2};
	const Attr *t = attr_tensor(f->c, type_tensor_of(f->c, DT_F32, 1, (int64_t[]){2}), blob_copy(f->c, v, sizeof(v)));
	return !npy_write_attr(t, path_in(f, "data/w"), &f->c->diags) || !npy_write_attr(t, path_in(f, "constants/0"), &f->c->diags);
}

static int teardown(void **state)
{
	Folder *f = *state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", f->dir);
	int rc = system(command);
	context_free(f->c);
	free(f);
	return rc;
}

/* want NULL: the text is read. */
static bool check(Folder *f, const char *meta, size_t n, const char *want)
{
	Context *c = context_new();
	put(f, "functions/forward.meta", meta, n);
	Module *m = model_read(c, f->dir, &(ReadOptions){0});
	const char *message = c->diags.list.len ? c->diags.list.data[0].message : "nothing";
	bool right = want ? !m && strstr(message, want) && c->diags.status != HONE_OK && c->diags.status != HONE_INTERNAL : m != NULL;
	if (!right)
		print_message("%.200s\n  %s: %s\n  wanted: %s\n", meta, m ? "read" : "refused", message, want ? want : "to be read");
	context_free(c);
	return right;
}

#define SIGNATURE(shape) "{\"shape\": " shape ", \"dtype\": \"float32\", \"dynamic_dims\": []}"
#define INPUT "{\"type_\": \"input_arg\", \"position\": 0, \"name\": \"\"}"
#define META(signature, location) "{\"name\": \"forward\", \"stablehlo_version\": \"0.0.0\", \"input_signature\": [" signature ", " \
	SIGNATURE("[2]") "], \"output_signature\": [" SIGNATURE("[2]") "], \"input_locations\": [" location ", " INPUT "]}"
#define LOCATION(location) META(SIGNATURE("[2]"), location)
#define PARAMETER(name) LOCATION("{\"type_\": \"parameter\", \"position\": 0, \"name\": " name "}")
#define CONSTANT(position) LOCATION("{\"type_\": \"constant\", \"position\": " position ", \"name\": \"\"}")

static const struct {
	const char *meta, *want;
} cases[] = {
	/* what is accepted, to show that the others are near to it */
	{PARAMETER("\"w\""), NULL},
	{CONSTANT("0"), NULL},
	{"\xef\xbb\xbf" PARAMETER("\"w\""), NULL},
	{META(SIGNATURE("[-1]"), INPUT), NULL},
	{META("{}", INPUT), NULL},
	/* the text */
	{"", "no JSON"},
	{"[]", "no JSON object"},
	{"3", "no JSON"},
	{PARAMETER("\"w\"") ",", "no JSON"},
	{PARAMETER("\"w\"") " x", "no JSON"},
	{"{\"name\": \"forward\",}", "no JSON"},
	{"{\"name\": \"forward\", \"name\": \"forward\"}", "duplicate"},
	{"{\"name\": 1e400}", "no JSON"},
	{"{\"name\": 01}", "no JSON"},
	{"{\"name\": NaN}", "no JSON"},
	{"{\"name\": 18446744073709551616}", "no JSON"},
	{"{\"name\": \"\\q\"}", "no JSON"},
	{"{\"name\": \"\\ud800\"}", "no JSON"},
	{"{\"name\": \"a\nb\"}", "no JSON"},
	{"{\"name\": \"\xff\"}", "no JSON"},
	{"{\"name\": \"a\\u0000b\"}", "no JSON"},
	/* keys */
	{"{}", "no name of the function"},
	{"{\"name\": 7}", "no name of the function"},
	{"{\"name\": \"other\"}", "neither functions/other.bytecode nor"},
	{"{\"name\": \"../functions/forward\"}", "neither functions/../functions/forward"},
	{"{\"name\": \"forward\"}", "no list called input_locations"},
	{"{\"name\": \"forward\", \"input_locations\": {}}", "no list called input_locations"},
	{"{\"name\": \"forward\", \"input_locations\": []}", "no list called input_signature"},
	{"{\"name\": \"forward\", \"input_locations\": [], \"input_signature\": []}", "main takes 2 arguments"},
	{"{\"name\": \"forward\", \"input_locations\": [" INPUT "], \"input_signature\": []}", "input_signature has 0 entries, input_locations 1"},
	/* signatures */
	{META("7", INPUT), "input_signature[0] is no object"},
	{META(SIGNATURE("7"), INPUT), "input_signature[0] is no object"},
	{META(SIGNATURE("[2, 2]"), INPUT), "has 2 sizes, argument 0 of main 1"},
	{META(SIGNATURE("[3]"), INPUT), "size 0 of input_signature[0] is 3, but that of argument 0 of main is 2"},
	{META(SIGNATURE("[1.5]"), INPUT), "size 0 of input_signature[0] is no whole number"},
	{META(SIGNATURE("[[2]]"), INPUT), "is no whole number"},
	{META(SIGNATURE("[9223372036854775807]"), INPUT), "belong to different models"},
	{META("{\"shape\": [2], \"dtype\": \"int64\"}", INPUT), "input_signature[0] has dtype int64, but argument 0 of main float32"},
	{META("{\"dtype\": \"torch.float16\"}", INPUT), "has dtype float16, but argument 0 of main float32"},
	{META("{\"dtype\": \"torch.float32\"}", INPUT), NULL},
	{META("{\"dtype\": \"float7\"}", INPUT), NULL}, /* a type to come */
	{META("{\"dtype\": 7}", INPUT), "dtype of input_signature[0] is no string"},
	/* places of weights */
	{LOCATION("7"), "expected input_arg, parameter or constant"},
	{LOCATION("{\"type_\": \"weight\"}"), "expected input_arg, parameter or constant"},
	{LOCATION("{\"type_\": \"constant\"}"), "without position"},
	{LOCATION("{\"type_\": \"parameter\"}"), "without name"},
	{CONSTANT("-1"), "without position"},
	{CONSTANT("2.5"), "without position"},
	{CONSTANT("\"0\""), "without position"},
	{CONSTANT("2"), "constants/2"},
	{CONSTANT("1000000000"), "constants/1000000000"},
	{PARAMETER("\"\""), "without name"},
	{PARAMETER("\"v\""), "data/v"},
	{PARAMETER("\"..\""), "\"..\" is not allowed"},
	{PARAMETER("\"../constants/0\""), "\"..\" is not allowed"},
	{PARAMETER("\"/etc/passwd\""), ""},
	{PARAMETER("\"sub\""), ""},
};

static void bad_metadata_is_refused(void **state)
{
	int failures = 0;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		failures += !check(*state, cases[i].meta, strlen(cases[i].meta), cases[i].want);
	assert_int_equal(failures, 0);
}

static char *filled(const char *head, char fill, size_t n, const char *tail)
{
	char *s = malloc(strlen(head) + n + strlen(tail) + 1);
	assert_non_null(s);
	size_t at = strlen(head);
	strcpy(s, head);
	memset(s + at, fill, n);
	strcpy(s + at + n, tail);
	return s;
}

/* 100,000 lists in each other, a name of 5000 bytes, UTF-16, a tree specification of 10 MB. */
static void large_and_deep(void **state)
{
	char *deep = filled("", '[', 100000, ""), *name = filled("", 'n', 5000, "");
	assert_true(check(*state, deep, strlen(deep), "no JSON"));
	Buf b = {0};
	buf_printf(&b, PARAMETER("\"%s\""), name);
	assert_true(check(*state, b.data, b.len, ""));
	buf_free(&b);
	static const char wide[] = "\xff\xfe{\0\"\0";
	assert_true(check(*state, wide, sizeof wide - 1, "no JSON"));
	char *tree = filled("{\"input_pytree_spec\": \"", 't', 10 << 20, "\"," /* and the rest */);
	buf_puts(&b, tree);
	buf_puts(&b, PARAMETER("\"w\"") + 1);
	assert_true(check(*state, b.data, b.len, NULL));
	buf_free(&b);
	free(deep);
	free(name);
	free(tree);
}

/* Functions and their files: none, several, loops of links, no regular files. */
static void odd_directories(void **state)
{
	Folder *f = *state;
	const char *good = PARAMETER("\"w\"");
	assert_int_equal(symlink("loop", path_in(f, "data/loop")), 0);
	assert_true(check(f, PARAMETER("\"loop\""), strlen(PARAMETER("\"loop\"")), ""));
	unlink(path_in(f, "data/loop"));
	assert_int_equal(mkfifo(path_in(f, "data/pipe"), 0600), 0);
	assert_true(check(f, PARAMETER("\"pipe\""), strlen(PARAMETER("\"pipe\"")), ""));
	unlink(path_in(f, "data/pipe"));
	put(f, "functions/a.meta", good, strlen(good));
	put(f, "functions/b.meta", good, strlen(good));
	assert_true(check(f, good, strlen(good), NULL)); /* forward is among them */
	Context *c = context_new();
	unlink(path_in(f, "functions/forward.meta"));
	assert_null(model_read(c, f->dir, &(ReadOptions){0}));
	assert_non_null(strstr(c->diags.list.data[0].message, "several functions: a.meta, b.meta"));
	diags_init(&c->diags, c->arena);
	unlink(path_in(f, "functions/a.meta"));
	unlink(path_in(f, "functions/b.meta"));
	assert_int_equal(mkfifo(path_in(f, "functions/a.meta"), 0600), 0);
	assert_null(model_read(c, f->dir, &(ReadOptions){0}));
	assert_true(c->diags.status != HONE_OK);
	diags_init(&c->diags, c->arena);
	unlink(path_in(f, "functions/a.meta"));
	assert_null(model_read(c, f->dir, &(ReadOptions){0}));
	assert_non_null(strstr(c->diags.list.data[0].message, "there is no functions/*.meta"));
	context_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bad_metadata_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(large_and_deep, setup, teardown),
		cmocka_unit_test_setup_teardown(odd_directories, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
