// Boxes in a row, with lower corners in the floor and open joints.
#include "scenes/row_of_boxes.h"

#include <math.h>
#include <string.h>

const char *const boxes_kind[KINDS] = {"unilateral", "bilateral", "both"};
const double boxes_edge[3] = {0.3, 0.2, 0.1};

// uniform in (-1, 1), the same on every machine
static double draw(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static const double *vertex(int k, double p[3])
{
    for (int i = 0; i < 3; ++i) {
        p[i] = k & (1 << i) ? boxes_edge[i] / 2 : -boxes_edge[i] / 2;
    }
    return p;
}

// the point p of the body at q
static void point_of(const double q[7], const double p[3], double P[3])
{
    pcs_quat_rotate(q + 3, p, P);
    for (int i = 0; i < 3; ++i) {
        P[i] += q[i];
    }
}

row_of_boxes boxes_make(const boxes_def *def, int kind)
{
    unsigned long long seed = (unsigned long long)def->seed;
    row_of_boxes s = {
        .kind = kind, .n = def->n, .left = {-0.8 * boxes_edge[0]}, .right = {0.8 * boxes_edge[0]}};
    for (int b = 0; b < s.n; ++b) {
        double *q = s.q + 7 * b, turn[3], P[3], p[3], lowest = INFINITY;
        s.mass[b] = 1 + b;
        memcpy(s.inertia[b],
               pcs_inertia_box(s.mass[b], boxes_edge[0], boxes_edge[1], boxes_edge[2]).J,
               sizeof s.inertia[b]);
        for (int i = 0; i < 3; ++i) {
            q[i] = def->apart * draw(&seed) + (i == 0 ? 1.6 * b * boxes_edge[0] : 0);
            turn[i] = def->tilt * draw(&seed);
        }
        pcs_quat_exp(turn, q + 3);

        // down until the lowest corner is in the floor
        for (int k = 0; k < 8; ++k) {
            point_of(q, vertex(k, p), P);
            lowest = fmin(lowest, P[2]);
        }
        q[2] -= lowest + def->sink * (1 + 0.5 * draw(&seed));
    }
    point_of(s.q, s.left, s.anchor);
    s.anchor[0] += def->apart;
    s.anchor[2] += def->sink;
    return s;
}

int corner_heights(void *user, const double *q1, const double *q2, double *g)
{
    (void)user;
    (void)q2;
    for (int k = 0; k < 8; ++k) {
        double p[3], P[3];
        point_of(q1, vertex(k, p), P);
        g[k] = P[2];
    }
    return 0;
}

int corner_gradients(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    const double up[3] = {0, 0, 1};
    (void)user;
    (void)q2;
    (void)C2;
    for (int k = 0; k < 8; ++k) {
        double p[3], P[3], row[7];
        point_of(q1, vertex(k, p), P);
        pcs_contact_gap_gradient(q1, P, NULL, (const double[]){P[0], P[1], 0}, up, row);
        for (int j = 0; j < 7; ++j) {
            C1[k + 8 * j] = row[j];
        }
    }
    return 0;
}

// gaps, kinds and rows of C; their number
static int find_rows(const row_of_boxes *s, const double *q, pcs_cone kind[ROWS], double g[ROWS],
                     double C[ROWS][NQ])
{
    int m = 0;
    memset(C, 0, sizeof(double[ROWS][NQ]));
    for (int b = 0; b < s->n && s->kind != BILATERAL; ++b, m += 8) {
        double rows[8 * 7];
        corner_heights(NULL, q + 7 * b, NULL, g + m);
        corner_gradients(NULL, q + 7 * b, NULL, rows, NULL);
        for (int k = 0; k < 8 * 7; ++k) {
            kind[m + k % 8] = PCS_CONE_UNILATERAL;
            C[m + k % 8][7 * b + k / 8] = rows[k];
        }
    }

    // P1 - P2 = 0 where a box is joined to the next, or a single one to the world
    for (int b = s->n > 1 ? 1 : 0; b < s->n && s->kind != UNILATERAL; ++b, m += 3) {
        const double *q1 = q + 7 * b, *q2 = b > 0 ? q + 7 * (b - 1) : NULL;
        double P1[3], P2[3], dP1[12], dP2[12];
        point_of(q1, s->left, P1);
        pcs_contact_point_gradient(q1, P1, dP1);
        memcpy(P2, s->anchor, sizeof P2);
        if (q2) {
            point_of(q2, s->right, P2);
            pcs_contact_point_gradient(q2, P2, dP2);
        }
        for (int i = 0; i < 3; ++i) {
            kind[m + i] = PCS_CONE_EQUALITY;
            g[m + i] = P1[i] - P2[i];
            C[m + i][7 * b + i] = 1;
            if (q2) C[m + i][7 * (b - 1) + i] = -1;
            for (int c = 0; c < 4; ++c) {
                C[m + i][7 * b + 3 + c] = dP1[i + 3 * c];
                if (q2) C[m + i][7 * (b - 1) + 3 + c] = -dP2[i + 3 * c];
            }
        }
    }
    return m;
}

void boxes_evaluate(const row_of_boxes *s, const double *q, constraints *at)
{
    const int nq = 7 * s->n;
    double row[ROWS][NQ];
    at->m = find_rows(s, q, at->kind, at->g, row);
    for (int i = 0; i < at->m; ++i) {
        for (int j = 0; j < nq; ++j) {
            at->C[i + at->m * j] = row[i][j];
        }
    }
    memset(at->T, 0, sizeof at->T);
    for (int b = 0; b < s->n; ++b) {
        double T[42];
        pcs_body_T(q + 7 * b, T);
        for (int k = 0; k < 42; ++k) {
            at->T[7 * b + k % 7 + nq * (6 * b + k / 7)] = T[k];
        }
    }
}

void boxes_mass(const row_of_boxes *s, double M[NV * NV])
{
    memset(M, 0, sizeof(double[NV * NV]));
    for (int b = 0; b < s->n; ++b) {
        for (int i = 0; i < 6; ++i) {
            const double value = i < 3 ? s->mass[b] : s->inertia[b][4 * (i - 3)];
            M[(6 * b + i) * (6 * s->n + 1)] = value;
        }
    }
}

distance boxes_distance(const row_of_boxes *s, const double *a, const double *b)
{
    distance d = {0, 0, 0};
    double sum[3] = {0, 0, 0}, mass = 0;
    for (int k = 0; k < s->n; ++k) {
        double back[4], turn[4], w[3], dx[3], length = 0;
        for (int i = 0; i < 3; ++i) {
            dx[i] = b[7 * k + i] - a[7 * k + i];
            length += dx[i] * dx[i];
            sum[i] += s->mass[k] * dx[i];
        }
        mass += s->mass[k];
        pcs_quat_conj(a + 7 * k + 3, back);
        pcs_quat_mul(back, b + 7 * k + 3, turn);
        pcs_quat_log(turn, w);
        d.moved = fmax(d.moved, sqrt(length));
        d.turned = fmax(d.turned, sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    }
    d.centre_of_mass = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / mass;
    return d;
}
