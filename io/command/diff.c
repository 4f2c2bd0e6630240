// percuss diff: the first frame in which two trajectories differ, the number that differs, and the
// difference.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/parts.h>
#include <percuss/trajectory.h>

#include "command/command_line.h"
#include "command/describe.h"

typedef struct pair {
    const char *path[2];
    pcs_trajectory *t[2];
    pcs_trajectory_info info[2];
} pair;

// numbers agree when their difference is at most this fraction of the larger one; 0: to the bit
static bool differ(double a, double b, double tol)
{
    return !(a == b) && !(fabs(a - b) <= tol * fmax(fabs(a), fabs(b)));
}

// "body 3 'ball', component 2 of q": the place of a number
static void print_place(const pcs_trajectory *t, bool velocity, int at)
{
    const pcs_model *m = pcs_trajectory_model(t);
    int id = 0, first = 0;
    for (int i = 1; i <= pcs_model_system_count(m); ++i) {
        int q, v;
        pcs_trajectory_place(t, (pcs_system){i}, &q, &v);
        const int begin = velocity ? v : q;
        if (begin >= 0 && begin <= at) {
            id = i;
            first = begin;
        }
    }
    char *name = readable(pcs_model_system_name(m, (pcs_system){id}));
    printf("component %d of %s of system %d%s%s%s", at - first, velocity ? "v" : "q", id,
           *name ? " '" : "", name, *name ? "'" : "");
    free(name);
}

static void print_numbers(double a, double b)
{
    printf(": %.17g and %.17g, apart by %.3g\n", a, b, fabs(a - b));
}

// true when n numbers agree; else prints the place of the first that differs
static bool same_reals(const pair *p, long frame, double t, int n, const double *a, const double *b,
                       bool velocity, double tol)
{
    for (int i = 0; i < n; ++i) {
        if (!differ(a[i], b[i], tol)) continue;
        printf("frame %ld, t = %g s: ", frame, t);
        print_place(p->t[0], velocity, i);
        print_numbers(a[i], b[i]);
        return false;
    }
    return true;
}

static bool same_contact(long frame, double t, int i, const pcs_contact *a, const pcs_contact *b,
                         double tol)
{
    static const char *const part[] = {"normal impulse", "first tangential impulse",
                                       "second tangential impulse"};
    if (a->shape1 != b->shape1 || a->shape2 != b->shape2 || a->interaction != b->interaction ||
        a->row != b->row || a->feature != b->feature) {
        printf("frame %ld, t = %g s: contact %d is between shapes %d and %d, and between %d and "
               "%d\n",
               frame, t, i, a->shape1, a->shape2, b->shape1, b->shape2);
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        if (!differ(a->r[k], b->r[k], tol)) continue;
        printf("frame %ld, t = %g s: %s of contact %d, shapes %d and %d", frame, t, part[k], i,
               a->shape1, a->shape2);
        print_numbers(a->r[k], b->r[k]);
        return false;
    }
    if (!differ(a->gap, b->gap, tol)) return true;
    printf("frame %ld, t = %g s: gap of contact %d, shapes %d and %d", frame, t, i, a->shape1,
           a->shape2);
    print_numbers(a->gap, b->gap);
    return false;
}

static bool same_contacts(long frame, const pcs_trajectory_frame *a, const pcs_trajectory_frame *b,
                          double tol)
{
    if (a->contact_count != b->contact_count) {
        printf("frame %ld, t = %g s: %d and %d contacts\n", frame, a->t, a->contact_count,
               b->contact_count);
        return false;
    }
    for (int i = 0; i < a->contact_count; ++i) {
        if (!same_contact(frame, a->t, i, &a->contact[i], &b->contact[i], tol)) return false;
    }
    return true;
}

// DONE when the frame agrees, UNCONVERGED after a line about the difference, WRONG after an error
static int compare_frame(const pair *p, long k, double tol)
{
    pcs_trajectory_frame f[2];
    for (int i = 0; i < 2; ++i) {
        if (pcs_trajectory_read_frame(p->t[i], k, &f[i]) != PCS_OK) {
            return complain("%s", pcs_error_text());
        }
    }
    if (f[0].nq != f[1].nq || f[0].nv != f[1].nv) {
        printf("the models differ: %d and %d coordinates, %d and %d velocities\n", f[0].nq, f[1].nq,
               f[0].nv, f[1].nv);
        return UNCONVERGED;
    }
    if (differ(f[0].t, f[1].t, tol)) {
        printf("frame %ld: time", k);
        print_numbers(f[0].t, f[1].t);
        return UNCONVERGED;
    }
    if (!same_reals(p, k, f[0].t, f[0].nq, f[0].q, f[1].q, false, tol) ||
        !same_reals(p, k, f[0].t, f[0].nv, f[0].v, f[1].v, true, tol) ||
        !same_contacts(k, &f[0], &f[1], tol)) {
        return UNCONVERGED;
    }
    if (tol == 0 && f[0].hash != f[1].hash) {
        printf("frame %ld, t = %g s: the impulses that the states remember differ (hash %016llx "
               "and %016llx)\n",
               k, f[0].t, f[0].hash, f[1].hash);
        return UNCONVERGED;
    }
    return DONE;
}

static int compare(const pair *p, double tol)
{
    const long a = p->info[0].frames, b = p->info[1].frames, n = a < b ? a : b;
    for (long k = 0; k < n; ++k) {
        const int code = compare_frame(p, k, tol);
        if (code != DONE) return code;
    }
    if (a != b) {
        printf("%ld and %ld frames; the first %ld agree\n", a, b, n);
        return UNCONVERGED;
    }
    printf("%ld frames agree%s\n", n, tol == 0 ? " to the bit" : "");
    if (p->info[0].model_hash != p->info[1].model_hash) {
        printf("note: the models or schemes are not the same\n");
    }
    return DONE;
}

static int run_diff(int argc, char **argv)
{
    double tol = 0;
    const args_flag flags[] = {
        {"--tol", 't', ARGS_REAL, &tol, .low = 0, .high = 1, .what = "X",
         .help = "relative difference up to which numbers agree; 0: to the bit"},
    };
    args a = {.command = "diff",
              .words = "TRAJ1 TRAJ2",
              .about =
                  "Finds the first difference of two trajectories: the frame, the number and its "
                  "size. Exit codes: 0 they agree, 1 they differ, 2 an error.",
              .least = 2,
              .most = 2,
              ARGS_FLAGS(flags)};
    if (!args_parse(&a, argc, argv)) return a.exit_code;
    pair p = {.path = {a.word[0], a.word[1]}};
    int code = DONE;
    for (int i = 0; i < 2 && code == DONE; ++i) {
        if (pcs_trajectory_open(NULL, p.path[i], &p.t[i]) != PCS_OK) {
            code = complain_file(p.path[i], CONTENT_TRAJECTORY);
        }
        p.info[i] = pcs_trajectory_info_of(p.t[i]);
    }
    if (code == DONE) code = compare(&p, tol);
    pcs_trajectory_close(p.t[0]);
    pcs_trajectory_close(p.t[1]);
    return finish_output(code);
}

const command command_diff = {"diff", "compare two trajectories", run_diff};
