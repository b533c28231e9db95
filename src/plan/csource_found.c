/* What is found in data as C: boxes, elements that are not zero. How many there are is a size that later parts are written for. */
#include "plan/csource_int.h"
#include "ops/label.h"

#include <string.h>

enum { MOST_FOUND = 4095 };

static const char NMS_TEXT[] =
	"\t\tfor (long i = 0; i < n; i++)\n\t\t\tif (s[i] == s[i] && s[i] > least)\n\t\t\t\torder[have++] = i;\n"
	"\t\tfor (long gap = have / 2; gap > 0; gap /= 2)\n"
	"\t\t\tfor (long i = gap; i < have; i++) {\n"
	"\t\t\t\tconst long at = order[i];\n\t\t\t\tlong j = i;\n"
	"\t\t\t\tfor (; j >= gap && (s[order[j - gap]] < s[at] || (s[order[j - gap]] == s[at] && order[j - gap] > at)); j -= gap)\n"
	"\t\t\t\t\torder[j] = order[j - gap];\n"
	"\t\t\t\torder[j] = at;\n\t\t\t}\n"
	"\t\tfor (long i = 0; i < have && kept < most; i++) {\n"
	"\t\t\tdouble *a = box[kept];\n\t\t\tlong k = 0;\n"
	"\t\t\tcorners(boxes + order[i] * 4, a);\n"
	"\t\t\tfor (; k < kept; k++) {\n"
	"\t\t\t\tconst double *b = box[k];\n"
	"\t\t\t\tconst double h = (a[2] < b[2] ? a[2] : b[2]) - (a[0] > b[0] ? a[0] : b[0]);\n"
	"\t\t\t\tconst double w = (a[3] < b[3] ? a[3] : b[3]) - (a[1] > b[1] ? a[1] : b[1]);\n"
	"\t\t\t\tconst double aa = (a[2] - a[0]) * (a[3] - a[1]), ba = (b[2] - b[0]) * (b[3] - b[1]), all = aa + ba - w * h;\n"
	"\t\t\t\tif (w > 0 && h > 0 && aa > 0 && ba > 0 && all > 0 && w * h / all > iou)\n\t\t\t\t\tbreak;\n\t\t\t}\n"
	"\t\t\tif (k < kept)\n\t\t\t\tcontinue;\n"
	"\t\t\ty[kept * 3] = task / classes;\n\t\t\ty[kept * 3 + 1] = task % classes;\n\t\t\ty[kept * 3 + 2] = order[i];\n\t\t\tkept++;\n\t\t}\n"
	"\t\tcount[task] = kept;\n\t}\n";

/* The function `corners` of the step: y0, x0, y1, x1 of a box. */
static const char *corners_function(CSource *c, bool centre)
{
	const char *name = cs_unique(c, "corners");
	buf_printf(&c->functions, "\nstatic void %s(const float *v, double *b)\n{\n\tconst double p = v[0], q = v[1], r = v[2], s = v[3];\n", name);
	buf_puts(&c->functions, centre ? "\tb[0] = q - s / 2;\n\tb[1] = p - r / 2;\n\tb[2] = q + s / 2;\n\tb[3] = p + r / 2;\n}\n" :
		"\tb[0] = r < p ? r : p;\n\tb[1] = s < q ? s : q;\n\tb[2] = r < p ? p : r;\n\tb[3] = s < q ? q : s;\n}\n");
	return name;
}

bool cs_nms(CSource *c, const void *param)
{
	const NmsParam *p = param;
	Buf *o = &c->body;
	const char *corners = corners_function(c, p->centre);
	cs_declare(c, "found", 0, "int64_t", 0, false);
	cs_declare(c, "count", 1, "int64_t", 0, false);
	cs_declare(c, "all_boxes", 2, "float", 0, true);
	cs_declare(c, "scores", 3, "float", 0, true);
	cs_declare(c, "limit", 4, "int64_t", 0, true);
	buf_printf(o, "\tconst double iou = %s;\n", p->has_iou ? arena_printf(c->arena, "*%s", cs_pointer(c, 5, "float", true)) : "0");
	buf_printf(o, "\tconst float least = %s;\n", p->has_score ? arena_printf(c->arena, "*%s", cs_pointer(c, 6, "float", true)) : "-INFINITY");
	buf_printf(o, "\tconst long n = %lld, room = %lld, classes = %lld;\n", (long long)p->boxes, (long long)p->most, (long long)p->classes);
	buf_puts(o, "\tconst long most = *limit < 0 ? 0 : *limit < room ? (long)*limit : room;\n");
	buf_printf(o, "\tstatic long order[" CS_ROOM "%lld];\n\tstatic double box[" CS_ROOM "%lld][4];\n", (long long)p->boxes + 1, (long long)p->most + 1);
	cs_loop(c, 1, "task", p->batches * p->classes);
	buf_puts(o, "\t{\n\t\tconst float *boxes = all_boxes + task / classes * n * 4, *s = scores + task * n;\n"
		"\t\tint64_t *y = found + task * room * 3;\n\t\tlong have = 0, kept = 0;\n");
	const char *mark = strstr(NMS_TEXT, "corners");
	buf_put(o, NMS_TEXT, (size_t)(mark - NMS_TEXT));
	buf_printf(o, "%s%s", corners, mark + strlen("corners"));
	return true;
}

bool cs_nonzero(CSource *c, const void *param)
{
	const NonzeroParam *p = param;
	const char *type = p->elem == 1 ? "uint8_t" : p->elem == 2 ? "uint16_t" : p->elem == 4 ? "uint32_t" : "uint64_t";
	cs_declare(c, "found", 0, "int64_t", 0, false);
	cs_declare(c, "count", 1, "int64_t", 0, false);
	cs_declare(c, "x", 2, type, 0, true);
	cs_loop(c, 1, "task", (p->n - 1) / p->part + 1);
	buf_printf(&c->body, "\t{\n\t\tlong n = 0, first = task * %lld;\n\t\tfor (long i = first; i < first + %lld && i < %lld; i++)\n", (long long)p->part,
		(long long)p->part, (long long)p->n);
	buf_printf(&c->body, "\t\t\tif ((%s)(x[i] << %d))\n\t\t\t\tfound[first + n++] = i;\n\t\tcount[task] = n;\n\t}\n", type, p->sign);
	return true;
}

/* ---- what follows them ---- */

/* Sizes of the result: of each number of things. */
static bool found_sizes(CSource *c, const FoundStep *f, int64_t most)
{
	if (most > MOST_FOUND)
		return cs_refuse_op(c, c->plan->boundary, arena_printf(c->arena, "up to %lld things may be found, and sources are written for %d",
			(long long)most, MOST_FOUND));
	for (int64_t n = 0; n <= most; n++) {
		const Shape **list = NEW_ARRAY(c->arena, const Shape *, 1);
		Shape *s = arena_alloc(c->arena, sizeof(*s) + 2 * sizeof(*s->dims));
		*s = (Shape){ .dtype = DT_I64, .rank = 2, .count = n * (f->places ? f->places->rank : FOUND_ROW) };
		s->dims[0] = f->places ? f->places->rank : n;
		s->dims[1] = f->places ? n : FOUND_ROW;
		list[0] = s;
		VEC_PUSH(c->arena, &c->found->sizes, list);
	}
	return true;
}

bool cs_take(CSource *c)
{
	const FoundStep *f = c->step->param;
	Buf *o = &c->body;
	if (c->step->call != found_take || !c->found)
		return cs_refuse(c, "it is no loop");
	int64_t most = f->places ? f->places->count : f->parts * f->room;
	if (!found_sizes(c, f, most))
		return false;
	const char *memory = cs_unique(c, "found"), *size = cs_unique(c, "size");
	int64_t room = most * (f->places ? f->places->rank : FOUND_ROW);
	buf_printf(&c->functions, "\nstatic long %s;\nstatic int64_t %s[" CS_ROOM "%lld];\n", size, memory, (long long)(room ? room : 1));
	c->found->address = NEW_ARRAY(c->arena, const char *, 1);
	c->found->address[0] = memory;
	c->found->variable = size;
	const Step taken = { .ptr = f->ptr }, *step = c->step;
	c->step = &taken;
	cs_declare(c, "found", 0, "int64_t", 0, true);
	cs_declare(c, "count", 1, "int64_t", 0, true);
	c->step = step;
	buf_printf(o, "\tlong n = 0, at = 0;\n\tfor (long t = 0; t < %lld; t++)\n\t\tn += (long)count[t];\n", (long long)f->parts);
	buf_printf(o, "\tfor (long t = 0; t < %lld; t++)\n\t\tfor (long i = 0; i < count[t]; i++, at++) {\n", (long long)f->parts);
	if (f->places) {
		int64_t stride[MAX_RANK];
		strides_of(f->places->rank, f->places->dims, stride);
		buf_printf(o, "\t\t\tconst long rest = (long)found[t * %lld + i];\n", (long long)f->room);
		for (int d = 0; d < f->places->rank; d++)
			buf_printf(o, "\t\t\t%s[%d * n + at] = rest / %lld %% %lld;\n", memory, d, (long long)stride[d], (long long)f->places->dims[d]);
	} else {
		for (int d = 0; d < FOUND_ROW; d++)
			buf_printf(o, "\t\t\t%s[at * %d + %d] = found[(t * %lld + i) * %d + %d];\n", memory, FOUND_ROW, d, (long long)f->room, FOUND_ROW, d);
	}
	buf_printf(o, "\t\t}\n\t%s = n;\n", size);
	return true;
}
