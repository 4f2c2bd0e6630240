// What a user of the installed library may write; it is compiled as C17 and as C++17.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <percuss/kernel.h>

static void demand(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "driver: %s: %s\n", what, pcs_error_text());
    exit(1);
}

// a chain of masses and springs: reaches the sparse factorisation behind the library
static void solve_chain(void)
{
    int p[] = {0, 2, 5, 7}, i[] = {0, 1, 0, 1, 2, 1, 2};
    double x[] = {2, -1, -1, 2, -1, -1, 2};
    const pcs_csc A = {3, 3, p, i, x};
    double b[] = {1, 0, 1}; // = A (1, 1, 1)

    pcs_mass *M = NULL;
    demand(pcs_mass_create_sparse(NULL, &A, &M) == PCS_OK, "factorise");
    demand(pcs_mass_solve(M, b, b) == PCS_OK, "solve");
    for (int k = 0; k < 3; ++k) {
        demand(fabs(b[k] - 1) < 1e-14, "the chain");
    }
    pcs_mass_destroy(M);
}

int main(void)
{
    solve_chain();
    printf("percuss %s works\n", pcs_version());
    return 0;
}
