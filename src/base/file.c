/* Mapped input files. Output files are in out.c. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base.h"
#include "errno_text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_READ = 64 * 1024 };

static bool io_error(Diags *d, const char *path, int err, const char *action)
{
	char text[ERRNO_TEXT];
	Loc loc = {.file = arena_strdup(d->arena, path), .offset = -1};
	return diag_error(d, HONE_IO, &loc, "cannot %s: %s", action, errno_text(err, text));
}

static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode)    ? "a directory"
	       : S_ISFIFO(mode) ? "a named pipe"
	       : S_ISSOCK(mode) ? "a socket"
	       : S_ISLNK(mode)  ? "a symbolic link"
	                        : "a device";
}

static bool kind_error(Diags *d, const char *path, mode_t mode)
{
	Loc loc = {.file = arena_strdup(d->arena, path), .offset = -1};
	return diag_error(d, HONE_IO, &loc, "is %s, not a regular file", kind_of(mode));
}

/* One allocation holds the record and the path, so that nothing is lost if a later one fails. */
static MappedFile *new_file(const char *path)
{
	size_t n = strlen(path) + 1;
	MappedFile *f = mem_zalloc(sizeof(*f) + n);
	f->path = memcpy((char *)(f + 1), path, n);
	f->fd = -1;
	f->refs = 1;
	return f;
}

static void free_file(MappedFile *f)
{
	if (f->whole)
		file_unref(f->whole);
	else if (f->mapped)
		munmap((void *)(uintptr_t)f->data, f->len);
	else
		free((void *)(uintptr_t)f->data);
	if (f->fd >= 0)
		close(f->fd);
	mem_free(f);
}

MappedFile *file_of_bytes(const char *path, void *malloced, size_t len)
{
	MappedFile *f = new_file(path);
	f->data = malloced;
	f->len = len;
	return f;
}

/* Reads to the end. Returns 0 or an errno value; what was read is f's either way. */
static int read_all(MappedFile *f, int fd)
{
	size_t cap = 0;
	for (;;) {
		if (f->len == cap) {
			size_t more = cap ? cap : FIRST_READ;
			uint8_t *grown = cap > PTRDIFF_MAX - more ? NULL : realloc((void *)(uintptr_t)f->data, cap + more);
			if (!grown)
				return ENOMEM;
			f->data = grown;
			cap += more;
		}
		ssize_t n = read(fd, (uint8_t *)(uintptr_t)f->data + f->len, cap - f->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		if (n == 0)
			return 0;
		f->len += (size_t)n;
	}
}

/* Gives up on f with the given error. */
static MappedFile *give_up(MappedFile *f, Diags *d, const char *path, int err, const char *action)
{
	free_file(f);
	if (err == ENOMEM)
		mem_fail();
	io_error(d, path, err, action);
	return NULL;
}

static MappedFile *map_stdin(Diags *d)
{
	MappedFile *f = new_file("-");
	int err = read_all(f, STDIN_FILENO);
	return err ? give_up(f, d, "<stdin>", err, "read") : f;
}

/* Maps f->fd, which is open. Filesystems that cannot map are read instead. path: for messages, not f's. */
static MappedFile *map_open_file(MappedFile *f, const char *path, Diags *d)
{
	struct stat st;
	if (fstat(f->fd, &st) != 0)
		return give_up(f, d, path, errno, "read");
	if (!S_ISREG(st.st_mode)) {
		free_file(f);
		kind_error(d, path, st.st_mode);
		return NULL;
	}
	if ((uintmax_t)st.st_size > PTRDIFF_MAX)
		return give_up(f, d, path, EFBIG, "map");
	if (st.st_size == 0)
		return f;
	void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, f->fd, 0);
	if (p != MAP_FAILED) {
		f->data = p;
		f->len = (size_t)st.st_size;
		f->mapped = true;
		return f;
	}
	if (errno != ENODEV && errno != EACCES && errno != EINVAL)
		return give_up(f, d, path, errno, "map");
	int err = read_all(f, f->fd);
	return err ? give_up(f, d, path, err, "read") : f;
}

/* O_NONBLOCK: opening a named pipe must not wait for a writer; what kind of file it is, is checked afterwards. */
enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

MappedFile *file_map(const char *path, Diags *d)
{
	if (!strcmp(path, "-"))
		return map_stdin(d);
	struct stat st;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) { /* opening a device can have effects */
		kind_error(d, path, st.st_mode);
		return NULL;
	}
	MappedFile *f = new_file(path);
	f->fd = open(path, OPEN_FLAGS);
	if (f->fd < 0)
		return give_up(f, d, path, errno, "open");
	return map_open_file(f, path, d);
}

/* ---- files below a directory ---- */

typedef struct Beneath {
	const char *dir, *name; /* as given */
	Diags *diags;
} Beneath;

static bool refuse(const Beneath *b, const char *why)
{
	Arena *a = b->diags->arena;
	Loc loc = {.file = arena_strdup(a, b->dir), .offset = -1};
	return diag_error(b->diags, HONE_IO, &loc, "file %s refused: %s", quote(a, b->name, strlen(b->name)), why);
}

static bool has_dot_dot(const char *name)
{
	for (const char *p = name; *p; p++) {
		bool starts = p == name || p[-1] == '/';
		if (starts && p[0] == '.' && p[1] == '.' && (p[2] == '/' || p[2] == '\0'))
			return true;
	}
	return false;
}

static bool name_ok(const Beneath *b)
{
	if (!*b->name)
		return refuse(b, "the name is empty");
	if (*b->name == '/')
		return refuse(b, "an absolute path is not allowed here");
	if (has_dot_dot(b->name))
		return refuse(b, "\"..\" is not allowed in the path");
	return true;
}

/* The part of `real` below the real directory `root`, NULL when it is not below. */
static const char *below(const char *root, const char *real)
{
	size_t n = strlen(root);
	if (!strcmp(root, "/"))
		return real + 1;
	return !strncmp(root, real, n) && real[n] == '/' ? real + n + 1 : NULL;
}

/* Walks `rel`, which names no link, from directory `at` (closed here) without following any: whatever somebody changes
 * meanwhile, the walk cannot leave the directory. Returns a descriptor, or -1 with errno. */
static int open_walk(int at, const char *rel)
{
	char part[NAME_MAX + 1];
	while (at >= 0) {
		size_t n = strcspn(rel, "/");
		bool last = rel[n] == '\0';
		int fd = -1;
		if (n > NAME_MAX) {
			errno = ENAMETOOLONG;
		} else {
			memcpy(part, rel, n);
			part[n] = '\0';
			fd = openat(at, part, OPEN_FLAGS | O_NOFOLLOW | (last ? 0 : O_DIRECTORY));
		}
		int err = errno;
		close(at);
		errno = err;
		if (last)
			return fd;
		at = fd;
		rel += n + 1;
	}
	return -1;
}

/* Resolves links first, checks where that leads, then opens the resolved path part by part. Returns NULL and sets *fd, or
 * says what is wrong (static, or in text). */
static const char *open_beneath(const char *dir, const char *joined, int *fd, char text[ERRNO_TEXT])
{
	const char *why = NULL;
	char *root = realpath(dir, NULL);
	char *real = root ? realpath(joined, NULL) : NULL;
	const char *rel = real ? below(root, real) : NULL;
	struct stat st;
	if (!root) {
		why = errno == ENOENT ? "the directory does not exist" : errno_text(errno, text);
	} else if (!real) {
		why = errno == ENOENT ? "no such file in this directory" : errno_text(errno, text);
	} else if (!rel) {
		why = "a symbolic link leads out of the directory";
	} else if (lstat(real, &st) == 0 && !S_ISREG(st.st_mode)) {
		why = S_ISDIR(st.st_mode) ? "it is a directory, not a regular file" : "it is not a regular file";
	} else {
		*fd = open_walk(open(root, O_RDONLY | O_CLOEXEC | O_DIRECTORY), rel);
		if (*fd < 0)
			why = errno_text(errno, text);
	}
	free(root);
	free(real);
	return why;
}

MappedFile *file_map_beneath(const char *dir, const char *name, Diags *d)
{
	char text[ERRNO_TEXT];
	Beneath b = {dir, name, d};
	if (!name_ok(&b))
		return NULL;
	const char *joined = path_join(d->arena, dir, name);
	MappedFile *f = new_file(joined);
	const char *why = open_beneath(dir, joined, &f->fd, text);
	if (why) {
		free_file(f);
		refuse(&b, why);
		return NULL;
	}
	return map_open_file(f, joined, d);
}

MappedFile *file_part(MappedFile *f, size_t offset, size_t len)
{
	CHECK(offset <= f->len && len <= f->len - offset);
	MappedFile *part = new_file(f->path);
	part->data = f->data + offset;
	part->len = len;
	part->whole = file_ref(f);
	return part;
}

MappedFile *file_ref(MappedFile *f)
{
	__atomic_add_fetch(&f->refs, 1, __ATOMIC_RELAXED);
	return f;
}

void file_unref(MappedFile *f)
{
	if (f && __atomic_sub_fetch(&f->refs, 1, __ATOMIC_ACQ_REL) == 0)
		free_file(f);
}

/* ---- paths ---- */

char *path_dir(Arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return arena_strdup(a, ".");
	size_t n = (size_t)(slash - path);
	while (n > 0 && path[n - 1] == '/')
		n--;
	if (n == 0)
		return arena_strdup(a, "/");
	char *dir = arena_alloc(a, n + 1);
	return memcpy(dir, path, n);
}

char *path_join(Arena *a, const char *dir, const char *name)
{
	size_t n = strlen(dir);
	if (n == 0 || *name == '/')
		return arena_strdup(a, name);
	return arena_printf(a, dir[n - 1] == '/' ? "%s%s" : "%s/%s", dir, name);
}
