// Bodies that sleep and need not be looked at. The proof of rest of an island depends on its poses,
// on the remembered forces, on the model, on the step size, and on the contacts that a search
// finds. If none of these has changed since a step has tested the proof, the proof holds because it
// is the same one: the step leaves out the bodies, their pairs and their contacts. The bits of all
// others are as if it had tested it.
//
// The work keeps what was the same: the coordinates, compared to the bit; the stamp of the contacts
// of the state; the number of changes of the model. It also keeps bounds of the shapes that are as
// large as any search at the start of a step has them. Only a body that is not skipped can touch
// one that is. If their bounds overlap in such a search, or features overlap at the end, the
// attempt is repeated, and tests the proof of the island. So an island beside a body that is awake
// is not skipped. Nor are islands with joints, with force callbacks, on driven bodies, or that
// overlap so deeply that the projection might act.
#include "step/skip.h"

#include <string.h>

#include "step/rest.h"
#include "step/still.h"

// part of the tolerance of the projection by which contacts may overlap
#define SHALLOW 0.4

static bool may_skip(const pcs_model *m, const pcs_work *wk)
{
    return m->scheme.sleep && !wk->always_searches && !wk->capture.fn && m->n_driven == 0 &&
           m->n_carried == 0 && m->n_planar == 0 && m->n_forces == 0 && !m->filter && !m->combine &&
           !step_rows_follow(&m->scheme);
}

static bool same_q(const step_skip *s, const model_system *of, const double *q)
{
    return memcmp(s->q + of->q_at, q + of->q_at, (size_t)of->nq * sizeof *q) == 0;
}

static int system_of(const pcs_model *m, int shape)
{
    return m->shape[shape].system;
}

// a system that a contact of shapes moves
static int mover_of(const pcs_model *m, const contact_key *key)
{
    const int one = system_of(m, key->shape1);
    return system_moves(m, one) ? one : system_of(m, key->shape2);
}

// ---- before an attempt -------------------------------------------------------------------------

// the deepest overlaps of the contacts that are left
static void measure(step_skip *s)
{
    s->before = s->end = 0;
    for (int i = 0; i < s->list.n; ++i) {
        const candidate *c = &s->list.c[i];
        if (-c->g[0] > s->before) s->before = -c->g[0];
        if (-c->g_end[0] > s->end) s->end = -c->g_end[0];
    }
}

static void move_contact(step_skip *s, int from, int to)
{
    if (from == to) return;
    candidate_copy(&s->list.c[from], &s->list.c[to]);
    s->list.k[to] = s->list.k[from];
    s->f[to] = s->f[from];
    s->list.c[to].feature = &s->f[to];
}

// removes the islands that are marked
static void drop_islands(const pcs_model *m, step_skip *s)
{
    int n = 0, n_kept = 0;
    for (int i = 0; i < m->n_systems; ++i) {
        if (!s->skipped[i] || !s->drop[s->island[i]]) continue;
        s->skipped[i] = false;
        s->bodies -= 1;
    }
    for (int i = 0; i < s->list.n; ++i) {
        if (s->skipped[mover_of(m, &s->list.c[i].key)]) move_contact(s, i, n++);
    }
    for (int i = 0; i < s->n_kept; ++i) {
        if (s->skipped[mover_of(m, &s->kept[i].key)]) s->kept[n_kept++] = s->kept[i];
    }
    s->list.n = n;
    s->n_kept = n_kept;
    memset(s->drop, 0, (size_t)m->n_systems * sizeof *s->drop);
    measure(s);
}

static bool is_same(const pcs_model *m, const pcs_state *st, const step_skip *s, double h)
{
    if (s->changes != model_changes(m) || s->stamp != st->memory->stamp || s->h != h) return false;
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *of = &m->system[i];
        if (of->nv == 0 && !same_q(s, of, st->q)) return false;
    }
    return true;
}

void skip_begin(const pcs_state *st, double h, trial *t)
{
    const pcs_model *m = t->m;
    step_skip *s = &t->work->skip;
    t->skipped = NULL;
    s->known = s->known && may_skip(m, t->work) && is_same(m, st, s, h);
    if (!s->known) return;
    bool drops = false;
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *of = &m->system[i];
        if (!s->quiet[i] || of->nv == 0) continue;
        s->quiet[i] = same_q(s, of, st->q) && step_is_zero(st->v + of->v_at, of->nv);
        if (s->skipped[i] && !s->quiet[i]) s->drop[s->island[i]] = true;
        drops = drops || (s->skipped[i] && s->drop[s->island[i]]);
    }
    if (drops) drop_islands(m, s);
    if (s->bodies == 0) return;
    t->skipped = s->skipped;
    s->hits += s->bodies;
}

// ---- what touches ------------------------------------------------------------------------------

static pcs_status repeat(step_skip *s)
{
    s->again = true;
    return pcs_fail(PCS_ERR_MEMORY, "step: a body that sleeps is touched");
}

pcs_status skip_touch(const trial *t, int system)
{
    step_skip *s = &t->work->skip;
    s->drop[s->island[system]] = true;
    return repeat(s);
}

pcs_status skip_check_reach(const trial *t, double extra)
{
    step_skip *s = &t->work->skip;
    if (!t->skipped || s->extra == still_extra(extra)) return PCS_OK;
    s->known = false;
    return repeat(s);
}

pcs_status skip_pairs(const trial *t, int (*pair)[2], int *n_pairs)
{
    const pcs_model *m = t->m;
    step_skip *s = &t->work->skip;
    bool touched = false;
    int n = 0;
    for (int i = 0; i < *n_pairs; ++i) {
        int one = system_of(m, pair[i][0]), two = system_of(m, pair[i][1]);
        if (skips(t, two)) {
            const int other = one;
            one = two;
            two = other;
        }
        if (!skips(t, one)) {
            memmove(pair[n++], pair[i], sizeof *pair);
        } else if (!s->quiet[two]) {
            s->drop[s->island[one]] = touched = true;
        }
    }
    *n_pairs = n;
    return touched ? repeat(s) : PCS_OK;
}

// ---- after a step ------------------------------------------------------------------------------

// true for a contact that does not keep its island from being skipped
static bool may_be_skipped(const trial *t, const candidate *c)
{
    return c->interaction < 0 && c->held && !c->refuted && !c->proven && !c->drive && !c->drive_k &&
           c->g[0] >= -SHALLOW * t->proj_tol && !step_doubts_overlap(t, c);
}

pcs_status skip_choose(trial *t, pcs_arena *mem)
{
    const pcs_model *m = t->m;
    const size_t ns = (size_t)m->n_systems;
    bool any = false;
    t->rests = NULL;
    if (!t->slept || !may_skip(m, t->work)) return PCS_OK;
    for (int i = 0; i < m->n_systems; ++i) {
        any = any || (t->slept[i] && !skips(t, i));
    }
    if (!any) return PCS_OK;
    bool *rests = PCS_TAKE(mem, ns, bool), *awake = PCS_TAKE(mem, ns, bool);
    int *up = PCS_TAKE(mem, ns, int);
    if (!rests || !awake || !up) return pcs_fail_memory("step: bodies at rest");
    for (int i = 0; i < m->n_systems; ++i) {
        up[i] = i;
        awake[i] = false;
    }
    for (int i = 0; i < t->list.n; ++i) {
        step_join(t, &t->list.c[i], up);
    }
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *of = &m->system[i];
        const size_t size = (size_t)of->nq * sizeof(double);
        const bool same = memcmp(t->end.q + of->q_at, t->st->q + of->q_at, size) == 0;
        if (of->nv == 0 && !same) return PCS_OK;
        if (of->nv == 0) continue;
        if (!t->slept[i] || !same || of->body_force) awake[island_root(up, i)] = true;
    }
    for (int i = 0; i < m->n_shapes; ++i) {
        const int system = system_of(m, i);
        if (!system_moves(m, system) || m->shape[i].shape.kind != PCS_SHAPE_HALF_SPACE) continue;
        awake[island_root(up, system)] = true;
    }
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        const int of = candidate_mover(t, c);
        if (!system_moves(m, of)) continue;
        if (i >= t->list.n_start || !may_be_skipped(t, c)) awake[island_root(up, of)] = true;
    }
    // with an awake body near it, the next step would not skip it either
    memset(rests, 0, ns * sizeof *rests);
    for (int i = 0; i < t->list.n_pairs; ++i) {
        const int one = system_of(m, t->list.pair[i][0]), two = system_of(m, t->list.pair[i][1]);
        if (!system_moves(m, one) || !system_moves(m, two)) continue;
        rests[one] = rests[one] || !t->slept[two];
        rests[two] = rests[two] || !t->slept[one];
    }
    for (int i = 0; i < m->n_systems; ++i) {
        if (rests[i]) awake[island_root(up, i)] = true;
    }
    any = false;
    for (int i = 0; i < m->n_systems; ++i) {
        rests[i] = t->slept[i] && !skips(t, i) && !awake[island_root(up, i)];
        any = any || rests[i];
    }
    if (!any) return PCS_OK;
    t->rests = rests;
    t->islands = up;
    return PCS_OK;
}

// memory per system and shape
static bool reserve_systems(const pcs_model *m, step_skip *s)
{
    const pcs_env *env = &m->env;
    const size_t ns = (size_t)m->n_systems;
    if (m->n_systems <= s->systems && m->n_shapes <= s->shapes && m->nq <= s->q_room) return true;
    skip_release(env, s);
    s->skipped = pcs_env_alloc(env, ns, sizeof *s->skipped);
    s->quiet = pcs_env_alloc(env, ns, sizeof *s->quiet);
    s->drop = pcs_env_alloc(env, ns, sizeof *s->drop);
    s->island = pcs_env_alloc(env, ns, sizeof *s->island);
    s->rounding = pcs_env_alloc(env, ns, sizeof *s->rounding);
    s->potential = pcs_env_alloc(env, ns, sizeof *s->potential);
    s->q = pcs_env_alloc(env, (size_t)m->nq, sizeof *s->q);
    s->item = pcs_env_alloc(env, (size_t)m->n_shapes, sizeof *s->item);
    s->systems = m->n_systems;
    s->shapes = m->n_shapes;
    s->q_room = m->nq;
    const bool good = s->skipped && s->quiet && s->drop && s->island && s->rounding &&
                      s->potential && s->q && s->item;
    if (!good) skip_release(env, s);
    return good;
}

// memory for n contacts; those that are kept stay
static bool reserve_contacts(const pcs_env *env, int n, step_skip *s)
{
    if (n <= s->room) return true;
    const int room = n + n / 4 + 8;
    step_skip old = *s;
    s->list.c = pcs_env_alloc(env, (size_t)room, sizeof *s->list.c);
    s->list.k = pcs_env_alloc(env, (size_t)room, sizeof *s->list.k);
    s->f = pcs_env_alloc(env, (size_t)room, sizeof *s->f);
    if (!s->list.c || !s->list.k || !s->f) {
        pcs_env_free(env, s->list.c);
        pcs_env_free(env, s->list.k);
        pcs_env_free(env, s->f);
        *s = old;
        return false;
    }
    for (int i = 0; i < s->list.n; ++i) {
        candidate_copy(&old.list.c[i], &s->list.c[i]);
        s->list.k[i] = old.list.k[i];
        s->f[i] = old.f[i];
        s->list.c[i].feature = &s->f[i];
    }
    pcs_env_free(env, old.list.c);
    pcs_env_free(env, old.list.k);
    pcs_env_free(env, old.f);
    s->room = room;
    return true;
}

static bool reserve_kept(const pcs_env *env, int n, step_skip *s)
{
    if (n <= s->kept_room) return true;
    pcs_env_free(env, s->kept);
    s->kept_room = n + n / 4 + 8;
    s->kept = pcs_env_alloc(env, (size_t)s->kept_room, sizeof *s->kept);
    if (!s->kept) s->kept_room = 0;
    return s->kept;
}

// number of contacts of the list that come to the others
static int new_contacts(const trial *t)
{
    int n = 0;
    for (int i = 0; i < t->list.n_start; ++i) {
        const int of = candidate_mover(t, &t->list.c[i]);
        n += of >= 0 && t->rests[of];
    }
    return n;
}

// adds them in their order, from the end
static void add_contacts(const trial *t, int n, step_skip *s)
{
    const candidates *list = &t->list;
    int old = s->list.n - 1, to = s->list.n + n - 1;
    s->list.n += n;
    for (int i = list->n_start - 1; n > 0; --i) {
        const candidate *c = &list->c[i];
        const int of = candidate_mover(t, c);
        if (of < 0 || !t->rests[of]) continue;
        while (old >= 0 && contact_key_compare(&s->list.c[old].key, &c->key) > 0) {
            move_contact(s, old--, to--);
        }
        candidate_copy(c, &s->list.c[to]);
        s->list.k[to] = list->k[i];
        s->list.k[to].rows[0] = s->list.k[to].rows[1] = NULL; // of a cap apart, without impulse
        s->f[to] = *c->feature;
        s->list.c[to].feature = &s->f[to];
        s->list.c[to].kept = NULL;
        s->list.c[to].recalled = NULL;
        list->c[i].kept_on = true;
        to -= 1;
        n -= 1;
    }
}

static void add_systems(const trial *t, const double *q, step_skip *s)
{
    const pcs_model *m = t->m;
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *of = &m->system[i];
        if (!t->rests[i]) continue;
        s->skipped[i] = s->quiet[i] = true;
        s->island[i] = island_root(t->islands, i);
        s->bodies += 1;
        memcpy(s->q + of->q_at, q + of->q_at, (size_t)of->nq * sizeof *s->q);
        s->rounding[i] = t->rounding[i];
        const pcs_status status = system_potential(m, of, q + of->q_at, &s->potential[i]);
        PCS_ASSERT(status == PCS_OK); // gravity alone
        (void)status;
    }
    for (int i = 0; i < m->n_shapes; ++i) {
        const int system = system_of(m, i);
        if (system < 0 || !t->rests[system]) continue;
        collide_item *it = &s->item[i];
        *it = (collide_item){.body = system + 1, .shape = i};
        collide_bounds(&m->shape[i].shape, s->q + m->system[system].q_at,
                       s->extra + t->reach[system], it->low, it->high, &it->unbounded);
        if (m->shape[i].disabled) it->low[0] = NAN; // NaN meets nothing
    }
}

// the remembered contacts of all that is skipped
static void add_kept(const pcs_model *m, const pcs_memory *mem, step_skip *s)
{
    s->n_kept = 0;
    for (int i = 0; i < mem->n; ++i) {
        const contact_key *key = &mem->contact[i].key;
        if (key->shape1 < 0 || !s->skipped[mover_of(m, key)]) continue;
        s->kept[s->n_kept++] = mem->contact[i];
    }
}

static bool add_islands(const trial *t, const pcs_state *st, step_skip *s)
{
    const pcs_model *m = t->m;
    const double extra = still_extra(step_tolerance(t));
    if (!(extra > 0) || !isfinite(extra)) return false;
    if (!s->known || s->extra != extra) {
        if (!reserve_systems(m, s)) return false;
        memset(s->skipped, 0, (size_t)m->n_systems * sizeof *s->skipped);
        memset(s->quiet, 0, (size_t)m->n_systems * sizeof *s->quiet);
        memset(s->drop, 0, (size_t)m->n_systems * sizeof *s->drop);
        s->bodies = s->list.n = s->n_kept = 0;
        for (int i = 0; i < m->n_systems; ++i) {
            const model_system *of = &m->system[i];
            if (of->nv > 0) continue;
            memcpy(s->q + of->q_at, st->q + of->q_at, (size_t)of->nq * sizeof *s->q);
            s->quiet[i] = true;
        }
        s->extra = extra;
        s->h = t->h;
        s->changes = model_changes(m);
    }
    const int n = new_contacts(t);
    if (!reserve_contacts(&m->env, s->list.n + n, s)) return false;
    if (!reserve_kept(&m->env, st->memory->n, s)) return false;
    add_contacts(t, n, s);
    add_systems(t, st->q, s);
    add_kept(m, st->memory, s);
    measure(s);
    return true;
}

void skip_keep(const trial *t, const pcs_state *st)
{
    step_skip *s = &t->work->skip;
    if (t->rests) {
        s->known = add_islands(t, st, s);
        t->work->skips = t->work->skips || s->known;
    }
    s->stamp = st->memory->stamp;
}

// ---- what remains the same ---------------------------------------------------------------------

void skip_remember(const step_skip *s, const pcs_memory *others, pcs_state *st)
{
    pcs_memory *mem = st->memory;
    // in most steps they have the same keys as in the last one, and take their places
    bool same = mem->n == s->n_kept + others->n;
    for (int i = 0, hint = 0; i < others->n && same; ++i) {
        same = state_recall(st, others->contact[i].key, &hint);
    }
    for (int i = 0, hint = 0; i < others->n && same; ++i) {
        const remembered *place = state_recall(st, others->contact[i].key, &hint);
        mem->contact[place - mem->contact] = others->contact[i];
    }
    if (same) return;
    memmove(mem->contact, others->contact, (size_t)others->n * sizeof *mem->contact);
    mem->n = others->n;
    int left = s->n_kept;
    for (int i = mem->n; left > 0; --i) {
        int low = 0, high = left;
        while (i > 0 && low < high) {
            const int mid = low + (high - low) / 2;
            if (contact_key_compare(&s->kept[mid].key, &mem->contact[i - 1].key) < 0) {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
        memcpy(mem->contact + i + low, s->kept + low, (size_t)(left - low) * sizeof *s->kept);
        left = low;
        if (i > 0) mem->contact[i - 1 + left] = mem->contact[i - 1];
    }
    mem->n += s->n_kept;
}

void skip_release(const pcs_env *env, step_skip *s)
{
    pcs_env_free(env, s->skipped);
    pcs_env_free(env, s->quiet);
    pcs_env_free(env, s->drop);
    pcs_env_free(env, s->island);
    pcs_env_free(env, s->q);
    pcs_env_free(env, s->rounding);
    pcs_env_free(env, s->potential);
    pcs_env_free(env, s->item);
    pcs_env_free(env, s->list.c);
    pcs_env_free(env, s->list.k);
    pcs_env_free(env, s->f);
    pcs_env_free(env, s->kept);
    *s = (step_skip){.hits = s->hits};
}

size_t skip_bytes(const step_skip *s)
{
    return (size_t)s->systems * (3 * sizeof(bool) + sizeof *s->island + 2 * sizeof(double)) +
           (size_t)s->q_room * sizeof *s->q + (size_t)s->shapes * sizeof *s->item +
           (size_t)s->room * (sizeof *s->list.c + sizeof *s->list.k + sizeof *s->f) +
           (size_t)s->kept_room * sizeof *s->kept;
}
