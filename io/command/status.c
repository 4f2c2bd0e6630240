// Memory and words for the certificates of the library (percuss/certificate.h).
#include "command/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"

static const pcs_block *blocks(const opened *in)
{
    return in->p ? in->p->block : in->g->block;
}

static pcs_status judge(const opened *in, double tol, const double *r, certificate *c)
{
    const pcs_global_problem *g = in->g;
    pcs_certificate *to = &c->found;
    if (in->p && c->ranks)
        return pcs_certificate_compute(NULL, in->p, tol, r, c->status, c->margin, to);
    if (in->p) return pcs_certificate_statuses(NULL, in->p, tol, r, c->status, c->margin, to);
    if (c->ranks) return pcs_certificate_compute_global(NULL, g, tol, r, c->status, c->margin, to);
    return pcs_certificate_statuses_global(NULL, g, tol, r, c->status, c->margin, to);
}

static pcs_status find_intervals(const opened *in, double tol, const double *r, certificate *c)
{
    const pcs_problem *p = in->p;
    if (!p) PCS_TRY(pcs_problem_file_local(in->file, &p));
    PCS_TRY(pcs_certificate_least_impulse(NULL, p, tol, r, c->least));
    return pcs_certificate_impulse_intervals(NULL, p, tol, r, c->low, c->high);
}

static pcs_status refute(const opened *in, certificate *c)
{
    const pcs_problem *p = in->p;
    if (!p) PCS_TRY(pcs_problem_file_local(in->file, &p));
    c->proof = take((size_t)c->n, sizeof *c->proof);
    PCS_TRY(pcs_certificate_refute(NULL, p, c->proof, &c->closing));
    for (int i = 0; i < c->n; ++i) {
        if (c->proof[i] != 0) return PCS_OK;
    }
    free(c->proof);
    c->proof = NULL;
    return PCS_OK;
}

// prints block b of a list, a few of them by number
#define LISTED 8
static void list_block(int *count, int b)
{
    *count += 1;
    if (*count <= LISTED) printf("%s %d", *count > 1 ? "," : "", b);
}

static void end_list(int count)
{
    if (count > LISTED) printf(" and %d more", count - LISTED);
    printf("\n");
}

// part of the largest number of a proof below which the others are rounding
#define PROOF_ROUNDING 1e-12

static void print_proof(const certificate *c, const opened *in)
{
    const pcs_block *k = blocks(in);
    int count = 0;
    double most = 0;
    for (int i = 0; i < in->file->rows; ++i) {
        most = fmax(most, fabs(c->proof[i]));
    }
    printf(
        "    no solution: whatever the impulses, these blocks are violated at a mean rate of %.3g:",
        c->closing);
    for (int b = 0; b < c->nb; ++b) {
        bool has = false;
        for (int i = 0; i < k[b].dim; ++i) {
            has = has || fabs(c->proof[k[b].row + i]) > PROOF_ROUNDING * most;
        }
        if (has) list_block(&count, b);
    }
    end_list(count);
}

// how far the paths of homotopy came, and which blocks keep r from being a solution
static void print_path(const certificate *c, const pcs_report *y)
{
    if (!(y->least > 0)) return;
    printf("    homotopy: its paths came from t = 1 to t = %.1e, where %d blocks were undecided; a "
           "solution has t = 0\n",
           y->least, y->undecided);
    if (c->found.undecided == 0) return;
    int count = 0;
    printf("    undecided at r: blocks");
    for (int b = 0; b < c->nb; ++b) {
        if (c->status[b] == PCS_CONTACT_UNDECIDED) list_block(&count, b);
    }
    end_list(count);
}

void certificate_print_unsolved(const certificate *c, const opened *in, const run *x,
                                const pcs_report *y)
{
    if (c->proof) {
        print_proof(c, in);
    } else if (strcmp(x->outcome, pcs_outcome_text(PCS_OUTCOME_INFEASIBLE)) == 0) {
        printf("    no solution: the solver has a proof; r is the best of its search\n");
    } else {
        printf("    not solved: r is the best of the search, its residual %.1e%s\n", x->residual,
               c->refute ? "; no proof was found that there is no solution" : "");
        print_path(c, y);
    }
}

// n numbers between blanks; # begins a comment
static bool read_springs(const char *path, FILE *f, int n, double *out)
{
    char word[64];
    int i = 0;
    while (fscanf(f, "%63s", word) == 1) {
        if (word[0] == '#') {
            fscanf(f, "%*[^\n]");
        } else if (i == n) {
            complain("solve: --springs: %s has more numbers than the problem has rows, %d", path,
                     n);
            return false;
        } else if (!read_real(word, &out[i]) || !(out[i] > 0)) {
            complain("solve: --springs: number %d of %s is '%s'; a stiffness is finite and > 0",
                     i + 1, path, word);
            return false;
        } else {
            ++i;
        }
    }
    if (i == n) return true;
    complain("solve: --springs: %s has %d numbers; the problem has %d rows", path, i, n);
    return false;
}

bool springs_read(const char *springs, const opened *in, double *out)
{
    const pcs_block *k = blocks(in);
    const int n = in->file->rows;
    double ratio;
    if (!read_real(springs, &ratio)) {
        FILE *f = fopen(springs, "r");
        if (!f) {
            complain("solve: --springs: '%s' is neither a number nor a file that can be read",
                     springs);
            return false;
        }
        const bool good = read_springs(springs, f, n, out);
        fclose(f);
        return good;
    }
    if (!(ratio > 0)) {
        complain("solve: --springs is %s; the ratio must be > 0", springs);
        return false;
    }
    for (int i = 0; i < n; ++i) {
        out[i] = 1;
    }
    for (int b = 0; b < (in->p ? in->p->nb : in->g->nb); ++b) {
        for (int c = 1; c < k[b].dim && k[b].cone == PCS_CONE_COULOMB; ++c) {
            out[k[b].row + c] = ratio;
        }
    }
    return true;
}

static pcs_status find_elastic(const opened *in, double tol, const double *r, certificate *c)
{
    const pcs_problem *p = in->p;
    if (!p) PCS_TRY(pcs_problem_file_local(in->file, &p));
    return pcs_certificate_elastic_impulse(NULL, p, tol, r, c->stiffness, NULL, c->elastic,
                                           &c->shared);
}

bool certificate_make(const opened *in, double tol, const double *r, certificate *c, run *out)
{
    c->nb = in->p ? in->p->nb : in->g->nb;
    c->n = in->file->rows;
    const size_t nb = (size_t)c->nb;
    c->status = take(nb, sizeof *c->status);
    c->margin = take(nb, sizeof *c->margin);
    if (c->intervals) {
        c->low = take(nb, sizeof *c->low);
        c->high = take(nb, sizeof *c->high);
        c->least = take((size_t)c->n, sizeof *c->least);
    }
    if (c->stiffness) c->elastic = take((size_t)c->n, sizeof *c->elastic);
    if (judge(in, tol, r, c) != PCS_OK) return false;
    out->open = c->found.open;
    out->closed = c->found.closed;
    out->stick = c->found.stick;
    out->slide = c->found.slide;
    out->undecided = c->found.undecided;
    if (c->refute && refute(in, c) != PCS_OK) return false;
    if (c->intervals && find_intervals(in, tol, r, c) != PCS_OK) return false;
    return !c->stiffness || find_elastic(in, tol, r, c) == PCS_OK;
}

void certificate_free(certificate *c)
{
    free(c->status);
    free(c->margin);
    free(c->low);
    free(c->high);
    free(c->least);
    free(c->elastic);
    free(c->proof);
}

// a unilateral block is closed, it does not slide
static const char *word(const pcs_block *k, pcs_contact_status status)
{
    if (k->cone == PCS_CONE_UNILATERAL && status == PCS_CONTACT_SLIDE) return "closed";
    if (k->cone == PCS_CONE_EQUALITY) return "equality";
    return pcs_contact_status_text(status);
}

static void print_intervals(const certificate *c, const opened *in)
{
    printf("    %8s  %-9s %9s  %22s %22s\n", "block", "status", "margin", "least r_N",
           "greatest r_N");
    const pcs_block *k = blocks(in);
    for (int b = 0; b < c->nb; ++b) {
        if (k[b].cone == PCS_CONE_EQUALITY) continue;
        printf("    %8d  %-9s %9.1e  %22.15g %22.15g\n", b, word(&k[b], c->status[b]), c->margin[b],
               c->low[b], c->high[b]);
    }
}

static void print_springs(const certificate *c, const opened *in)
{
    const pcs_elastic_report *e = &c->shared;
    if (isinf(e->violation)) {
        printf("    springs: r is not a solution, so its impulses are not shared\n");
        return;
    }
    if (c->n > 0 && isnan(c->elastic[0])) {
        printf("    springs: no impulses with these velocities obey their law; the best violate it "
               "by %.1e; ",
               e->violation);
        if (isnan(e->moved)) {
            printf("the problem with springs of a large stiffness was not solved\n");
        } else {
            printf("with springs of a large stiffness the velocities differ by %.1e\n", e->moved);
        }
        return;
    }
    printf("    springs: energy %.9g, %d slip; residual %.1e, violation %.1e; unique: %s\n",
           e->energy, e->slips, e->measure.residual, e->violation, pcs_uniqueness_text(e->unique));
    printf("    %8s  %-9s  %s\n", "block", "status", "r of stiff springs");
    const pcs_block *k = blocks(in);
    for (int b = 0; b < c->nb; ++b) {
        printf("    %8d  %-9s ", b, word(&k[b], c->status[b]));
        for (int i = 0; i < k[b].dim; ++i) {
            printf(" %22.15g", c->elastic[k[b].row + i] + 0.0);
        }
        printf("\n");
    }
}

void certificate_print(const certificate *c, const opened *in)
{
    int worst = -1;
    for (int b = 0; b < c->nb; ++b) {
        const bool finite = isfinite(c->margin[b]);
        if (finite && (worst < 0 || c->margin[b] < c->margin[worst])) worst = b;
    }
    char rank[32] = "not computed";
    if (c->found.rank >= 0) snprintf(rank, sizeof rank, "%d", c->found.rank);
    printf("    rank %s of %d active directions; unique: r %s, u %s", rank, c->found.columns,
           pcs_uniqueness_text(c->found.r), pcs_uniqueness_text(c->found.u));
    if (worst >= 0) {
        printf("; smallest margin %.1e (block %d), error %.1e", c->margin[worst], worst,
               c->found.error);
    }
    if (isfinite(c->found.moved)) printf("; a solution is %.1e away", c->found.moved);
    printf("\n");
    if (c->intervals) print_intervals(c, in);
    if (c->stiffness) print_springs(c, in);
}

void certificate_proof_json(json *j, const certificate *c)
{
    json_open(j, "no_solution", '{');
    json_reals(j, "y", c->n, c->proof);
    json_real(j, "closing", c->closing);
    json_close(j, '}');
}

void certificate_json(json *j, const certificate *c)
{
    json_open(j, "certificate", '{');
    json_real(j, "error", c->found.error);
    json_real(j, "moved", c->found.moved);
    json_int(j, "columns", c->found.columns);
    json_int(j, "rank", c->found.rank);
    json_text(j, "r_unique", pcs_uniqueness_text(c->found.r));
    json_text(j, "u_unique", pcs_uniqueness_text(c->found.u));
    json_open(j, "status", '[');
    for (int b = 0; b < c->nb; ++b) {
        json_text(j, NULL, pcs_contact_status_text(c->status[b]));
    }
    json_close(j, ']');
    json_reals(j, "margin", c->nb, c->margin);
    if (c->intervals) {
        json_reals(j, "least_r", c->n, c->least);
        json_reals(j, "low", c->nb, c->low);
        json_reals(j, "high", c->nb, c->high);
        // JSON has no infinity
        json_open(j, "unbounded", '[');
        for (int b = 0; b < c->nb; ++b) {
            if (isinf(c->high[b])) json_int(j, NULL, b);
        }
        json_close(j, ']');
    }
    if (c->stiffness) {
        json_reals(j, "elastic_r", c->n, c->elastic);
        json_real(j, "elastic_energy", c->shared.energy);
        json_real(j, "elastic_residual", c->shared.measure.residual);
        json_real(j, "elastic_violation", c->shared.violation);
        json_real(j, "elastic_moved", c->shared.moved);
        json_int(j, "elastic_slips", c->shared.slips);
        json_text(j, "elastic_unique", pcs_uniqueness_text(c->shared.unique));
    }
    json_close(j, '}');
}
