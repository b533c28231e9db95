/* Output files: written beside the target, renamed over it only when complete. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base.h"
#include "errno_text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	BUFFER = 2 << 20,
	COPY_BUFFER = 1024 * 1024,
	SMALL_COPY = 16 * 1024,
	COPY_STEP = 1 << 30, /* bytes asked of the kernel at once */
	TRIES = 100,         /* names tried for the temporary file */
	STEM_LIMIT = 200     /* bytes of the target's name kept in the temporary one */
};

struct OutFile {
	char *path;   /* target after links; malloc */
	char *temp;   /* NULL when the target is written directly */
	int fd;
	int error;    /* errno of the first failure */
	bool cut;     /* the failure was an input shorter than promised */
	size_t used;
	uint64_t offset;
	uint8_t buffer[BUFFER];
};

static void out_free(OutFile *o)
{
	if (!o)
		return;
	if (o->fd >= 0)
		close(o->fd);
	free(o->path);
	free(o->temp);
	free(o);
}

/* Name of the inherited descriptor that path stands for, -1 when it is an ordinary path. */
static int inherited_fd(const char *path)
{
	static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
	int64_t fd;
	if (!strcmp(path, "-"))
		return STDOUT_FILENO;
	for (int i = 0; i < (int)ARRAY_LEN(names); i++)
		if (!strcmp(path, names[i]))
			return i;
	static const char prefix[] = "/dev/fd/";
	size_t n = sizeof(prefix) - 1;
	if (!strncmp(path, prefix, n) && parse_int64(path + n, strlen(path + n), &fd) && fd >= 0 && fd <= INT_MAX)
		return (int)fd;
	return -1;
}

/* Creates ".name.XXXXXX.tmp" in the target's directory, readable as the umask (or the target it replaces) says.
 * The name only has to be unused: O_EXCL decides. */
static bool create_temp(OutFile *o, const struct stat *old)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	const char *slash = strrchr(o->path, '/');
	const char *stem = slash ? slash + 1 : o->path;
	size_t dir = (size_t)(stem - o->path), size = dir + STEM_LIMIT + 32;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	Rng rng = {(uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 40};
	o->temp = malloc(size);
	if (!o->temp) {
		errno = ENOMEM;
		return false;
	}
	for (int i = 0; i < TRIES; i++) {
		char tag[7] = {0};
		for (int k = 0; k < 6; k++)
			tag[k] = letters[rng_below(&rng, sizeof(letters) - 1)];
		snprintf(o->temp, size, "%.*s.%.*s.%s.tmp", (int)dir, o->path, STEM_LIMIT, stem, tag);
		o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (o->fd >= 0) {
			if (old)
				(void)!fchmod(o->fd, old->st_mode & 0777);
			return true;
		}
		if (errno != EEXIST)
			break;
	}
	int err = errno;
	free(o->temp); /* nothing to remove later */
	o->temp = NULL;
	errno = err;
	return false;
}

/* Fills o for the target; false with errno. An existing link is followed, so that it stays a link. */
static bool open_target(OutFile *o, const char *path)
{
	int inherited = inherited_fd(path);
	if (inherited >= 0) {
		o->path = strdup(path);
		o->fd = fcntl(inherited, F_DUPFD_CLOEXEC, 0);
		return o->path && o->fd >= 0;
	}
	struct stat st;
	bool exists = stat(path, &st) == 0;
	size_t n = strlen(path);
	if (n == 0) {
		errno = ENOENT;
		return false;
	}
	if ((exists && S_ISDIR(st.st_mode)) || path[n - 1] == '/') {
		errno = EISDIR;
		return false;
	}
	o->path = exists ? realpath(path, NULL) : strdup(path);
	if (!o->path)
		return false;
	if (exists && !S_ISREG(st.st_mode)) {
		o->fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return o->fd >= 0;
	}
	return create_temp(o, exists ? &st : NULL);
}

bool out_has_place(const char *path)
{
	struct stat st;
	return inherited_fd(path) < 0 && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

static void report(Diags *d, const char *path, int err, bool cut, const char *action)
{
	char text[ERRNO_TEXT];
	Loc loc = {.file = arena_strdup(d->arena, path), .offset = -1};
	diag_error(d, HONE_IO, &loc, "cannot %s: %s", action,
	           cut ? "an input file became shorter while it was read" : errno_text(err, text));
}

OutFile *out_open(const char *path, Diags *d)
{
	OutFile *o = malloc(sizeof(*o));
	if (!o)
		mem_fail();
	memset(o, 0, offsetof(OutFile, buffer));
	o->fd = -1;
	if (open_target(o, path))
		return o;
	int err = errno;
	out_free(o);
	if (err == ENOMEM)
		mem_fail();
	report(d, path, err, false, "create the file");
	return NULL;
}

static bool fail(OutFile *o, int err)
{
	if (!o->error)
		o->error = err ? err : EIO;
	return false;
}

static bool write_all(OutFile *o, const uint8_t *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(o->fd, p, n < COPY_STEP ? n : COPY_STEP);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return fail(o, done < 0 ? errno : EIO);
		p += done;
		n -= (size_t)done;
	}
	return true;
}

static bool flush(OutFile *o)
{
	size_t n = o->used;
	o->used = 0;
	return !o->error && write_all(o, o->buffer, n);
}

/* The system gets pieces that begin and end at multiples of the buffer's size in the file, so that it keeps the file in huge
 * pages where it can: a reader then maps it with as many entries as there are pieces. Whole pieces go past the buffer. */
bool out_write(OutFile *o, const void *p, size_t n)
{
	const uint8_t *from = p;
	while (n > 0 && !o->error) {
		size_t room = BUFFER - (size_t)(o->offset % BUFFER), whole = n - n % BUFFER;
		size_t piece = o->used == 0 && room == BUFFER && whole ? whole : n < room ? n : room;
		if (piece >= BUFFER) {
			write_all(o, from, piece);
		} else {
			memcpy(o->buffer + o->used, from, piece);
			o->used += piece;
		}
		o->offset += piece;
		from += piece;
		n -= piece;
		if (piece == room && o->used && !flush(o))
			return false;
	}
	return !o->error;
}

/* The rest of a copy when the kernel cannot do it: through a buffer, in order to touch no page of the mapping. */
static bool copy_by_hand(OutFile *o, int fd, off_t from, size_t n)
{
	uint8_t *piece = malloc(COPY_BUFFER);
	if (!piece)
		return fail(o, ENOMEM);
	bool ok = true;
	while (ok && n > 0) {
		ssize_t got = pread(fd, piece, n < COPY_BUFFER ? n : COPY_BUFFER, from);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			o->cut = got == 0;
			ok = fail(o, got < 0 ? errno : EIO);
			break;
		}
		ok = write_all(o, piece, (size_t)got);
		from += got;
		n -= (size_t)got;
	}
	free(piece);
	return ok;
}

bool out_copy(OutFile *o, const MappedFile *f, size_t offset, size_t n)
{
	CHECK(offset <= f->len && n <= f->len - offset);
	if (f->fd < 0 || n < SMALL_COPY) /* small pieces are not worth a system call each */
		return out_write(o, f->data ? f->data + offset : NULL, n);
	if (o->error || !flush(o))
		return false;
	off_t from = (off_t)offset;
	size_t left = n;
	while (left > 0) {
		ssize_t done = copy_file_range(f->fd, &from, o->fd, NULL, left < COPY_STEP ? left : COPY_STEP, 0);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			break; /* not between these two, or the end: reading finds out which */
		left -= (size_t)done;
	}
	if (left && !copy_by_hand(o, f->fd, from, left))
		return false;
	o->offset += n;
	return true;
}

uint64_t out_offset(const OutFile *o)
{
	return o->offset;
}

/* A new file does not wait for the disk, as with compilers: what a power failure takes can be made again. A file that is
 * replaced does: its old content goes only when the new one is safe. */
static bool finish(OutFile *o)
{
	struct stat st;
	if (!flush(o))
		return false;
	bool replaces = o->temp && stat(o->path, &st) == 0;
	while (replaces && fsync(o->fd) != 0)
		if (errno != EINTR)
			return fail(o, errno);
	int fd = o->fd;
	o->fd = -1;
	if (close(fd) != 0 && errno != EINTR)
		return fail(o, errno);
	if (o->temp && rename(o->temp, o->path) != 0)
		return fail(o, errno);
	return true;
}

bool out_commit(OutFile *o, Diags *d)
{
	bool ok = finish(o);
	if (!ok && o->temp)
		unlink(o->temp);
	int err = o->error;
	bool cut = o->cut;
	char path[PATH_MAX]; /* kept on the stack: reporting may run out of memory */
	snprintf(path, sizeof(path), "%s", o->path);
	out_free(o);
	if (!ok)
		report(d, path, err, cut, "write");
	return ok;
}

void out_discard(OutFile *o)
{
	if (o && o->temp)
		unlink(o->temp);
	out_free(o);
}
