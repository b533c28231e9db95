/* Private to base: text of an errno value without strerror's shared buffer. */
#ifndef HONE_ERRNO_TEXT_H
#define HONE_ERRNO_TEXT_H

#include <stdio.h>
#include <string.h>

enum { ERRNO_TEXT = 128 };

/* Text of err, in buf or static. glibc's strerror_r returns the text, the POSIX one a status. */
static inline const char *errno_text(int err, char buf[ERRNO_TEXT])
{
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
	return strerror_r(err, buf, ERRNO_TEXT);
#else
	if (strerror_r(err, buf, ERRNO_TEXT) != 0)
		snprintf(buf, ERRNO_TEXT, "error %d", err);
	return buf;
#endif
}

#endif
