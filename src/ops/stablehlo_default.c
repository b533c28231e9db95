/* What attributes of StableHLO's ops mean when they are not there. */
#include "ops/ops.h"

#include <string.h>

typedef enum Default {
	DEF_FALSE, DEF_TRUE, DEF_ZERO, DEF_ONES, DEF_ZEROS, DEF_EMPTY, DEF_ORIGINAL, DEF_LAST, DEF_WORD, DEF_ACCURACY, DEF_CHANNEL,
	DEF_NEVER
} Default;

/* op NULL: of every op. */
static const struct { const char *op, *name; Default value; } defaults[] = {
	{ "sort", "dimension", DEF_LAST }, { "cholesky", "lower", DEF_FALSE },
	{ "collective_permute", "source_target_pairs", DEF_NEVER }, { "send", "channel_handle", DEF_NEVER },
	{ "recv", "channel_handle", DEF_NEVER }, { NULL, "channel_handle", DEF_CHANNEL },
	{ NULL, "api_version", DEF_ORIGINAL }, { NULL, "backend_config", DEF_EMPTY }, { NULL, "base_dilations", DEF_ONES },
	{ NULL, "called_computations", DEF_EMPTY }, { NULL, "channel_id", DEF_ZERO }, { NULL, "compare_type", DEF_WORD },
	{ NULL, "composite_attributes", DEF_EMPTY }, { NULL, "has_dynamic_root", DEF_FALSE },
	{ NULL, "has_side_effect", DEF_FALSE }, { NULL, "indices_are_sorted", DEF_FALSE }, { NULL, "infeed_config", DEF_EMPTY },
	{ NULL, "is_host_transfer", DEF_FALSE }, { "top_k", "is_stable", DEF_TRUE },
	{ NULL, "is_stable", DEF_FALSE },
	{ NULL, "known_expanding_dimensions", DEF_EMPTY }, { NULL, "known_nonexpanding_dimensions", DEF_EMPTY },
	{ NULL, "layout", DEF_EMPTY }, { NULL, "lhs_dilation", DEF_ONES }, { NULL, "operand_layouts", DEF_EMPTY },
	{ NULL, "outfeed_config", DEF_EMPTY }, { NULL, "output_operand_aliases", DEF_EMPTY }, { NULL, "padding", DEF_ZEROS },
	{ NULL, "precision_config", DEF_WORD }, { NULL, "result_accuracy", DEF_ACCURACY }, { NULL, "result_layouts", DEF_EMPTY },
	{ NULL, "result_tilings", DEF_EMPTY }, { NULL, "rhs_dilation", DEF_ONES }, { NULL, "source_target_pairs", DEF_EMPTY },
	{ NULL, "unique_indices", DEF_FALSE }, { NULL, "use_global_device_ids", DEF_FALSE }, { NULL, "version", DEF_ZERO },
	{ NULL, "window_dilations", DEF_ONES }, { NULL, "window_reversal", DEF_ZEROS }, { NULL, "window_strides", DEF_ONES },
};

static bool all_ints(const Attr *a, int64_t v)
{
	for (size_t i = 0; a->kind == ATTR_INTS && i < a->u.ints.n; i++)
		if (a->u.ints.v[i] != v)
			return false;
	return a->kind == ATTR_INTS;
}

static bool is_empty(const Attr *a)
{
	int64_t n;
	switch (a->kind) {
	case ATTR_STR: return a->u.str->len == 0;
	case ATTR_INTS: return a->u.ints.n == 0;
	case ATTR_STRS: return a->u.strs.n == 0;
	case ATTR_LIST:
	case ATTR_DICT: return a->u.list.n == 0;
	case ATTR_TENSOR: return type_static_numel(a->u.tensor.type, &n) && n == 0;
	default: return false;
	}
}

/* The word that stands for nothing in particular, alone or in a list. */
static bool is_default_word(const Attr *a)
{
	static const char *const words[] = { "DEFAULT", "NOTYPE" };
	if (a->kind == ATTR_STR)
		return !strcmp(a->u.str->s, words[0]) || !strcmp(a->u.str->s, words[1]);
	for (size_t i = 0; a->kind == ATTR_STRS && i < a->u.strs.n; i++)
		if (strcmp(a->u.strs.v[i]->s, words[0]) != 0)
			return false;
	return a->kind == ATTR_STRS || is_empty(a);
}

static bool is_no_channel(const Attr *a)
{
	for (size_t i = 0; a->kind == ATTR_DICT && i < a->u.list.n; i++)
		if (a->u.list.v[i]->kind != ATTR_INT || a->u.list.v[i]->u.i != 0)
			return false;
	return a->kind == ATTR_DICT;
}

static bool is_default(const Attr *a, Default d)
{
	switch (d) {
	case DEF_FALSE: return a->kind == ATTR_BOOL && !a->u.i;
	case DEF_TRUE: return a->kind == ATTR_BOOL && a->u.i;
	case DEF_ZERO: return a->kind == ATTR_INT && a->u.i == 0;
	case DEF_ONES: return all_ints(a, 1);
	case DEF_ZEROS: return all_ints(a, 0);
	case DEF_EMPTY: return is_empty(a);
	case DEF_ORIGINAL: return a->kind == ATTR_INT && a->u.i == 1;
	case DEF_LAST: return a->kind == ATTR_INT && a->u.i == -1;
	case DEF_WORD: return is_default_word(a);
	case DEF_ACCURACY: return a->kind == ATTR_TEXT && strstr(a->u.str->s, "result_accuracy_mode<DEFAULT>") != NULL;
	case DEF_CHANNEL: return is_no_channel(a);
	case DEF_NEVER: break;
	}
	return false;
}

bool shlo_attr_is_default(const char *op, const char *name, const Attr *a)
{
	for (size_t i = 0; i < ARRAY_LEN(defaults); i++)
		if ((!defaults[i].op || !strcmp(defaults[i].op, op)) && !strcmp(defaults[i].name, name))
			return is_default(a, defaults[i].value);
	return false;
}
