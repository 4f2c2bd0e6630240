/// @file
/// The table of solvers and their options, for command lines, files and manuals; setting and
/// reading options by name.
#ifndef PERCUSS_SOLVER_TABLE_H
#define PERCUSS_SOLVER_TABLE_H

#include <percuss/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How an option is stored: an int, a double, an enum or a bool; the values of the last two have
/// words.
typedef enum pcs_opt_type { PCS_OPT_INT, PCS_OPT_REAL, PCS_OPT_CHOICE, PCS_OPT_BOOL } pcs_opt_type;

/// One option in the table, for command lines, scene files and the manual.
typedef struct pcs_opt {
    const char *name;  ///< "relaxation"
    pcs_opt_type type; ///< how it is read and stored
    size_t offset;     ///< in pcs_solver_opts
    double low;        ///< smallest allowed value
    double high;       ///< largest allowed value
    const char *help;  ///< its effect, in a line
    /// PCS_OPT_CHOICE, PCS_OPT_BOOL: the words of the values low, low + 1, ..., high; a word has no
    /// blank and no comma. Null for the other types.
    const char *const *words;
    /// The choice of the same table that decides whether this option is read, and the values of the
    /// choice with which it is read, as bits 1u << value. Null: always read. Where it is not read
    /// any value except the default is refused.
    const char *needs;
    unsigned needs_values; ///< bits of the values of `needs`
} pcs_opt;

/// A row of the solver table.
typedef struct pcs_solver_info {
    const char *name;    ///< "nsgs"
    const char *summary; ///< one sentence
    pcs_solver kind;     ///< its value of the enum
    unsigned cones;      ///< bit 1u << pcs_cone for every cone it takes
    const pcs_opt *opt;  ///< its own options, n_opts
    int n_opts;          ///< may be 0
} pcs_solver_info;

/// Number of rows of the table; rows 0 .. count - 1.
PCS_API int pcs_solver_count(void);

/// Row i, or null beyond the table.
PCS_API const pcs_solver_info *pcs_solver_at(int i);

/// The row of this name, or null.
PCS_API const pcs_solver_info *pcs_solver_find(const char *name);

/// Sets an option of the solver opts->kind by its name in the option table (pcs_solver_info.opt).
/// The value is text: a number, or the word of a choice ("yes" and "no" for a bool; case does not
/// matter, and blanks and underscores equal hyphens). PCS_ERR_ARG, with a sentence that lists the
/// valid values, for a name that the solver does not have and for a value outside its range; opts
/// is then unchanged. pcs_solver_opts_check decides whether the option is read with the other
/// options.
PCS_NODISCARD PCS_API pcs_status pcs_solver_opts_set(pcs_solver_opts *opts, const char *name,
                                                     const char *value);

/// The value of an option by its name: the number of the value of a choice, 0 or 1 for a bool.
/// PCS_ERR_ARG for a name that the solver does not have.
PCS_NODISCARD PCS_API pcs_status pcs_solver_opts_get(const pcs_solver_opts *opts, const char *name,
                                                     double *out);

#ifdef __cplusplus
}
#endif

#endif
