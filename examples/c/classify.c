/* Runs the text-direction classifier on an image of one colour:  cc classify.c $(pkg-config --cflags --libs hone)
 * usage: classify MODEL */
#include <hone.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(hone_error *e)
{
	const char *where = hone_error_where(e), *hint = hone_error_hint(e);
	fprintf(stderr, "%s%s%s\n", where ? where : "", where ? ": " : "", hone_error_message(e));
	if (hint)
		fprintf(stderr, "  %s\n", hint);
	hone_error_free(e);
	return 1;
}

int main(int argc, char **argv)
{
	static float image[3 * 48 * 192];
	const int64_t dims[] = { 1, 3, 48, 192 };
	hone_tensor in = { image, sizeof(image), HONE_F32, 4, dims }, out;
	hone_program *program;
	hone_exec *exec;
	hone_error *e;
	if (argc != 2) {
		fprintf(stderr, "usage: classify MODEL\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(image) / sizeof(*image); i++)
		image[i] = 0.5f;
	if (hone_program_load(argv[1], NULL, &program, &e))
		return fail(e);
	if (hone_exec_new(program, NULL, &exec, &e) || hone_exec_bind_input(exec, 0, &in, &e) || hone_exec_run(exec, &e) ||
			hone_exec_output(exec, 0, &out, &e))
		return fail(e);
	printf("upright %.4f, turned %.4f\n", ((float *)out.data)[0], ((float *)out.data)[1]);
	hone_exec_free(exec);
	hone_program_free(program);
	return 0;
}
