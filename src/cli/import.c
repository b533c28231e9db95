/* hone import-onnx: what iree-import-onnx and torch-mlir-import-onnx do, with their options. */
#include "cli/cli.h"

#include <string.h>

static const Option IMPORT_OPTIONS[] = {
	{ "output", 'o', "FILE", "where the text goes (default, and -: stdout)" },
	{ "opset-version", 0, "N", "translate the model to this operator set first" },
	{ "data-dir", 0, "DIR", "where external data is looked up (default: beside the model)" },
	{ "allow-external-dir", 0, NULL, "external data may lie anywhere" },
	{ "externalize-params", 0, NULL, "large initializers become named parameters, saved in a parameter archive" },
	{ "no-externalize-params", 0, NULL, "all weights stay in the text (default)" },
	{ "num-elements-threshold", 0, "N", "initializers with fewer elements stay in the text (default 100)" },
	{ "externalize-inputs-threshold", 0, "I", "inputs from number I on (0 is the first) become parameters too" },
	{ "params-scope", 0, "NAME", "scope of the parameters (default model)" },
	{ "save-params", 0, NULL, "write the parameter archive (default)" },
	{ "no-save-params", 0, NULL, "only name the parameters" },
	{ "save-params-to", 0, "FILE", "the archive (default: the output's name without its extension, and _params.irpa)" },
	{ "clear-domain", 0, NULL, "take every node for one of the default domain" },
	{ "no-verify", 0, NULL, "do not check the result's structure" },
	{ "names", 0, NULL, "keep names of inputs and outputs and symbolic sizes, as attributes" },
	{ "locations", 0, NULL, "keep names of nodes, as locations" },
	{ "data-prop", 0, NULL, "shape inference follows the data (it always does)" },
	{ "no-data-prop", 0, NULL, "accepted with a note: shape inference follows the data all the same" },
	{ "large-model", 0, NULL, "weights are never in memory all at once (models of any size take this path)" },
	{ "no-large-model", 0, NULL, "as above: the check of smaller models is not left out either" },
	{ "param-gb-threshold", 0, "G", "accepted with a note: weights are never in memory, whatever G is" },
	{ "keep-temps", 0, NULL, "accepted with a note: there are no temporary files" },
	{ "temp-dir", 0, "DIR", "accepted with a note, as above" },
	{ "disable-function-expansion-allowlist", 0, NULL, "accepted with a note: operators that are functions stay operators" },
};

/* ---- domains ---- */

static bool clear_domain(void *arg, Op *op)
{
	Context *c = arg;
	const Str *name = op->def->name;
	const char *at = strstr(name->s, "::");
	if (at && name->len > 5 && !memcmp(name->s, "onnx.", 5))
		op_set_def(op, op_def_onnx(c, NULL, str(c, at + 2)));
	return true;
}

/* The importers only upgrade. */
static bool change_opset(Cli *cli, Module *m)
{
	int64_t want = 0;
	if (!args_int(cli, "opset-version", 1, 1000, &want))
		return false;
	return want <= onnx_opset(m, cli->ctx->empty) || convert_opset(m, want, cli->arena);
}

/* ---- parameters ---- */

static bool params_options(Cli *cli, const char *out, WriteOptions *w)
{
	int64_t inputs = -1;
	const char *to = args_get(cli, "save-params-to");
	if (!args_int(cli, "num-elements-threshold", 0, INT64_MAX, &w->params_threshold) ||
			!args_int(cli, "externalize-inputs-threshold", 0, 1 << 30, &inputs))
		return false;
	w->params_scope = args_get(cli, "params-scope");
	if (!args_has(cli, "externalize-params"))
		return true;
	w->params_inputs = inputs + 1;
	w->params_path = "";
	if (args_has(cli, "no-save-params"))
		return true;
	w->params_path = to;
	if (!to && !out_has_place(out))
		return diag_error(&cli->ctx->diags, HONE_USAGE, NULL,
				"the text goes to no file of its own, so --save-params-to must name the archive");
	if (!to) {
		const char *slash = strrchr(out, '/'), *dot = strrchr(slash ? slash : out, '.');
		w->params_path = arena_printf(cli->arena, "%.*s_params.irpa", dot ? (int)(dot - out) : (int)strlen(out), out);
	}
	return true;
}

/* Options that ask for something else than what happens are not passed over in silence. */
static void note_options(Cli *cli)
{
	static const struct { const char *option, *why; } rows[] = {
		{ "no-data-prop", "shapes that are computed from shapes are known all the same" },
		{ "param-gb-threshold", "weights go from file to file and are not collected in memory first" },
		{ "keep-temps", "there are no temporary files" },
		{ "temp-dir", "there are no temporary files" },
		{ "disable-function-expansion-allowlist", "operators that ONNX defines as functions stay operators; `hone opt` takes "
			"apart those that it must" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (args_has(cli, rows[i].option))
			diag_note(&cli->ctx->diags, NULL, "--%s changes nothing: %s", rows[i].option, rows[i].why);
}

static HoneStatus run_import(Cli *cli)
{
	const char *out = args_get(cli, "output");
	WriteOptions w = { .plain = !args_has(cli, "names"), .locations = args_has(cli, "locations") };
	if (!out)
		out = "-";
	note_options(cli);
	if (!params_options(cli, out, &w))
		return HONE_USAGE;
	Module *m = load_model(cli, cli->args.positional.data[0]);
	if (!m)
		return HONE_BAD_INPUT;
	if (args_has(cli, "clear-domain"))
		module_walk(m, clear_domain, cli->ctx);
	if (!change_opset(cli, m) || (!args_has(cli, "no-verify") && !module_verify(m, &cli->ctx->diags)))
		return HONE_UNSUPPORTED;
	return model_write(m, out, "torch-onnx", &w) ? HONE_OK : HONE_IO;
}

const Verb VERB_IMPORT = {
	.name = "import-onnx", .summary = "ONNX to MLIR text, as iree-import-onnx does", .usage = "MODEL [-o OUTPUT]",
	.help = "Takes the options of iree-import-onnx and of torch-mlir's importer; also installed as hone-import-onnx. The\n"
		"nodes stay as they are (hone opt -t torch-onnx optimises them); types of all values are inferred.",
	.options = IMPORT_OPTIONS, .noptions = ARRAY_LEN(IMPORT_OPTIONS), .min_args = 1, .max_args = 1, .run = run_import,
};
