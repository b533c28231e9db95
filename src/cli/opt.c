/* hone opt, hone convert. */
#include "cli/cli.h"

#include <string.h>

#define MLIR_OPTIONS \
	{ "locations", 0, NULL, "text form with loc(...)" }, \
	{ "generic", 0, NULL, "text form with every op in MLIR's generic syntax" }, \
	{ "stablehlo-version", 0, "X.Y.Z", \
	  "version of bytecode, 0.9.0 to 1.20.0 (default: 1.0.0, or the first later one that has all of the module)" }

static const Option OPT_OPTIONS[] = {
	{ "output", 'o', "FILE", "where the result goes; - is stdout; without it only the report is made" },
	{ "to", 't', "FORMAT", "format of the result (default: by the name of the output, else that of the input)" },
	{ "no-verify", 0, NULL, "skip the proof that results are unchanged" },
	{ "verify-seconds", 0, "S", "time budget of the proof (default 60)" },
	{ "check-each", 0, NULL, "prove after every pass and name the first one that changes results" },
	{ "opset", 0, "N", "write ONNX for this opset (default: that of the model)" },
	{ "external-data", 0, NULL, "weights go to FILE.data beside the model (automatic above 2 GB)" },
	{ "value-info", 0, NULL, "write the inferred types of all values" },
	MLIR_OPTIONS,
	{ "print-after", 0, "PASS", "text form on stderr after a pass, or after all that change something" },
	{ "data-dir", 0, "DIR", "where external data is looked up (default: beside the model)" },
	{ "allow-external-dir", 0, NULL, "external data may lie anywhere" },
	{ "parameters", 0, "[SCOPE=]FILE", "parameter archive that a torch-onnx text names (default: beside it)" },
	OPTIMISE_OPTIONS,
	WEIGHT_OPTIONS,
	{ "keep-arguments", 0, NULL, "weights stay arguments, in OUTPUT.safetensors (in a torch_xla directory they always do)" },
};

static void print_module(void *arg, const char *pass, Module *m)
{
	Buf b = { 0 };
	(void)arg;
	mlir_print(m, &b, &(WriteOptions){ 0 });
	fprintf(stderr, "// after %s\n%s", pass, b.data ? b.data : "");
	buf_free(&b);
}

static WriteOptions write_options(const Cli *cli)
{
	return (WriteOptions){ .external_data = args_has(cli, "external-data"),
		.keep_value_info = args_has(cli, "value-info"), .locations = args_has(cli, "locations"),
		.generic = args_has(cli, "generic"), .stablehlo_version = args_get(cli, "stablehlo-version"),
		.keep_arguments = args_has(cli, "keep-arguments") };
}

/* A file of MLIR text holds StableHLO, but for a model that was read as core ops or with --to mlir; a dialect's own format
 * needs raise. */
static bool wants_raise(const char *to, const char *output, const Module *m, bool *stablehlo)
{
	const Format *f = to ? format_find(to) : output ? format_for_output(m, output) : NULL;
	const char *own = m->format ? m->format->s : "onnx", *name = f ? f->name : own;
	bool file = output && strcmp(output, "-");
	*stablehlo = !strcmp(name, "stablehlo") || !strcmp(name, "mlirbc") || !strcmp(name, "torch-xla") ||
		!strcmp(name, "jax-export") ||
		(!to && !strcmp(name, "mlir") && (file ? strcmp(own, "mlir") != 0 : !strcmp(own, "stablehlo")));
	return *stablehlo || !strcmp(name, "onnx") || !strcmp(name, "torch-onnx") || !strcmp(name, "onnxtxt");
}

static HoneStatus report(Cli *cli, const OptimiseReport *r, const char *in, const char *out)
{
	FILE *to = out && !strcmp(out, "-") ? stderr : stdout;
	if (cli->json && to == stdout)
		print_json(report_optimise_json(cli, r, in, out));
	else if (!cli->quiet)
		report_optimise(cli, to, r, in, out);
	return HONE_OK;
}

/* 0: not given. */
static bool opset_option(Cli *cli, int64_t *opset)
{
	*opset = 0;
	return args_int(cli, "opset", 1, INT64_MAX, opset);
}

/* Older forms of operators are what torch-mlir lacks most, and operators that came later. */
enum { BACKEND_OLDEST = 17, BACKEND_NEWEST = 22 };

/* Formats that a compiler reads get the pipeline for compilers, unless the model came from there. */
static void backend_defaults(const char *to, const Module *m, OptimiseOptions *o)
{
	const char *own = m->format ? m->format->s : "onnx";
	bool torch = to && !strcmp(to, "torch-onnx"), shlo = o->to_stablehlo && strcmp(own, "stablehlo");
	int64_t opset = onnx_opset(m, NULL);
	if ((torch || shlo) && !o->passes)
		o->passes = "torch-onnx-to-torch-backend";
	if (torch && !o->opset && opset > 0 && (opset < BACKEND_OLDEST || opset > BACKEND_NEWEST))
		o->opset = opset < BACKEND_OLDEST ? BACKEND_OLDEST : BACKEND_NEWEST;
}

static HoneStatus run_opt(Cli *cli)
{
	const char *in = cli->args.positional.data[0], *out = args_get(cli, "output"), *to = args_get(cli, "to");
	OptimiseOptions o;
	OptimiseReport r;
	if (!optimise_options(cli, &o) || !args_double(cli, "verify-seconds", &o.verify_seconds) || !opset_option(cli, &o.opset))
		return HONE_USAGE;
	o.verify = !args_has(cli, "no-verify");
	o.check_each = args_has(cli, "check-each");
	o.print_after = args_get(cli, "print-after");
	o.print = print_module;
	Module *m = load_model(cli, in);
	if (!m)
		return HONE_BAD_INPUT;
	if (!to && out && m->format && !strcmp(m->format->s, "torch-onnx") && format_find(out) == format_find("mlir"))
		to = "torch-onnx"; /* the same dialect again */
	bool raises = wants_raise(to, out, m, &o.to_stablehlo);
	backend_defaults(to, m, &o);
	o.to_onnx = raises && !o.to_stablehlo;
	o.portable = output_is_portable(m, out, to);
	o.freeze_inputs |= o.to_stablehlo; /* StableHLO has no inputs with defaults */
	if (!optimise(m, &o, cli->arena, &r)) {
		print_diags(cli);
		if (out)
			fprintf(stderr, "hone: nothing was written\n");
		return HONE_INTERNAL; /* the diagnostics say which class */
	}
	if (!raises) {
		model_figures(m, &r.after);
		count_kinds(m, cli->arena, &r, true);
	} else if (!optimise_raise(m, &o, cli->arena, &r)) {
		return HONE_UNSUPPORTED;
	}
	WriteOptions w = write_options(cli);
	if (out && !model_write(m, out, to, &w))
		return HONE_IO;
	print_diags(cli);
	return report(cli, &r, in, out);
}

const Verb VERB_OPT = {
	.name = "opt", .summary = "optimise a model, prove that results are unchanged, write it", .usage = "MODEL [-o OUTPUT]",
	.help = "Folds constants and batch norms, works out shapes, simplifies to a fixed point. Every rewritten region is\n"
		"replayed before and after in double precision on seeded data; if one differs nothing is written (exit 5).",
	.options = OPT_OPTIONS, .noptions = ARRAY_LEN(OPT_OPTIONS), .min_args = 1, .max_args = 1, .run = run_opt,
};

static const Option CONVERT_OPTIONS[] = {
	{ "output", 'o', "FILE", "where the result goes; - is stdout" },
	{ "to", 't', "FORMAT", "format of the result (default: by the name of the output, else that of the input)" },
	{ "opset", 0, "N", "write for this ONNX opset, up or down; nodes change only where operators did" },
	{ "external-data", 0, NULL, "weights go to FILE.data beside the model (automatic above 2 GB)" },
	MLIR_OPTIONS,
	{ "data-dir", 0, "DIR", "where external data is looked up (default: beside the model)" },
	{ "allow-external-dir", 0, NULL, "external data may lie anywhere" },
	{ "parameters", 0, "[SCOPE=]FILE", "parameter archive that a torch-onnx text names (default: beside it)" },
	WEIGHT_OPTIONS,
	{ "keep-arguments", 0, NULL, "weights stay arguments, in OUTPUT.safetensors (in a torch_xla directory they always do)" },
};

static HoneStatus run_convert(Cli *cli)
{
	const char *out = args_get(cli, "output");
	if (!out) {
		diag_error(&cli->ctx->diags, HONE_USAGE, NULL, "no output: hone convert MODEL -o OUTPUT");
		return HONE_USAGE;
	}
	Module *m = load_model(cli, cli->args.positional.data[0]);
	if (!m)
		return HONE_BAD_INPUT;
	int64_t opset;
	if (!opset_option(cli, &opset))
		return HONE_USAGE;
	if (opset && !convert_opset(m, opset, cli->arena))
		return HONE_UNSUPPORTED;
	const char *to = args_get(cli, "to");
	if (output_is_portable(m, out, to) && !make_portable(m, cli->arena))
		return HONE_UNSUPPORTED;
	WriteOptions w = write_options(cli);
	return model_write(m, out, to, &w) ? HONE_OK : HONE_IO;
}

const Verb VERB_CONVERT = {
	.name = "convert", .summary = "read a model and write it in another format, changing nothing", .usage = "MODEL -o OUTPUT",
	.options = CONVERT_OPTIONS, .noptions = ARRAY_LEN(CONVERT_OPTIONS), .min_args = 1, .max_args = 1, .run = run_convert,
};
