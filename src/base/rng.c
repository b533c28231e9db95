/* Random numbers that are the same on every machine. */
#include "base.h"

#include <math.h>

/* splitmix64 (Steele, Lea, Flood 2014): a counter through a 64-bit finaliser. */
uint64_t rng_u64(Rng *r)
{
	uint64_t z = r->state += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

double rng_unit(Rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

/* Ratio of uniforms (Kinderman, Monahan 1977). The result takes only a subtraction, a product and a quotient, so it
 * does not depend on the C library: log decides acceptance only. */
double rng_normal(Rng *r)
{
	static const double width = 1.7155277699214135; /* 2 sqrt(2 / e) */
	for (;;) {
		double u = 1.0 - rng_unit(r);
		double x = (rng_unit(r) - 0.5) * width / u;
		if (x * x <= -4.0 * log(u))
			return x;
	}
}

/* Draws from the largest multiple of n, so that no remainder is favoured. */
int64_t rng_below(Rng *r, int64_t n)
{
	CHECK(n > 0);
	uint64_t m = (uint64_t)n;
	uint64_t skip = (UINT64_MAX % m + 1) % m; /* 2^64 mod m */
	uint64_t x;
	do
		x = rng_u64(r);
	while (x < skip);
	return (int64_t)(x % m);
}
