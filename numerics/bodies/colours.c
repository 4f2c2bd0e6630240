// Numbers the systems by breadth-first search over the blocks, so that systems near each other are
// close in memory, and sorts the blocks by the later of their systems. Cuts the blocks into
// clusters of equal size. A cluster gets the least used of the colours that none of its systems has
// yet.
#include "bodies/colours.h"

#include <string.h>

// number of colours that share clusters; each further cluster has a colour of its own
enum { MOST_COLOURS = 64 };
// islands of at most this many blocks keep their order
enum { FEW = 64 };

// the graph of the search: for each block the places of its systems in the island, or -1
typedef struct graph {
    const island *of;
    int nb, ns;
    int (*end)[2]; // nb
} graph;

static void find_ends(void *arg, int begin, int end)
{
    const graph *g = arg;
    for (int k = begin; k < end; ++k) {
        const int *sys = g->of->b->block[g->of->block[k]].sys;
        for (int e = 0; e < 2; ++e) {
            g->end[k][e] = sys[e] < 0 ? -1 : g->of->place[sys[e]];
        }
    }
}

// lists the blocks of every system: start (ns + 1) into list (at most 2 nb)
static void blocks_of_systems(const graph *g, int *start, int *list)
{
    memset(start, 0, ((size_t)g->ns + 1) * sizeof *start);
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < g->nb; ++k) {
            for (int e = 0; e < 2; ++e) {
                const int s = g->end[k][e];
                if (s < 0) continue;
                if (pass == 0) {
                    start[s + 1] += 1;
                } else {
                    list[start[s]++] = k;
                }
            }
        }
        for (int s = 0; pass == 0 && s < g->ns; ++s) {
            start[s + 1] += start[s];
        }
    }
    for (int s = g->ns; s > 0; --s) {
        start[s] = start[s - 1];
    }
    start[0] = 0;
}

// rank[s]: the position of system s in the search; queue is scratch
static void search(const graph *g, const int *start, const int *list, int *queue, int *rank)
{
    int found = 0;
    for (int s = 0; s < g->ns; ++s) {
        rank[s] = -1;
    }
    for (int first = 0; first < g->ns; ++first) {
        if (rank[first] >= 0) continue;
        int at = found;
        rank[first] = found;
        queue[found++] = first;
        for (; at < found; ++at) {
            for (int i = start[queue[at]]; i < start[queue[at] + 1]; ++i) {
                for (int e = 0; e < 2; ++e) {
                    const int s = g->end[list[i]][e];
                    if (s < 0 || rank[s] >= 0) continue;
                    rank[s] = found;
                    queue[found++] = s;
                }
            }
        }
    }
}

static int key_of(const graph *g, const int *rank, int k)
{
    int key = 0;
    for (int e = 0; e < 2; ++e) {
        const int s = g->end[k][e];
        if (s >= 0 && rank[s] > key) key = rank[s];
    }
    return key;
}

// sorts the blocks by the later of their systems; count (ns + 1) is scratch
static void sort_blocks(const graph *g, const int *rank, int *count, int *order)
{
    memset(count, 0, ((size_t)g->ns + 1) * sizeof *count);
    for (int k = 0; k < g->nb; ++k) {
        count[key_of(g, rank, k) + 1] += 1;
    }
    for (int s = 0; s < g->ns; ++s) {
        count[s + 1] += count[s];
    }
    for (int k = 0; k < g->nb; ++k) {
        order[count[key_of(g, rank, k)]++] = k;
    }
}

// assigns a colour to each cluster; taken has a bit per colour for every system. Returns the number
// of colours
static int paint(const graph *g, const int *sorted, int clusters, uint64_t *taken, int *colour)
{
    int used[MOST_COLOURS] = {0}, most = 0, extra = 0;
    memset(taken, 0, (size_t)g->ns * sizeof *taken);
    for (int c = 0; c < clusters; ++c) {
        const int end = (c + 1) * CLUSTER < g->nb ? (c + 1) * CLUSTER : g->nb;
        uint64_t forbidden = 0;
        for (int i = c * CLUSTER; i < end; ++i) {
            for (int e = 0; e < 2; ++e) {
                const int s = g->end[sorted[i]][e];
                if (s >= 0) forbidden |= taken[s];
            }
        }
        // the least used of the present colours, or a new colour
        int best = -1;
        for (int k = 0; k < most; ++k) {
            if (!(forbidden >> k & 1) && (best < 0 || used[k] < used[best])) best = k;
        }
        if (best < 0 && most < MOST_COLOURS) best = most++;
        colour[c] = best;
        if (best < 0) {
            colour[c] = MOST_COLOURS + extra++;
            continue;
        }
        used[best] += 1;
        for (int i = c * CLUSTER; i < end; ++i) {
            for (int e = 0; e < 2; ++e) {
                const int s = g->end[sorted[i]][e];
                if (s >= 0) taken[s] |= (uint64_t)1 << best;
            }
        }
    }
    return extra > 0 ? MOST_COLOURS + extra : most;
}

// orders the clusters by colour
static void lay_out(const island *of, const int *sorted, int clusters, const int *colour,
                    colours *out)
{
    int at = 0, next = 0;
    for (int k = 0; k < out->n; ++k) {
        out->colour[k] = next;
        for (int c = 0; c < clusters; ++c) {
            if (colour[c] != k) continue;
            const int end = (c + 1) * CLUSTER < of->nb ? (c + 1) * CLUSTER : of->nb;
            out->cluster[next++] = at;
            for (int i = c * CLUSTER; i < end; ++i) {
                out->order[at++] = sorted[i];
            }
        }
    }
    out->colour[out->n] = next;
    out->cluster[next] = at;
}

pcs_status colours_make(const island *of, threads *team, pcs_arena *arena, colours *out)
{
    const size_t nb = (size_t)of->nb, ns = (size_t)of->ns;
    const int clusters = of->nb <= FEW ? 1 : (of->nb + CLUSTER - 1) / CLUSTER;
    const size_t nc = (size_t)clusters;
    *out = (colours){.n = 1};
    out->order = PCS_TAKE(arena, nb, int);
    out->cluster = PCS_TAKE(arena, nc + 1, int);
    out->colour = PCS_TAKE(arena, nc + 1, int);
    if (!out->order || !out->cluster || !out->colour) return pcs_fail_memory("sweeps");
    if (of->nb <= FEW) {
        for (int k = 0; k < of->nb; ++k) {
            out->order[k] = k;
        }
        out->cluster[0] = out->colour[0] = 0;
        out->cluster[1] = of->nb;
        out->colour[1] = 1;
        return PCS_OK;
    }

    out->rank = PCS_TAKE(arena, ns, int);
    pcs_arena scratch = *arena;
    int *start = PCS_TAKE(&scratch, ns + 1, int);
    int *list = PCS_TAKE(&scratch, 2 * nb, int);
    int *queue = PCS_TAKE(&scratch, ns + 1, int);
    int *sorted = PCS_TAKE(&scratch, nb, int);
    int *colour = PCS_TAKE(&scratch, nc, int);
    uint64_t *taken = PCS_TAKE(&scratch, ns, uint64_t);
    graph g = {of, of->nb, of->ns, NULL};
    g.end = (int(*)[2])pcs_arena_take_array(&scratch, nb, sizeof *g.end);
    if (!g.end || !start || !list || !queue || !out->rank || !sorted || !colour || !taken) {
        return pcs_fail_memory("sweeps");
    }
    threads_each(team, of->nb, find_ends, &g);
    blocks_of_systems(&g, start, list);
    search(&g, start, list, queue, out->rank);
    sort_blocks(&g, out->rank, queue, sorted);
    out->n = paint(&g, sorted, clusters, taken, colour);
    lay_out(of, sorted, clusters, colour, out);
    return PCS_OK;
}
