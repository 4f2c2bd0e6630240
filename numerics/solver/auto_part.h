// The numbers of the parts of `auto`, in all of its courses: the option `without` leaves them out,
// and the watch and the report of a solve have the number of the part at work.
#ifndef SOLVER_AUTO_PART_H
#define SOLVER_AUTO_PART_H

#include <percuss/solver.h>

typedef enum auto_part {
    // with friction: the rows of `course` in auto_friction.c. 6 to 9 are not used any more
    PART_NSGS = 1,
    PART_PROX,
    PART_NEWTON_FEW,
    PART_ADMM,
    PART_IPM,
    PART_ADMM_AGAIN = 10,
    PART_HOMOTOPY,
    // without friction (auto_rows.c)
    PART_DIRECT,
    PART_PIVOT,
    PART_LEMKE_SHORT,
    PART_PROXIMAL,
    PART_INTERIOR,
    PART_PROXIMAL_NEAR,
    PART_NEWTON,
    PART_LEMKE,
    PART_ENUM,
    PART_ROW_SWEEPS,
    PART_DIGITS,
    // bodies (bodies/auto_bodies.c)
    PART_SWEEPS,
    PART_FINISH,
    PART_FACTORS,
    PART_W,
    PART_JOINTS,
    PART_VELOCITIES,
    PART_PATH,
    PART_PROOF,
    // with friction, after those of `course`
    PART_STARTS,
    PART_LAST = PART_STARTS
} auto_part;

#define PART_MASK ((int)((1u << PART_LAST) - 1)) // all parts

static inline unsigned part_bit(auto_part number)
{
    return 1u << (number - 1);
}

static inline bool part_runs(const pcs_solver_opts *o, auto_part number)
{
    return !((unsigned)o->as.portfolio.without & part_bit(number));
}

#endif
