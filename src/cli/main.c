/* hone: entry point. Finds the verb, parses its options, runs it, and turns its status into the exit code. */
#include "cli/cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const Verb *const VERBS[] = {
	&VERB_OPT, &VERB_CONVERT, &VERB_INFO, &VERB_CHECK, &VERB_VERIFY, &VERB_RUN, &VERB_COMPILE, &VERB_BENCH, &VERB_PASSES, &VERB_EXPLAIN,
	&VERB_IMPORT,
};

static void overview(FILE *to)
{
	fputs("hone makes an exported neural network ready for inference.\n\n"
			"  hone opt model.onnx -o out.onnx    optimise, prove, write\n\n", to);
	for (size_t i = 0; i < ARRAY_LEN(VERBS); i++)
		fprintf(to, "  %-11s %s\n", VERBS[i]->name, VERBS[i]->summary);
	fputs("\n`hone VERB --help` explains each. Exit codes: 0 done, 1 a negative answer, 2 wrong usage, 3 bad input,\n"
			"4 unsupported, 5 the proof failed, 6 out of memory or a limit, 7 file trouble, 70 a bug of hone.\n", to);
}

static const Verb *find_verb(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(VERBS); i++)
		if (!strcmp(VERBS[i]->name, name))
			return VERBS[i];
	return NULL;
}

static HoneStatus unknown_verb(Cli *cli, const char *name)
{
	const char *names[ARRAY_LEN(VERBS)];
	for (size_t i = 0; i < ARRAY_LEN(VERBS); i++)
		names[i] = VERBS[i]->name;
	const char *near = nearest_name(name, names, ARRAY_LEN(VERBS));
	diag_error(&cli->ctx->diags, HONE_USAGE, NULL, "no verb %s", quote(cli->arena, name, strlen(name)));
	if (near)
		diag_hint(&cli->ctx->diags, "did you mean `hone %s`?", near);
	else
		diag_hint(&cli->ctx->diags, "`hone help` lists them");
	return HONE_USAGE;
}

/* Called hone-import-onnx (or the like), the program is that verb. */
static bool named_after(const char *program, const Verb *v)
{
	const char *slash = strrchr(program, '/'), *dash = strchr(slash ? slash : program, '-');
	return dash && !strcmp(dash + 1, v->name);
}

static HoneStatus run_verb(Cli *cli, const Verb *v, int argc, char **argv)
{
	if (!args_parse(cli, v, argc, argv))
		return HONE_USAGE;
	if (args_has(cli, "help")) {
		verb_help(v, stdout);
		return HONE_OK;
	}
	cli->json = args_has(cli, "json");
	cli->quiet = args_has(cli, "quiet");
	cli->colour = isatty(STDOUT_FILENO) && !args_has(cli, "no-color") && !getenv("NO_COLOR");
	return v->run(cli);
}

static HoneStatus run(Cli *cli, int argc, char **argv)
{
	if (argc > 1 && named_after(argv[0], &VERB_IMPORT))
		return run_verb(cli, &VERB_IMPORT, argc - 1, argv + 1);
	const char *name = argc > 1 ? argv[1] : "help";
	if (!strcmp(name, "--version") || !strcmp(name, "version")) {
		puts("hone " HONE_VERSION);
		return HONE_OK;
	}
	bool help = !strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h");
	if (help && argc < 3) {
		overview(argc > 1 ? stdout : stderr);
		return argc > 1 ? HONE_OK : HONE_USAGE;
	}
	const Verb *v = find_verb(help ? argv[2] : name);
	if (!v)
		return unknown_verb(cli, help ? argv[2] : name);
	if (!help)
		return run_verb(cli, v, argc - 2, argv + 2);
	verb_help(v, stdout);
	return HONE_OK;
}

int main(int argc, char **argv)
{
	MemGuard guard;
	Cli cli = { 0 };
	signal(SIGPIPE, SIG_IGN);
	mem_guard_push(&guard);
	if (setjmp(guard.env)) {
		fputs("hone: out of memory\n", stderr);
		return HONE_LIMIT;
	}
	cli.arena = arena_new();
	cli.ctx = context_new();
	cli.args.arena = cli.arena;
	HoneStatus s = finish(&cli, run(&cli, argc, argv));
	mem_guard_pop(&guard);
	context_free(cli.ctx);
	arena_free(cli.arena);
	if (fflush(stdout) != 0 && s == HONE_OK)
		s = HONE_IO;
	return (int)s;
}
