// Shared by every test; see support.h.
#include "support.h"

void expect_same(const double *a, const double *b, int n, double tol)
{
    for (int i = 0; i < n; ++i) {
        CK_NEAR(a[i], b[i], tol);
    }
}

void multiply(int n, const double *A, const double *B, double *C)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            C[i + n * j] = 0;
            for (int k = 0; k < n; ++k) {
                C[i + n * j] += A[i + n * k] * B[k + n * j];
            }
        }
    }
}

test_random random_seed(uint64_t seed)
{
    return (test_random){seed * 2862933555777941757u + 88172645463325252u};
}

double random_unit(test_random *r)
{
    r->s ^= r->s << 13;
    r->s ^= r->s >> 7;
    r->s ^= r->s << 17;
    return (double)(r->s >> 11) / 9007199254740992.0;
}

double random_between(test_random *r, double low, double high)
{
    return low + (high - low) * random_unit(r);
}

double random_normal(test_random *r)
{
    const double u = 1 - random_unit(r), v = random_unit(r);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

void random_quaternion(test_random *r, double q[4])
{
    double n = 0;
    while (!(n > 1e-3)) {
        n = 0;
        for (int i = 0; i < 4; ++i) {
            q[i] = random_normal(r);
            n += q[i] * q[i];
        }
    }
    for (int i = 0; i < 4; ++i) {
        q[i] /= sqrt(n);
    }
}

static void *count_alloc(size_t bytes, void *user)
{
    test_memory *m = user;
    if (m->fail_at == 0) return NULL;
    if (m->fail_at > 0) m->fail_at -= 1;
    m->allocated += 1;
    m->live += 1;
    return malloc(bytes);
}

static void count_release(void *pointer, void *user)
{
    test_memory *m = user;
    if (pointer) m->live -= 1;
    free(pointer);
}

pcs_env test_env(test_memory *memory)
{
    return (pcs_env){.alloc = count_alloc, .release = count_release, .alloc_user = memory};
}

bool out_of_memory(const test_memory *memory, pcs_status status)
{
    if (status == PCS_OK) return false;
    ck_assert_int_eq(status, PCS_ERR_MEMORY);
    ck_assert_int_eq(memory->live, 0);
    return true;
}
