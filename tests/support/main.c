// The main program of a test: runs the tests of its file in their order there; with arguments those
// whose name contains one of them.
#include "support.h"

#include <stdio.h>

static test_case *first;
static SFun before_each, after_each;

void test_add(test_case *t)
{
    test_case **at = &first;
    while (*at && (*at)->test.line < t->test.line) {
        at = &(*at)->next;
    }
    t->next = *at;
    *at = t;
}

void test_around(SFun before, SFun after)
{
    before_each = before;
    after_each = after;
}

static bool wanted(const char *name, int n, char **words)
{
    bool found = n < 1;
    for (int i = 0; i < n && !found; ++i) {
        found = strstr(name, words[i]) != NULL;
    }
    return found;
}

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash ? slash + 1 : "tests";
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, 250);
    if (before_each) tcase_add_checked_fixture(tcase, before_each, after_each);
    for (const test_case *t = first; t; t = t->next) {
        if (wanted(t->test.name, argc - 1, argv + 1)) tcase_add_test(tcase, &t->test);
    }
    suite_add_tcase(suite, tcase);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner), ran = srunner_ntests_run(runner);
    srunner_free(runner);
    if (ran == 0) fprintf(stderr, "%s: ran no test\n", name);
    return failed == 0 && ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
