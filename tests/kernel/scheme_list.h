// Kinds of shapes and schemes for tests of contacts that must have no effect.
#ifndef TEST_SCHEME_LIST_H
#define TEST_SCHEME_LIST_H

#include "scene.h"

enum { SPHERE, BOX, CAPSULE, CYLINDER, HULL, MESH, FIELD, KINDS, BODIES = MESH };

static const char *const kind_name[KINDS] = {"sphere", "box",  "capsule",     "cylinder",
                                             "hull",   "mesh", "height field"};

enum { SCHEMES = 8 };

static inline pcs_scheme scheme_of(int which)
{
    pcs_scheme s = pcs_scheme_dense(1e-8, 0.1);
    if (which == 0) return s;
    if (which == SCHEMES - 1) return pcs_scheme_default();
    s = pcs_scheme_moreau_jean();
    switch (which) {
    case 1:
        break;
    case 2:
        s.gamma = 1;
        s.theta = 1;
        s.projection = PCS_PROJECTION_DIRECT;
        break;
    case 3:
        s.projection = PCS_PROJECTION_DIRECT_HYSTERESIS;
        break;
    case 4:
        s.projection = PCS_PROJECTION_COMBINED;
        break;
    case 5:
        s.projection = PCS_PROJECTION_COMBINED_EQUALITY;
        break;
    default:
        s.theta = 1;
        s.activation = PCS_ACTIVATION_SPECULATIVE;
        s.projection = PCS_PROJECTION_DIRECT;
        break;
    }
    return s;
}

// runs the test with each scheme; `which` is the number of the scheme
#define TEST_OF_SCHEMES(name)               \
    static void name##_with(int which);     \
    TEST(name)                              \
    {                                       \
        for (int k = 0; k < SCHEMES; ++k) { \
            name##_with(k);                 \
        }                                   \
    }                                       \
    static void name##_with(int which)

#endif
