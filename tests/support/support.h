// Shared by every test: tests that register themselves with the main program, random numbers with a
// fixed seed, comparisons that print both sides.
#ifndef SUPPORT_SUPPORT_H
#define SUPPORT_SUPPORT_H

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/base.h>

// callbacks of tests do not use most of their parameters
#pragma GCC diagnostic ignored "-Wunused-parameter"

// Sanitizers are many times slower and look for other errors: under them a test takes few of its
// cases or steps, and of n random cases a tenth.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SLOW 1
#endif
#endif
#ifdef TEST_SLOW
#define TEST_FEW(few, all) (few)
#else
#define TEST_FEW(few, all) (all)
#endif
#define TEST_DRAWS(n) TEST_FEW(((n) + 9) / 10, n)

// |a - b| <= tol, NaN never passes
#define CK_NEAR(a, b, tol)                                                                       \
    do {                                                                                         \
        const double ck_a_ = (a), ck_b_ = (b), ck_t_ = (tol);                                    \
        ck_assert_msg(fabs(ck_a_ - ck_b_) <= ck_t_, "%s = %.17g, %s = %.17g, apart %g > %g", #a, \
                      ck_a_, #b, ck_b_, fabs(ck_a_ - ck_b_), ck_t_);                             \
    } while (0)

// the call succeeds; otherwise its sentence is printed
#define CK_OK(expr)                                                        \
    do {                                                                   \
        const pcs_status ck_s_ = (expr);                                   \
        ck_assert_msg(ck_s_ == PCS_OK, "%s: %s", #expr, pcs_error_text()); \
    } while (0)

// the call fails with this status and an error sentence
#define CK_FAILS(expr, status)                                                                \
    do {                                                                                      \
        const pcs_status ck_s_ = (expr);                                                      \
        ck_assert_msg(ck_s_ == (status), "%s gave %s, not %s", #expr, pcs_status_text(ck_s_), \
                      pcs_status_text(status));                                               \
        ck_assert_msg(pcs_error_text()[0] != '\0', "%s failed without a word", #expr);        \
    } while (0)

// the same, and the sentence contains these words
#define CK_SAYS(expr, status, words)                                                               \
    do {                                                                                           \
        CK_FAILS(expr, status);                                                                    \
        ck_assert_msg(strstr(pcs_error_text(), words), "'%s' does not say '%s'", pcs_error_text(), \
                      words);                                                                      \
    } while (0)

// n numbers, one by one
void expect_same(const double *a, const double *b, int n, double tol);

// C = A B, n x n, by columns
void multiply(int n, const double *A, const double *B, double *C);

// xorshift64: the same numbers everywhere
typedef struct test_random {
    uint64_t s;
} test_random;

test_random random_seed(uint64_t seed);
double random_unit(test_random *r); // [0, 1)
double random_between(test_random *r, double low, double high);
double random_normal(test_random *r);                // mean 0, variance 1
void random_quaternion(test_random *r, double q[4]); // unit

// an environment whose k-th allocation fails (k < 0: never) and that counts
typedef struct test_memory {
    long fail_at;           // counts down; the allocation at 0 fails
    _Atomic long allocated; // allocations made
    _Atomic long live;      // not yet released
} test_memory;
pcs_env test_env(test_memory *memory);
// true when a call failed; then it was for want of memory, and left none behind
bool out_of_memory(const test_memory *memory, pcs_status status);

// A test, followed by its body in braces: TEST(a_name_that_is_a_sentence). It adds itself to the
// tests that the main program of its file runs (main.c).
#define TEST(name)                                                                \
    static void test_##name(int);                                                 \
    __attribute__((constructor)) static void add_##name(void)                     \
    {                                                                             \
        static test_case self = {{#name, test_##name, __FILE__, __LINE__}, NULL}; \
        test_add(&self);                                                          \
    }                                                                             \
    static void test_##name(int loop)

typedef struct test_case {
    TTest test;
    struct test_case *next;
} test_case;
void test_add(test_case *t);

// every test of the file runs between these two
#define TEST_AROUND(before, after)                            \
    __attribute__((constructor)) static void add_around(void) \
    {                                                         \
        test_around(before, after);                           \
    }
void test_around(SFun before, SFun after);

#endif
