// The state: flat coordinates and velocities, and the impulses remembered by contact.
#include "state/state.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "linalg/bsr.h"
#include "model/carried.h"
#include "systems/systems.h"

// a search first walks from where the last one ended: contacts of a pair are recalled one after
// another, but in the order in which they were found
enum { NEAR = 4 };

void state_touch(pcs_state *st)
{
    static atomic_ullong last;
    st->memory->stamp = 1 + atomic_fetch_add(&last, 1);
}

static int order(int a, int b)
{
    return (a > b) - (a < b);
}

int contact_key_compare(const contact_key *a, const contact_key *b)
{
    // most keys that are compared are of one pair
    if (a->shape1 == b->shape1 && a->shape2 == b->shape2) {
        return (a->feature > b->feature) - (a->feature < b->feature);
    }
    // interactions, whose shape1 is -1, are identified by their own number
    const bool a_first = a->shape1 < a->shape2, b_first = b->shape1 < b->shape2;
    int c = order(a_first ? a->shape1 : a->shape2, b_first ? b->shape1 : b->shape2);
    if (c == 0) c = order(a_first ? a->shape2 : a->shape1, b_first ? b->shape2 : b->shape1);
    return c != 0 ? c : order(a->shape1, b->shape1);
}

const remembered *state_recall(const pcs_state *st, contact_key key, int *hint)
{
    int low = 0, high = st->memory->n - 1, near = *hint < high ? *hint : high;
    for (int steps = 0; low <= high; ++steps) {
        const int mid = steps < NEAR ? near : low + (high - low) / 2;
        const int c = contact_key_compare(&st->memory->contact[mid].key, &key);
        if (c == 0) {
            *hint = mid + 1;
            return &st->memory->contact[mid];
        }
        if (c < 0) {
            low = near = mid + 1;
        } else {
            high = near = mid - 1;
        }
    }
    *hint = low;
    return NULL;
}

bool state_recalls_pair(const pcs_state *st, contact_key key)
{
    int hint = 0;
    if (state_recall(st, key, &hint)) return true;
    if (key.shape1 < 0) return false;

    // contacts of a pair are adjacent, and `hint` is the place of this one
    for (int i = hint - 1; i <= hint; ++i) {
        if (i < 0 || i >= st->memory->n) continue;
        const contact_key *k = &st->memory->contact[i].key;
        if (k->shape1 == key.shape1 && k->shape2 == key.shape2) return true;
    }
    return false;
}

bool state_pressed_pair(const pcs_state *st, contact_key key)
{
    const pcs_memory *mem = st->memory;
    int hint = 0;
    state_recall(st, key, &hint);
    for (int step = -1; step <= 1; step += 2) {
        for (int i = step < 0 ? hint - 1 : hint; i >= 0 && i < mem->n; i += step) {
            const remembered *c = &mem->contact[i];
            if (c->key.shape1 != key.shape1 || c->key.shape2 != key.shape2) break;
            if (c->r[0] != 0 || c->r[1] != 0 || c->r[2] != 0) return true;
        }
    }
    return false;
}

pcs_status state_reserve(pcs_state *st, int n)
{
    pcs_memory *mem = st->memory;
    if (n <= mem->cap) return PCS_OK;

    // capacity grows: few contacts come and go, and a large number rarely doubles
    const int wanted = n + (n < 512 ? n / 2 : n / 8) + 8;
    remembered *bigger = pcs_env_alloc(&mem->env, (size_t)wanted, sizeof *bigger);
    if (!bigger) return pcs_fail_memory("state");
    if (mem->n > 0) memcpy(bigger, mem->contact, (size_t)mem->n * sizeof *bigger);
    pcs_env_free(&mem->env, mem->contact);
    mem->contact = bigger;
    mem->cap = wanted;
    return PCS_OK;
}

// initial conditions of the systems from `first` on
static pcs_status start_systems(const pcs_model *m, int first, double t, double *q, double *v)
{
    for (int i = first; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        const bool lagrangian = s->kind == SYSTEM_LAGRANGIAN;
        memcpy(q + s->q_at, lagrangian ? s->start : s->q0, (size_t)s->nq * sizeof *q);
        memcpy(v + s->v_at, lagrangian ? s->start + s->nq : s->v0, (size_t)s->nv * sizeof *v);
        double ignored[6];
        if (s->motion) PCS_TRY(system_motion(s, t, q + s->q_at, ignored));
    }
    return PCS_OK;
}

pcs_status pcs_state_create(const pcs_model *m, pcs_state **out)
{
    if (!m || !out) return pcs_fail(PCS_ERR_ARG, "pcs_state_create: an argument is null");
    *out = NULL;
    pcs_state *st = pcs_env_alloc(&m->env, 1, sizeof *st);
    if (!st) return pcs_fail_memory("pcs_state_create");
    st->memory = pcs_env_alloc(&m->env, 1, sizeof *st->memory);
    if (!st->memory) {
        pcs_env_free(&m->env, st);
        return pcs_fail_memory("pcs_state_create");
    }
    st->memory->env = m->env;
    state_touch(st);
    st->nq = m->nq;
    st->nv = m->nv;
    st->q = pcs_env_alloc(&m->env, (size_t)m->nq, sizeof(double));
    st->v = pcs_env_alloc(&m->env, (size_t)m->nv, sizeof(double));
    if (!st->q || !st->v) {
        pcs_state_destroy(st);
        return pcs_fail_memory("pcs_state_create");
    }

    pcs_status status = start_systems(m, 0, st->t, st->q, st->v);
    if (status == PCS_OK) status = model_carry(m, st->q);
    if (status != PCS_OK) {
        pcs_state_destroy(st);
        return status;
    }
    *out = st;
    return PCS_OK;
}

pcs_status pcs_state_extend(const pcs_model *m, pcs_state *st)
{
    if (!m || !st) return pcs_fail(PCS_ERR_ARG, "pcs_state_extend: an argument is null");
    int first = 0;
    while (first < m->n_systems && m->system[first].q_at < st->nq) {
        first += 1;
    }
    const int nq = first < m->n_systems ? m->system[first].q_at : m->nq;
    const int nv = first < m->n_systems ? m->system[first].v_at : m->nv;
    if (nq != st->nq || nv != st->nv) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_state_extend: the state has %d coordinates; the first systems of the "
                        "model do not have that many; it belongs to another model",
                        st->nq);
    }
    const pcs_env *env = &st->memory->env;
    double *q = pcs_env_alloc(env, (size_t)m->nq, sizeof *q);
    double *v = pcs_env_alloc(env, (size_t)m->nv, sizeof *v);
    pcs_status status = q && v ? PCS_OK : pcs_fail_memory("pcs_state_extend");
    if (status == PCS_OK) status = start_systems(m, first, st->t, q, v);
    if (status == PCS_OK) {
        memcpy(q, st->q, (size_t)st->nq * sizeof *q);
        memcpy(v, st->v, (size_t)st->nv * sizeof *v);
        status = model_carry(m, q);
    }
    if (status != PCS_OK) {
        pcs_env_free(env, q);
        pcs_env_free(env, v);
        return status;
    }
    pcs_env_free(env, st->q);
    pcs_env_free(env, st->v);
    st->q = q;
    st->v = v;
    st->nq = m->nq;
    st->nv = m->nv;
    return PCS_OK;
}

pcs_status pcs_state_carry(const pcs_model *m, pcs_state *st)
{
    if (!m || !st) return pcs_fail(PCS_ERR_ARG, "pcs_state_carry: an argument is null");
    if (st->nq == m->nq) return model_carry(m, st->q);
    return pcs_fail(PCS_ERR_SIZE, "pcs_state_carry: the state has %d coordinates, the model %d",
                    st->nq, m->nq);
}

void pcs_state_destroy(pcs_state *st)
{
    if (!st) return;
    const pcs_env env = st->memory->env;
    pcs_env_free(&env, st->q);
    pcs_env_free(&env, st->v);
    pcs_env_free(&env, st->memory->contact);
    pcs_env_free(&env, st->memory);
    pcs_env_free(&env, st);
}

const double *pcs_state_read_q(const pcs_model *m, const pcs_state *st, pcs_system system)
{
    const model_system *s = model_find(m, system);
    return s && st && s->q_at + s->nq <= st->nq ? st->q + s->q_at : NULL;
}

const double *pcs_state_read_v(const pcs_model *m, const pcs_state *st, pcs_system system)
{
    const model_system *s = model_find(m, system);
    return s && st && s->nv > 0 && s->v_at + s->nv <= st->nv ? st->v + s->v_at : NULL;
}

double *pcs_state_q(const pcs_model *m, pcs_state *st, pcs_system system)
{
    return (double *)pcs_state_read_q(m, st, system);
}

double *pcs_state_v(const pcs_model *m, pcs_state *st, pcs_system system)
{
    return (double *)pcs_state_read_v(m, st, system);
}

// J v of the carrier
static pcs_status carried_velocity(const pcs_model *m, const model_system *s, const pcs_state *st,
                                   double v[6])
{
    const model_system *carrier = &m->system[s->carrier.id - 1];
    const size_t n = (size_t)carrier->nv;
    double *J = pcs_env_alloc(&m->env, 7 * n, sizeof *J);
    if (!J) return pcs_fail_memory("pcs_state_velocity");
    const pcs_status status = carried_rows(s, carrier->nv, st->q + carrier->q_at, J + 6 * n, J);
    memset(v, 0, 6 * sizeof *v);
    if (status == PCS_OK) block_addmul(6, carrier->nv, J, st->v + carrier->v_at, v);
    pcs_env_free(&m->env, J);
    return status;
}

pcs_status pcs_state_velocity(const pcs_model *m, const pcs_state *st, pcs_system body, double v[6])
{
    const model_system *s = model_find(m, body);
    if (!s || !st || !v || s->kind == SYSTEM_LAGRANGIAN || st->nq != m->nq) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_state_velocity: an argument is null, the state is not of"
                        " the model, or system %d is no body",
                        body.id);
    }
    double q[7];
    if (s->carrier.id > 0) return carried_velocity(m, s, st, v);
    if (s->motion) return system_motion(s, st->t, q, v);
    memset(v, 0, 6 * sizeof *v);
    if (s->nv > 0) memcpy(v, st->v + s->v_at, 6 * sizeof *v);
    return PCS_OK;
}

pcs_status pcs_state_copy(const pcs_state *from, pcs_state *to)
{
    if (!from || !to) return pcs_fail(PCS_ERR_ARG, "pcs_state_copy: an argument is null");
    if (from == to) return PCS_OK;
    if (from->nq != to->nq || from->nv != to->nv) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_state_copy: %d and %d coordinates; both states must be"
                        " of one model",
                        from->nq, to->nq);
    }
    PCS_TRY(state_reserve(to, from->memory->n));
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)from->nq * sizeof(double));
    memcpy(to->v, from->v, (size_t)from->nv * sizeof(double));
    to->memory->velocity_tol = from->memory->velocity_tol;
    to->memory->kappa = from->memory->kappa;
    to->memory->n = from->memory->n;
    state_touch(to);
    to->memory->broken = from->memory->broken;
    if (from->memory->n > 0) {
        memcpy(to->memory->contact, from->memory->contact,
               (size_t)from->memory->n * sizeof *to->memory->contact);
    }
    return PCS_OK;
}

// ---- bytes -------------------------------------------------------------------------------------

// The head of a saved state, without padding; then q, v and the contacts follow, field by field.
// The last digit of the magic is the version of this layout. The checksum is that of all bytes,
// itself counted as zero.
typedef struct save_head {
    char magic[8];
    uint64_t size, checksum;
    int nq, nv, n, unused;
    double t, velocity_tol, kappa;
} save_head;

static const char save_magic[8] = {'p', 'c', 's', 's', 't', 'a', 't', '3'};

enum { REMEMBERED_BYTES = 4 * sizeof(int) + 3 * sizeof(double) };

static void pack(const remembered *c, unsigned char *to)
{
    memcpy(to, &c->key.shape1, sizeof(int));
    memcpy(to + 4, &c->key.shape2, sizeof(int));
    memcpy(to + 8, &c->key.feature, sizeof(unsigned));
    memcpy(to + 12, &c->active, sizeof(int));
    memcpy(to + 16, c->r, sizeof c->r);
}

static void unpack(const unsigned char *from, remembered *c)
{
    memcpy(&c->key.shape1, from, sizeof(int));
    memcpy(&c->key.shape2, from + 4, sizeof(int));
    memcpy(&c->key.feature, from + 8, sizeof(unsigned));
    memcpy(&c->active, from + 12, sizeof(int));
    memcpy(c->r, from + 16, sizeof c->r);
}

static size_t saved_bytes(const pcs_state *st, int contacts)
{
    return sizeof(save_head) + ((size_t)st->nq + (size_t)st->nv) * sizeof(double) +
           (size_t)contacts * REMEMBERED_BYTES;
}

size_t pcs_state_save_bytes(const pcs_state *st)
{
    return st ? saved_bytes(st, st->memory->n) : 0;
}

// checksum of the head.size bytes that start with this head
static uint64_t checksum(save_head head, const void *bytes)
{
    head.checksum = 0;
    const unsigned char *rest = (const unsigned char *)bytes + sizeof head;
    return hash_bytes(hash_bytes(HASH_START, &head, sizeof head), rest, head.size - sizeof head);
}

void pcs_state_save(const pcs_state *st, void *bytes)
{
    if (!st || !bytes) return;
    unsigned char *to = bytes;
    save_head head = {.nq = st->nq,
                      .nv = st->nv,
                      .n = st->memory->n,
                      .t = st->t,
                      .velocity_tol = st->memory->velocity_tol,
                      .kappa = st->memory->kappa};
    memcpy(head.magic, save_magic, sizeof save_magic);
    head.size = pcs_state_save_bytes(st);
    to += sizeof head;
    memcpy(to, st->q, (size_t)st->nq * sizeof(double));
    to += (size_t)st->nq * sizeof(double);
    memcpy(to, st->v, (size_t)st->nv * sizeof(double));
    to += (size_t)st->nv * sizeof(double);
    for (int i = 0; i < st->memory->n; ++i) {
        pack(&st->memory->contact[i], to);
        to += REMEMBERED_BYTES;
    }
    head.checksum = checksum(head, bytes);
    memcpy(bytes, &head, sizeof head);
}

static bool finite_bytes(const unsigned char *from, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        double x;
        memcpy(&x, from + i * sizeof x, sizeof x);
        if (!isfinite(x)) return false;
    }
    return true;
}

// true when `size` bytes are a whole saved state of a state like st
static pcs_status check_head(const pcs_state *st, const save_head *head, const void *bytes,
                             size_t size)
{
    if (memcmp(head->magic, save_magic, sizeof save_magic - 1) != 0) {
        return pcs_fail(PCS_ERR_FORMAT, "pcs_state_load: the bytes are not a saved state");
    }
    if (head->magic[7] != save_magic[7]) {
        return pcs_fail(PCS_ERR_FORMAT,
                        "pcs_state_load: the bytes are in another version of the layout than %c; "
                        "load them with the version of percuss that saved them",
                        save_magic[7]);
    }
    if (head->size != size) {
        return pcs_fail(PCS_ERR_SIZE, "pcs_state_load: %zu bytes; %llu were saved", size,
                        (unsigned long long)head->size);
    }
    if (head->checksum != checksum(*head, bytes)) {
        return pcs_fail(PCS_ERR_FORMAT, "pcs_state_load: the checksum does not match: the bytes "
                                        "have changed since they were saved");
    }
    if (head->nq != st->nq || head->nv != st->nv) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_state_load: %d coordinates and %d velocities were saved, the state "
                        "has %d and %d; it belongs to another model",
                        head->nq, head->nv, st->nq, st->nv);
    }
    if (head->n < 0 || size != saved_bytes(st, head->n)) {
        return pcs_fail(PCS_ERR_SIZE, "pcs_state_load: %zu bytes do not hold %d contacts", size,
                        head->n);
    }
    return PCS_OK;
}

pcs_status pcs_state_load(pcs_state *st, const void *bytes, size_t size)
{
    if (!st || !bytes) return pcs_fail(PCS_ERR_ARG, "pcs_state_load: an argument is null");
    save_head head;
    if (size < sizeof head) {
        return pcs_fail(PCS_ERR_FORMAT, "pcs_state_load: %zu bytes are too few for a state", size);
    }
    memcpy(&head, bytes, sizeof head);
    PCS_TRY(check_head(st, &head, bytes, size));
    const size_t vectors = (size_t)st->nq + (size_t)st->nv;

    // everything is checked before anything is written
    const unsigned char *q = (const unsigned char *)bytes + sizeof head;
    const unsigned char *contacts = q + vectors * sizeof(double);
    bool good = isfinite(head.t) && isfinite(head.velocity_tol) && head.velocity_tol >= 0 &&
                isfinite(head.kappa) && head.kappa >= 0 && finite_bytes(q, vectors);
    remembered last = {0};
    for (int i = 0; i < head.n && good; ++i) {
        remembered c;
        unpack(contacts + (size_t)i * REMEMBERED_BYTES, &c);
        good = pcs_all_finite(c.r, 3) && (i == 0 || contact_key_compare(&last.key, &c.key) < 0);
        last = c;
    }
    if (!good) {
        return pcs_fail(PCS_ERR_FORMAT, "pcs_state_load: a number is not finite, or the contacts"
                                        " are out of order");
    }
    PCS_TRY(state_reserve(st, head.n));
    st->t = head.t;
    memcpy(st->q, q, (size_t)st->nq * sizeof(double));
    memcpy(st->v, q + (size_t)st->nq * sizeof(double), (size_t)st->nv * sizeof(double));
    st->memory->broken = 0;
    for (int i = 0; i < head.n; ++i) {
        unpack(contacts + (size_t)i * REMEMBERED_BYTES, &st->memory->contact[i]);
        st->memory->broken += is_broken_key(&st->memory->contact[i].key);
    }
    st->memory->n = head.n;
    st->memory->velocity_tol = head.velocity_tol;
    st->memory->kappa = head.kappa;
    state_touch(st);
    return PCS_OK;
}

bool pcs_state_equal(const pcs_state *a, const pcs_state *b)
{
    if (!a || !b) return a == b;
    if (a->nq != b->nq || a->nv != b->nv || a->memory->n != b->memory->n) return false;
    if (memcmp(&a->t, &b->t, sizeof a->t) != 0 ||
        memcmp(&a->memory->velocity_tol, &b->memory->velocity_tol, sizeof(double)) != 0 ||
        memcmp(&a->memory->kappa, &b->memory->kappa, sizeof(double)) != 0 ||
        memcmp(a->q, b->q, (size_t)a->nq * sizeof(double)) != 0 ||
        memcmp(a->v, b->v, (size_t)a->nv * sizeof(double)) != 0) {
        return false;
    }
    for (int i = 0; i < a->memory->n; ++i) {
        unsigned char x[REMEMBERED_BYTES], y[REMEMBERED_BYTES];
        pack(&a->memory->contact[i], x);
        pack(&b->memory->contact[i], y);
        if (memcmp(x, y, sizeof x) != 0) return false;
    }
    return true;
}

unsigned long long pcs_state_hash(const pcs_state *st)
{
    unsigned long long hash = HASH_START;
    if (!st) return hash;
    hash = hash_bytes(hash, &st->t, sizeof st->t);
    hash = hash_bytes(hash, &st->memory->velocity_tol, sizeof(double));
    hash = hash_bytes(hash, &st->memory->kappa, sizeof(double));
    hash = hash_bytes(hash, st->q, (size_t)st->nq * sizeof(double));
    hash = hash_bytes(hash, st->v, (size_t)st->nv * sizeof(double));
    for (int i = 0; i < st->memory->n; ++i) {
        unsigned char bytes[REMEMBERED_BYTES];
        pack(&st->memory->contact[i], bytes);
        hash = hash_bytes(hash, bytes, sizeof bytes);
    }
    return hash;
}
