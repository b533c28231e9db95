/* Builds under the undefined-behaviour sanitizer end at the first report, or tests would pass beside it. */
#include <dlfcn.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void a_report_ends_the_program(void **state)
{
	(void)state;
	if (!dlsym(RTLD_DEFAULT, "__ubsan_handle_add_overflow"))
		skip(); /* another build */
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		volatile int most = INT_MAX, one = 1;
		if (!freopen("/dev/null", "w", stderr))
			_exit(0);
		most = most + one;
		_exit(0);
	}
	int status = 0;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_report_ends_the_program) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
