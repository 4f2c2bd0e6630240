// Force elements: their forces, Jacobians and potential at the poses and velocities of their two
// systems. In all vectors the velocities of system 1 come first, then those of system 2: 6 of a
// body, moving or not, n of a Lagrangian system, none of the world.
#ifndef FORCES_FORCES_H
#define FORCES_FORCES_H

#include "linalg/m3.h"
#include "model/model.h"

// one side of an element: null for the world
typedef struct force_side {
    const double *q, *v;
    int n; // velocities
} force_side;

// the forces, N = n1 + n2 numbers each, and force_room numbers, which may be null where that is 0
typedef struct force_sum {
    double *conservative, *other, *room;
} force_sum;
size_t force_room(const pcs_model *m, const model_force *f);

// true when the element and its systems are enabled
bool force_acts(const pcs_model *m, const model_force *f);

// sides of an element; v of a fixed body is zero, of a driven one `driven`, 6 numbers per system,
// or zero where that is null
void force_sides(const pcs_model *m, const model_force *f, const double *q, const double *v,
                 const double *const driven[2], force_side side[2]);

// writes the forces, and the potential where V is not null
pcs_status force_evaluate(const pcs_model *m, const model_force *f, double t,
                          const force_side side[2], force_sum F, double *V);

// the same between poses: of carried bodies those, and not their carriers, are the sides
pcs_status force_between(const pcs_model *m, const model_force *f, double t,
                         const force_side side[2], force_sum F, double *V);
// These sides, and the rows B of carried bodies, null for others; room as in force_sum
pcs_status force_posed(const pcs_model *m, const model_force *f, const force_side side[2],
                       double *room, force_side posed[2], double **B);

// the side of the mover of end e
int force_side_of_end(const model_force *f, int e);

// K = -(dF/dq) T and D = -dF/dv, N x N; `work` has force_work entries
pcs_status force_jacobian(const pcs_model *m, const model_force *f, double t,
                          const force_side side[2], double *work, double *K, double *D);
size_t force_work(const pcs_model *m, const model_force *f, const force_side side[2]);

// the potential at coordinates q of all systems; 0 of an element that does not act
pcs_status force_potential(const pcs_model *m, const model_force *f, const double *q, double *V);

// checks the arguments of the functions that read an element in a state
pcs_status force_check_id(const char *who, const pcs_model *m, const pcs_state *st,
                          pcs_force force);
// the sides in a state; motion has room for the velocities of driven bodies
pcs_status force_now(const pcs_model *m, const model_force *f, const pcs_state *st,
                     double motion[12], force_side side[2]);

// ---- the kinds

// what an element between bodies does, for pcs_force_result
typedef struct force_measure {
    double length, speed, force;
    double strain[6], stress[6];
} force_measure;

// springs and gravity
pcs_status central_evaluate(const pcs_model *m, const model_force *f, const force_side side[2],
                            force_sum F, double *V, force_measure *out);
pcs_status central_jacobian(const pcs_model *m, const model_force *f, const force_side side[2],
                            double *K, double *D);
// torsion and bushings
void strain_evaluate(const model_force *f, const force_side side[2], force_sum F, double *V,
                     force_measure *out);
void strain_jacobian(const model_force *f, const force_side side[2], double *K, double *D);
// callbacks
pcs_status user_force_evaluate(const pcs_model *m, const model_force *f, double t,
                               const force_side side[2], force_sum F, double *V);
pcs_status user_force_jacobian(const pcs_model *m, const model_force *f, double t,
                               const force_side side[2], double *work, double *K, double *D);
// elements on carried bodies
pcs_status carried_evaluate(const pcs_model *m, const model_force *f, double t,
                            const force_side side[2], force_sum F, double *V);
// central differences of force_evaluate, for any kind; work: 5 N + 2 + force_room
pcs_status force_differences(const pcs_model *m, const model_force *f, double t,
                             const force_side side[2], double *work, double *K, double *D);

// "force element 3 'leg'"
const char *force_words(const pcs_model *m, const model_force *f, char words[PART_WORDS]);

#endif
