// L D L^T row by row (Jennings): with u_k = l_ik d_k,
//     u_j = a_ij - sum_k u_k l_jk,   d_i = a_ii - sum_j u_j^2 / d_j.
#include "linalg/envelope.h"

#include <float.h>

// a pivot below this part of its diagonal entry is zero
#define PIVOT (64 * DBL_EPSILON)

// row i, so that entry j is at [j]
static double *row_of(const envelope *A, int i)
{
    return A->val + A->row[i] - A->first[i];
}

bool envelope_factor(envelope *A)
{
    for (int i = 0; i < A->n; ++i) {
        double *u = row_of(A, i);
        const double diagonal = u[i];
        for (int j = A->first[i]; j < i; ++j) {
            const double *l = row_of(A, j);
            double sum = u[j];
            for (int k = A->first[i] > A->first[j] ? A->first[i] : A->first[j]; k < j; ++k) {
                sum -= u[k] * l[k];
            }
            u[j] = sum;
        }
        for (int j = A->first[i]; j < i; ++j) {
            const double l = u[j] / row_of(A, j)[j];
            u[i] -= l * u[j];
            u[j] = l;
        }
        if (!(u[i] > PIVOT * diagonal)) return false;
    }
    return true;
}

void envelope_solve(const envelope *A, double *x)
{
    for (int i = 0; i < A->n; ++i) {
        const double *l = row_of(A, i);
        for (int j = A->first[i]; j < i; ++j) {
            x[i] -= l[j] * x[j];
        }
    }
    for (int i = 0; i < A->n; ++i) {
        x[i] /= envelope_diagonal(A, i);
    }
    for (int i = A->n - 1; i >= 0; --i) {
        const double *l = row_of(A, i);
        for (int j = A->first[i]; j < i; ++j) {
            x[j] -= l[j] * x[i];
        }
    }
}

void envelope_add_mul(const envelope *A, double a, const double *x, double *y)
{
    for (int i = 0; i < A->n; ++i) {
        const double *row = row_of(A, i);
        double sum = row[i] * x[i];
        for (int j = A->first[i]; j < i; ++j) {
            sum += row[j] * x[j];
            y[j] += a * row[j] * x[i];
        }
        y[i] += a * sum;
    }
}

double envelope_form(const envelope *A, const double *x)
{
    double all = 0;
    for (int i = 0; i < A->n; ++i) {
        const double *row = row_of(A, i);
        double sum = 0.5 * row[i] * x[i];
        for (int j = A->first[i]; j < i; ++j) {
            sum += row[j] * x[j];
        }
        all += 2 * sum * x[i];
    }
    return all;
}
