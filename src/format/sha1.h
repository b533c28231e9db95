/* sha1: the digest that files of external data may come with. */
#ifndef HONE_FORMAT_SHA1_H
#define HONE_FORMAT_SHA1_H

#include "base/base.h"

void sha1_text(Bytes data, char out[41]); /* in hexadecimal, lower case */

#endif
