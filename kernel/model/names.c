// Names of systems, shapes, materials, interactions and force elements: a list by id, and a hash
// table that finds the id of a name. A name is unique within its kind.
#include "model/names.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include <percuss/parts.h>

// number of bytes of a name that a sentence shows
enum { SHOWN = 32 };

static const char *const what_of[PART_KINDS] = {"system", "shape", "material", "interaction",
                                                "force element"};

// ---- the table ---------------------------------------------------------------------------------

// parts that have a name from the start
static const char *built_in(part_kind kind, int id)
{
    if (id != 0) return NULL;
    if (kind == PART_SYSTEM) return "world";
    return kind == PART_MATERIAL ? "default" : NULL;
}

static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u; // FNV-1a
    for (; *text; ++text) {
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    }
    return hash;
}

// the slot of a name, or the free slot for it
static int *slot_of(const part_names *names, const char *text)
{
    const uint32_t mask = (uint32_t)names->n_slots - 1;
    for (uint32_t i = hash_of(text) & mask;; i = (i + 1) & mask) {
        int *slot = &names->slot[i];
        if (*slot == 0 || strcmp(names->text[*slot - 1], text) == 0) return slot;
    }
}

static void fill_slots(part_names *names)
{
    memset(names->slot, 0, (size_t)names->n_slots * sizeof *names->slot);
    for (int id = 0; id < names->cap; ++id) {
        if (names->text[id]) *slot_of(names, names->text[id]) = id + 1;
    }
}

// room for a name at `id`, and for one name more in the table
static bool reserve(const pcs_env *env, part_names *names, int id)
{
    if (id >= names->cap) {
        const int wanted = id < INT_MAX / 4 ? 2 * id + 8 : id + 1;
        char **text = pcs_env_alloc(env, (size_t)wanted, sizeof *text);
        if (!text) return false;
        if (names->cap > 0) memcpy(text, names->text, (size_t)names->cap * sizeof *text);
        pcs_env_free(env, names->text);
        names->text = text;
        names->cap = wanted;
    }
    if (2 * (names->n + 1) <= names->n_slots) return true;
    if (names->n_slots > INT_MAX / 4) return false;
    const int wanted = names->n_slots > 0 ? 2 * names->n_slots : 16;
    int *slot = pcs_env_alloc(env, (size_t)wanted, sizeof *slot);
    if (!slot) return false;
    pcs_env_free(env, names->slot);
    names->slot = slot;
    names->n_slots = wanted;
    fill_slots(names);
    return true;
}

void names_release(const pcs_env *env, part_names *names)
{
    for (int id = 0; id < names->cap; ++id) {
        pcs_env_free(env, names->text[id]);
    }
    pcs_env_free(env, names->text);
    pcs_env_free(env, names->slot);
}

// ---- valid names ------------------------------------------------------------------------

// bytes of the character at s when it is whole UTF-8 and no control character, else 0
static int character(const unsigned char *s)
{
    if (s[0] < 0x80) return s[0] >= 0x20 && s[0] != 0x7f;
    const int n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    uint32_t code = s[0] & (0x7fu >> n);
    for (int i = 1; i < n; ++i) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    // the shortest form, no half of a pair, no control character, no end of a line
    const uint32_t least = n == 4 ? 0x10000 : n == 3 ? 0x800 : 0xa0;
    const bool half = code >= 0xd800 && code <= 0xdfff, line = code == 0x2028 || code == 0x2029;
    return code >= least && code <= 0x10ffff && !half && !line ? n : 0;
}

static pcs_status check_text(const char *who, const char *text)
{
    for (size_t i = 0; text[i];) {
        const int n = character((const unsigned char *)text + i);
        if (n == 0) {
            return pcs_fail(PCS_ERR_ARG,
                            "%s: byte %zu of the name is %#x: names are UTF-8 without control"
                            " characters",
                            who, i, (unsigned)(unsigned char)text[i]);
        }
        i += (size_t)n;
    }
    return PCS_OK;
}

// ---- names of any kind -------------------------------------------------------------------------

static bool is_there(const pcs_model *m, part_kind kind, int id)
{
    if (!m) return false;
    switch (kind) {
    case PART_SYSTEM:
        return id >= 0 && id <= m->n_systems;
    case PART_SHAPE:
        return id >= 0 && id < m->n_shapes;
    case PART_MATERIAL:
        return id >= 0 && id < m->n_materials;
    case PART_FORCE:
        return id >= 1 && id <= m->n_forces;
    default:
        return id >= 1 && id <= m->n_interactions;
    }
}

const char *part_name(const pcs_model *m, part_kind kind, int id)
{
    if (!is_there(m, kind, id)) return "";
    if (built_in(kind, id)) return built_in(kind, id);
    const part_names *names = &m->names[kind];
    return id < names->cap && names->text[id] ? names->text[id] : "";
}

const char *part_words(const pcs_model *m, part_kind kind, const char *what, int id,
                       char words[PART_WORDS])
{
    const char *name = part_name(m, kind, id), *of = "";
    if (kind == PART_SHAPE && name[0] == '\0' && is_there(m, kind, id)) {
        const int body = m->shape[id].system; // -1: the world
        if (body >= 0) name = part_name(m, PART_SYSTEM, body + 1);
        of = "of ";
    }
    size_t n = strlen(name);
    const bool cut = n > SHOWN;
    if (cut) {
        // a cut must not be within a character
        for (n = SHOWN; n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80; --n) {
        }
    }
    if (n == 0) {
        snprintf(words, PART_WORDS, "%s%d", what, id);
    } else {
        snprintf(words, PART_WORDS, "%s%d %s'%.*s%s'", what, id, of, (int)n, name,
                 cut ? "..." : "");
    }
    return words;
}

// the id of a name, or -1
static int find(const pcs_model *m, part_kind kind, const char *text)
{
    if (built_in(kind, 0) && strcmp(built_in(kind, 0), text) == 0) return 0;
    const part_names *names = &m->names[kind];
    return names->n > 0 ? *slot_of(names, text) - 1 : -1;
}

static pcs_status set_name(pcs_model *m, const char *who, part_kind kind, int id, const char *text)
{
    if (!m || !text) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    PCS_TRY(model_may_change(m, who));
    if (!is_there(m, kind, id) || built_in(kind, id)) {
        return pcs_fail(PCS_ERR_ARG, "%s: there is no %s %d that could have a name", who,
                        what_of[kind], id);
    }
    PCS_TRY(check_text(who, text));
    const int known = find(m, kind, text);
    if (known == id) return PCS_OK;
    if (known >= 0 && *text) {
        return pcs_fail(PCS_ERR_ARG, "%s: %s %d has the name '%.*s' already; give each its own",
                        who, what_of[kind], known, SHOWN, text);
    }

    part_names *names = &m->names[kind];
    const size_t bytes = strlen(text) + 1;
    char *copy = *text ? pcs_env_alloc(&m->env, bytes, 1) : NULL;
    if (*text && (!copy || !reserve(&m->env, names, id))) {
        pcs_env_free(&m->env, copy);
        return pcs_fail_memory(who);
    }
    if (copy) memcpy(copy, text, bytes);
    if (id < names->cap) {
        char *old = names->text[id];
        names->text[id] = copy;
        names->n += (copy != NULL) - (old != NULL);
        // a removed name may precede others in the table
        if (old) fill_slots(names);
        pcs_env_free(&m->env, old);
    }
    if (copy) *slot_of(names, text) = id + 1;
    return PCS_OK;
}

static pcs_status find_name(const pcs_model *m, const char *who, part_kind kind, const char *text,
                            int *out)
{
    if (!m || !text || !out) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    const int id = *text ? find(m, kind, text) : -1;
    if (id < 0) {
        return pcs_fail(PCS_ERR_ARG, "%s: no %s of the model has the name '%.*s'", who,
                        what_of[kind], SHOWN, text);
    }
    *out = id;
    return PCS_OK;
}

// ---- each kind ---------------------------------------------------------------------------------

pcs_status pcs_model_set_system_name(pcs_model *m, pcs_system system, const char *name)
{
    return set_name(m, "pcs_model_set_system_name", PART_SYSTEM, system.id, name);
}

const char *pcs_model_system_name(const pcs_model *m, pcs_system system)
{
    return part_name(m, PART_SYSTEM, system.id);
}

pcs_status pcs_model_find_system(const pcs_model *m, const char *name, pcs_system *out)
{
    return find_name(m, "pcs_model_find_system", PART_SYSTEM, name, out ? &out->id : NULL);
}

pcs_status pcs_model_set_shape_name(pcs_model *m, int shape, const char *name)
{
    return set_name(m, "pcs_model_set_shape_name", PART_SHAPE, shape, name);
}

const char *pcs_model_shape_name(const pcs_model *m, int shape)
{
    return part_name(m, PART_SHAPE, shape);
}

pcs_status pcs_model_find_shape(const pcs_model *m, const char *name, int *out)
{
    return find_name(m, "pcs_model_find_shape", PART_SHAPE, name, out);
}

pcs_status pcs_model_set_material_name(pcs_model *m, pcs_material material, const char *name)
{
    return set_name(m, "pcs_model_set_material_name", PART_MATERIAL, material.id, name);
}

const char *pcs_model_material_name(const pcs_model *m, pcs_material material)
{
    return part_name(m, PART_MATERIAL, material.id);
}

pcs_status pcs_model_find_material(const pcs_model *m, const char *name, pcs_material *out)
{
    return find_name(m, "pcs_model_find_material", PART_MATERIAL, name, out ? &out->id : NULL);
}

pcs_status pcs_model_set_interaction_name(pcs_model *m, pcs_interaction interaction,
                                          const char *name)
{
    return set_name(m, "pcs_model_set_interaction_name", PART_INTERACTION, interaction.id, name);
}

const char *pcs_model_interaction_name(const pcs_model *m, pcs_interaction interaction)
{
    return part_name(m, PART_INTERACTION, interaction.id);
}

pcs_status pcs_model_find_interaction(const pcs_model *m, const char *name, pcs_interaction *out)
{
    return find_name(m, "pcs_model_find_interaction", PART_INTERACTION, name,
                     out ? &out->id : NULL);
}

pcs_status pcs_model_set_force_name(pcs_model *m, pcs_force force, const char *name)
{
    return set_name(m, "pcs_model_set_force_name", PART_FORCE, force.id, name);
}

const char *pcs_force_kind_word(pcs_force_kind kind)
{
    static const char *const words[] = {
        [PCS_FORCE_SPRING] = "spring",   [PCS_FORCE_TORSION] = "torsion",
        [PCS_FORCE_BUSHING] = "bushing", [PCS_FORCE_GRAVITY] = "gravity",
        [PCS_FORCE_USER] = "callback",
    };
    const int n = (int)(sizeof words / sizeof *words), k = (int)kind;
    return k >= 0 && k < n ? words[k] : NULL;
}

const char *pcs_model_force_name(const pcs_model *m, pcs_force force)
{
    return part_name(m, PART_FORCE, force.id);
}

pcs_status pcs_model_find_force(const pcs_model *m, const char *name, pcs_force *out)
{
    return find_name(m, "pcs_model_find_force", PART_FORCE, name, out ? &out->id : NULL);
}
