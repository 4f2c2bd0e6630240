// Runs a solver over the generated family (family.h) from r = 0, measured by the relative natural
// map.
//
//     bench_family [--all] [--list] [--rank] [--kind NAME] [--member NAME] [--index I]
//                  [--least NC] [--most NC] [--solver NAME] [--global] [--tol X] [--seconds X]
//                  [--csv FILE]
//
// --all adds the large members of family_count_all(). The problems are solved with W, or with
// --global in the global form, where W is never made. Without --tol the tolerances are 1e-4, 1e-8
// and 1e-12. The bench prints a line for each solve, then for each tolerance the number of problems
// of each kind that were solved. The list ends with a hash of all the problems listed.
// --seconds limits the processor time of a solve. With it the budget of auto does not: below some
// 1500 contacts it would end before a minute.
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <percuss/solver.h>
#include <percuss/solver_table.h>

#include "family.h"

#define TOLERANCES 3
#define KINDS      64

typedef struct wish {
    const char *kind, *member, *csv;
    int index, least, most;
    bool all, list, rank, global;
    pcs_solver solver;
    double tol[TOLERANCES], seconds;
    int tols;
    bool clock; // --seconds was given
} wish;

typedef struct tally {
    const char *kind;
    int all, solved[TOLERANCES];
    double seconds[TOLERANCES];
} tally;

static bool wanted(const wish *w, int i)
{
    if (w->index >= 0 && w->index != i) return false;
    if (w->kind && strcmp(w->kind, family_kind(i)) != 0) return false;
    return true;
}

// processor time
static double seconds_used(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double rank_ratio(family_member *m, bool exact)
{
    const int rows = m->g.H.row[m->g.H.m];
    const int most = m->freedom < rows ? m->freedom : rows;
    if (!exact || rows > 1500) return (double)most / rows;
    family_condense(m);
    return (double)family_rank(m) / rows;
}

static void print_member(int i, family_member *m, bool rank)
{
    printf("%4d %-14s %6d contacts %6d rows %6d bodies  rank/rows %s %.3f  mu %.3g .. %.3g  mass"
           " ratio %-8.3g %-6s %s\n",
           i, m->name, m->contacts, m->g.H.row[m->g.H.m], m->bodies,
           rank ? "" : "<=", rank_ratio(m, rank), m->mu[0], m->mu[1], m->mass[1] / m->mass[0],
           family_load_name[m->load], m->planted ? "planted" : "");
}

static tally *tally_of(tally *all, const char *kind)
{
    int k = 0;
    while (all[k].kind && strcmp(all[k].kind, kind) != 0) {
        ++k;
    }
    all[k].kind = kind;
    return &all[k];
}

static int is_late(void *user, const pcs_progress *now)
{
    (void)now;
    return seconds_used() >= *(double *)user;
}

static pcs_status solve(const wish *w, const family_member *m, const pcs_solver_opts *o, double *r,
                        double *u, double *v, pcs_report *out)
{
    double end = seconds_used() + w->seconds;
    const pcs_watch watch = {is_late, &end};
    if (w->global) return pcs_solve_global(NULL, &m->g, o, watch, v, r, u, out);
    pcs_arena arena;
    pcs_status status = pcs_arena_create(NULL, pcs_solve_bytes(&m->p, o), &arena);
    if (status == PCS_OK) status = pcs_solve(&m->p, o, watch, arena, r, u, out);
    pcs_arena_destroy(NULL, &arena);
    return status;
}

static void run(const wish *w, int i, family_member *m, tally *sum, FILE *csv)
{
    if (!w->global) family_condense(m);
    const size_t n = (size_t)m->g.H.row[m->g.H.m];
    double *r = calloc(2 * n + 6 * (size_t)m->bodies + 1, sizeof *r);
    if (!r) exit(2);
    sum->all += 1;
    for (int t = 0; t < w->tols; ++t) {
        pcs_solver_opts o = pcs_solver_opts_default(w->solver);
        o.tol = w->tol[t];
        o.stop = PCS_STOP_NATURAL;
        if (w->clock && w->solver == PCS_SOLVER_AUTO) o.max_iters = 1000000000;
        memset(r, 0, n * sizeof *r);
        pcs_report out = {.outcome = PCS_OUTCOME_STALLED};
        const double begin = seconds_used();
        const pcs_status status = solve(w, m, &o, r, r + n, r + 2 * n, &out);
        const double seconds = seconds_used() - begin;
        const double natural = pcs_measure_relative_natural_map(&out.measure);
        const char *word = status == PCS_OK ? pcs_outcome_text(out.outcome) : "refused";
        if (status == PCS_OK && out.outcome == PCS_OUTCOME_CONVERGED) sum->solved[t] += 1;
        sum->seconds[t] += seconds;
        printf("%4d %-14s %5d %7.0e  %-10s %7d  residual %9.2e  natural map %9.2e  %9.4f s\n", i,
               m->name, m->contacts, o.tol, word, out.iters, out.measure.residual, natural,
               seconds);
        fflush(stdout);
        if (csv) {
            fprintf(csv, "%s,%s,%d,%d,%.4f,%.6g,%.6g,%.6g,%s,%d,%g,%s,%d,%.6g,%.6g,%.6g\n", m->name,
                    m->kind, m->contacts, (int)n, rank_ratio(m, false), m->mu[0], m->mu[1],
                    m->mass[1] / m->mass[0], family_load_name[m->load], m->planted, o.tol, word,
                    out.iters, out.measure.residual, natural, seconds);
            fflush(csv);
        }
    }
    free(r);
}

static void print_sums(const wish *w, const tally *kinds)
{
    for (int t = 0; t < w->tols; ++t) {
        int all = 0, solved = 0;
        double seconds = 0;
        printf("\ntolerance %g\n", w->tol[t]);
        for (const tally *k = kinds; k->kind; ++k) {
            printf("  %-10s %4d of %4d  %9.3f s%s\n", k->kind, k->solved[t], k->all, k->seconds[t],
                   k->solved[t] < k->all ? "  *" : "");
            all += k->all;
            solved += k->solved[t];
            seconds += k->seconds[t];
        }
        printf("  %-10s %4d of %4d  %9.3f s  %.2f %%\n", "all", solved, all, seconds,
               all > 0 ? 100.0 * solved / all : 0);
    }
}

static bool read_wish(int argc, char **argv, wish *w)
{
    *w = (wish){.index = -1, .most = 1 << 30, .solver = PCS_SOLVER_AUTO, .seconds = 20};
    for (int i = 1; i < argc; ++i) {
        const char *flag = argv[i];
        bool *given = strcmp(flag, "--all") == 0      ? &w->all
                      : strcmp(flag, "--list") == 0   ? &w->list
                      : strcmp(flag, "--rank") == 0   ? &w->rank
                      : strcmp(flag, "--global") == 0 ? &w->global
                                                      : NULL;
        if (given) {
            *given = true;
            continue;
        }
        if (++i == argc) return false;
        const char *value = argv[i];
        if (strcmp(flag, "--kind") == 0) {
            w->kind = value;
        } else if (strcmp(flag, "--member") == 0) {
            w->member = value;
        } else if (strcmp(flag, "--csv") == 0) {
            w->csv = value;
        } else if (strcmp(flag, "--index") == 0) {
            w->index = atoi(value);
        } else if (strcmp(flag, "--least") == 0) {
            w->least = atoi(value);
        } else if (strcmp(flag, "--most") == 0) {
            w->most = atoi(value);
        } else if (strcmp(flag, "--seconds") == 0) {
            w->seconds = atof(value);
            w->clock = true;
        } else if (strcmp(flag, "--tol") == 0 && w->tols < TOLERANCES) {
            w->tol[w->tols++] = atof(value);
        } else if (strcmp(flag, "--solver") == 0 && pcs_solver_find(value)) {
            w->solver = pcs_solver_find(value)->kind;
        } else {
            return false;
        }
    }
    if (w->tols == 0) {
        const double usual[TOLERANCES] = {1e-4, 1e-8, 1e-12};
        memcpy(w->tol, usual, sizeof usual);
        w->tols = TOLERANCES;
    }
    return true;
}

int main(int argc, char **argv)
{
    wish w;
    if (!read_wish(argc, argv, &w)) {
        fprintf(stderr, "bench_family: unknown flag or value; the flags are in the first lines of"
                        " tests/bench/bench_family.c\n");
        return 2;
    }
    FILE *csv = w.csv ? fopen(w.csv, "w") : NULL;
    if (w.csv && !csv) {
        perror(w.csv);
        return 2;
    }
    if (csv) {
        fprintf(csv, "member,kind,contacts,rows,rank_bound,mu_low,mu_high,mass_ratio,load,planted,"
                     "tol,outcome,iters,residual,natural_map,seconds\n");
    }
    tally kinds[KINDS] = {{0}};
    uint64_t bits = 0;
    for (int i = 0; i < (w.all ? family_count_all() : family_count()); ++i) {
        family_member m;
        if (!wanted(&w, i)) continue;
        family_create(i, &m);
        if (m.contacts >= w.least && m.contacts <= w.most &&
            (!w.member || strcmp(w.member, m.name) == 0)) {
            if (w.list) print_member(i, &m, w.rank);
            if (w.list) bits = 31 * bits + family_hash(&m);
            if (!w.list) run(&w, i, &m, tally_of(kinds, m.kind), csv);
        }
        family_destroy(&m);
    }
    if (!w.list) print_sums(&w, kinds);
    if (w.list) printf("all bits: %016llx\n", (unsigned long long)bits);
    if (csv && fclose(csv) != 0) {
        perror(w.csv);
        return 2;
    }
    return 0;
}
