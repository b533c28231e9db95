/* What `hone opt` prints: before and after by kind of node, what was folded, the proof, time and memory. */
#include "cli/cli.h"

#include <string.h>

static const char *paint(const Cli *cli, const char *code)
{
	return cli->colour ? code : "";
}

static void row(Cli *cli, FILE *to, const char *name, const char *before, const char *after, int trend)
{
	const char *colour = trend < 0 ? "\033[32m" : trend > 0 ? "\033[33m" : "";
	fprintf(to, "  %-28s %12s  %s%12s%s\n", name, before, paint(cli, colour), after, paint(cli, "\033[0m"));
}

static int trend(double before, double after)
{
	return after < before ? -1 : after > before ? 1 : 0;
}

static void count_row(Cli *cli, FILE *to, const char *name, int64_t before, int64_t after)
{
	row(cli, to, name, arena_printf(cli->arena, "%lld", (long long)before),
			arena_printf(cli->arena, "%lld", (long long)after), trend((double)before, (double)after));
}

static void figures_rows(Cli *cli, FILE *to, const OptimiseReport *r, size_t in_bytes, size_t out_bytes)
{
	const ModelFigures *b = &r->before, *a = &r->after;
	count_row(cli, to, "nodes", b->nodes, a->nodes);
	row(cli, to, "parameters", human_count(cli->arena, (double)b->parameters),
			human_count(cli->arena, (double)a->parameters), trend((double)b->parameters, (double)a->parameters));
	row(cli, to, a->macs_symbolic ? "multiply-adds (sizes open)" : "multiply-adds", human_count(cli->arena, b->macs),
			human_count(cli->arena, a->macs), trend(b->macs, a->macs));
	if (in_bytes && out_bytes)
		row(cli, to, "file", human_bytes(cli->arena, (double)in_bytes), human_bytes(cli->arena, (double)out_bytes),
				trend((double)in_bytes, (double)out_bytes));
}

static void rules_line(FILE *to, const RewriteLog *log)
{
	int column = 0;
	fprintf(to, "rewrites: %lld\n", (long long)log->rewrites);
	for (size_t i = 0; i < log->names.len; i++) {
		if (!log->counts.data[i])
			continue;
		column += fprintf(to, "%s%s %lld", column ? ", " : "  ", log->names.data[i], (long long)log->counts.data[i]);
		if (column > 80) {
			fputs(",\n", to);
			column = 0;
		}
	}
	if (column)
		fputc('\n', to);
}

static void skips(FILE *to, const LocalReport *p)
{
	for (size_t i = 0; i < p->skips.len; i++)
		fprintf(to, "  not replayed: %lld (%s)\n", (long long)p->skips.data[i].count, p->skips.data[i].reason);
}

void report_proof(FILE *to, const OptimiseReport *r)
{
	const LocalReport *p = &r->proof, *q = &r->draws;
	if (!r->proved) {
		fputs("not verified (--no-verify)\n", to);
		return;
	}
	if (p->failed || r->constants.failed) {
		fprintf(to, "verification FAILED: %lld values changed, %lld computed constants are wrong\n", (long long)p->failed,
				(long long)r->constants.failed);
		return;
	}
	fprintf(to, "verified: %lld values equal (%lld unchanged, %lld replayed in double), %lld constants, %.2f s\n",
			(long long)(p->unchanged + p->checked), (long long)p->unchanged, (long long)p->checked,
			(long long)r->constants.checked, p->seconds + r->constants.seconds + q->seconds);
	if (q->values)
		fprintf(to, "random numbers: %lld values are drawn by other operators and compared as samples; before and after them\n"
			"  %lld values equal on the same numbers (%lld unchanged, %lld replayed)\n", (long long)q->drawn,
			(long long)(q->unchanged + q->checked - q->drawn), (long long)q->unchanged, (long long)(q->checked - q->drawn));
	skips(to, q);
	skips(to, p);
	skips(to, &r->constants);
}

void report_optimise(Cli *cli, FILE *to, const OptimiseReport *r, const char *in, const char *out)
{
	size_t in_bytes = file_size(in), out_bytes = out ? file_size(out) : 0;
	fprintf(to, "%s%s%s%s%s\n", paint(cli, "\033[1m"), in, out ? " -> " : "", out ? out : "", paint(cli, "\033[0m"));
	fprintf(to, "  %-28s %12s  %12s\n", "", "before", "after");
	for (size_t i = 0; i < r->kinds.len; i++)
		count_row(cli, to, r->kinds.data[i].name, r->kinds.data[i].before, r->kinds.data[i].after);
	figures_rows(cli, to, r, in_bytes, out_bytes);
	rules_line(to, &r->log);
	report_proof(to, r);
	fprintf(to, "%d rounds, %.3f s, peak memory %s\n", r->rounds, r->seconds, human_bytes(cli->arena, (double)peak_memory()));
}

/* ---- JSON ---- */

static json_t *figures_json(const ModelFigures *f)
{
	return json_pack("{s:I s:I s:I s:I s:f s:b}", "nodes", (json_int_t)f->nodes, "constants", (json_int_t)f->constants,
			"parameters", (json_int_t)f->parameters, "weight_bytes", (json_int_t)f->weight_bytes, "macs", f->macs,
			"macs_symbolic", f->macs_symbolic);
}

static json_t *proof_json(const LocalReport *p)
{
	json_t *skipped = json_array(), *failures = json_array();
	for (size_t i = 0; i < p->skips.len; i++)
		json_array_append_new(skipped, json_pack("{s:s s:I}", "reason", p->skips.data[i].reason, "count",
				(json_int_t)p->skips.data[i].count));
	for (size_t i = 0; i < p->failures.len; i++) {
		const LocalFailure *f = &p->failures.data[i];
		json_array_append_new(failures, json_pack("{s:s s:s s:s s:I s:s}", "value", f->value, "op", f->op, "rule", f->rule,
				"rewrite", (json_int_t)f->rewrite, "detail", f->detail ? f->detail : ""));
	}
	return json_pack("{s:I s:I s:I s:I s:I s:I s:f s:o s:o}", "values", (json_int_t)p->values, "unchanged",
			(json_int_t)p->unchanged, "replayed", (json_int_t)p->checked, "drawn", (json_int_t)p->drawn, "skipped", (json_int_t)p->skipped, "failed",
			(json_int_t)p->failed, "seconds", p->seconds, "skip_reasons", skipped, "failures", failures);
}

json_t *report_optimise_json(Cli *cli, const OptimiseReport *r, const char *in, const char *out)
{
	json_t *kinds = json_object(), *rules = json_object(), *passes = json_array();
	(void)cli;
	for (size_t i = 0; i < r->kinds.len; i++)
		json_object_set_new(kinds, r->kinds.data[i].name, json_pack("[I,I]", (json_int_t)r->kinds.data[i].before,
				(json_int_t)r->kinds.data[i].after));
	for (size_t i = 0; i < r->log.names.len; i++)
		json_object_set_new(rules, r->log.names.data[i], json_integer((json_int_t)r->log.counts.data[i]));
	for (size_t i = 0; i < r->passes.len; i++) {
		const PassStat *s = &r->passes.data[i];
		json_array_append_new(passes, json_pack("{s:s s:I s:I s:f}", "name", s->name, "runs", (json_int_t)s->runs, "changes",
				(json_int_t)s->changes, "seconds", s->seconds));
	}
	return json_pack("{s:i s:s s:s? s:o s:o s:o s:o s:o s:b s:o s:o s:o s:i s:f s:I}", "schema", 1, "input", in, "output", out,
			"before", figures_json(&r->before), "after", figures_json(&r->after), "kinds", kinds, "rewrites", rules,
			"passes", passes, "verified", r->proved && !r->proof.failed && !r->constants.failed, "proof",
			proof_json(&r->proof), "constants", proof_json(&r->constants), "random", proof_json(&r->draws),
			"rounds", r->rounds, "seconds", r->seconds, "peak_memory", (json_int_t)peak_memory());
}
