/// @file
/// Reading and writing problems (doc/files.md): the text files of the field (LCP, MLCP, local and
/// global friction, `.dat`), FCLIB's HDF5, and the exact text form of percuss (`.pcs`).
///
///     pcs_problem_file *file;
///     const pcs_problem *p;
///     PCS_TRY(pcs_problem_file_read(NULL, "stack.hdf5", PCS_FILE_ANY, &file));
///     PCS_TRY(pcs_problem_file_local(file, &p));
///     PCS_TRY(pcs_solve_alloc(NULL, p, NULL, r, u, &report));
///     const pcs_file_content found = {.problem = p, .r = r, .u = u};
///     PCS_TRY(pcs_problem_file_write(NULL, "solved.hdf5", PCS_FILE_FORMAT_BY_NAME, &found));
///     pcs_problem_file_destroy(file);
#ifndef PERCUSS_PROBLEM_FILE_H
#define PERCUSS_PROBLEM_FILE_H

#include <stdbool.h>

#include <percuss/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kind of a problem: its cones, and whether the form is local (W, q) or global (M, H, f, w).
#define PCS_FILE_KIND_LIST(X)    \
    X(PCS_FILE_ANY, "any")       \
    X(PCS_FILE_LCP, "lcp")       \
    X(PCS_FILE_MLCP, "mlcp")     \
    X(PCS_FILE_FC3D, "fc3d")     \
    X(PCS_FILE_FC2D, "fc2d")     \
    X(PCS_FILE_GFC3D, "gfc3d")   \
    X(PCS_FILE_GFC2D, "gfc2d")   \
    X(PCS_FILE_MIXED, "mixed")   \
    X(PCS_FILE_GLOBAL, "global") \
    X(PCS_FILE_BODIES, "bodies")

/// PCS_FILE_ANY, as an argument, means that the reader recognises the kind; a file never has it.
/// MIXED is a local problem of several kinds of cones that is no MLCP, GLOBAL a global one that is
/// not all contacts of one dimension; `.dat` files are neither. BODIES is the problem of a step in
/// the velocities of bodies, in the text form only.
typedef enum pcs_file_kind {
#define X(id, text) id,
    PCS_FILE_KIND_LIST(X)
#undef X
} pcs_file_kind;

/// The word of a kind, never null.
PCS_API const char *pcs_file_kind_text(pcs_file_kind kind);

/// The format of the file.
#define PCS_FILE_FORMAT_LIST(X)           \
    X(PCS_FILE_FORMAT_BY_NAME, "by name") \
    X(PCS_FILE_FORMAT_DAT, "dat")         \
    X(PCS_FILE_FORMAT_FCLIB, "fclib")     \
    X(PCS_FILE_FORMAT_TEXT, "pcs")

/// PCS_FILE_FORMAT_BY_NAME, as an argument, means the format of the file name's ending: .dat; .hdf5
/// or .h5 (FCLIB); .pcs. A file that was read never has it: the reader recognises the format by the
/// content.
typedef enum pcs_file_format {
#define X(id, text) id,
    PCS_FILE_FORMAT_LIST(X)
#undef X
} pcs_file_format;

/// The word of a format, never null.
PCS_API const char *pcs_file_format_text(pcs_file_format format);

/// How a file writes its matrix (of a global problem: M).
typedef enum pcs_file_storage {
    PCS_FILE_STORAGE_DENSE,  ///< one block
    PCS_FILE_STORAGE_BLOCKS, ///< block-sparse, the blocks of the file
    PCS_FILE_STORAGE_SPARSE  ///< entries; in `.dat` files of other programs with six digits each
} pcs_file_storage;

/// A problem from a file, and its memory.
typedef struct pcs_problem_file {
    pcs_problem problem; ///< borrows from this object; of a global file and of one of bodies
                         ///< empty until pcs_problem_file_local has condensed it; a dense W of
                         ///< contacts is compressed where that halves it
                         ///< (pcs_problem_compress), also where `storage` is dense
    const struct pcs_global_problem *global; ///< the problem of a global file; null for others
    const struct pcs_bodies_problem *bodies; ///< the problem of a file of bodies; null for others.
                                             ///< The next two too
    const struct pcs_solver_opts *opts;      ///< options of the solve in the step, or null
    double budget;                           ///< units of work that it had (pcs_solve_bodies)
    const double *start;    ///< rows: r from which to solve, of a text form, or null
    pcs_file_format format; ///< format of its content; never
                            ///< PCS_FILE_FORMAT_BY_NAME
    pcs_file_kind kind;     ///< as requested, or recognised; never PCS_FILE_ANY
    bool recognised; ///< true if PCS_FILE_ANY was given and the file does not name its kind, so
                     ///< that the reader guessed it from the first numbers (`.dat`)
    pcs_file_storage storage; ///< storage of the matrix
    bool has_matrix; ///< true when the file has the form (M, q), W or (M, H); false only for an
                     ///< MLCP in parts
    bool has_parts;  ///< true when it has the form (A, B, C, D, a, b)
    bool half; ///< true when the file has one triangle of a symmetric matrix only (M of an FCLIB
               ///< file, or a sparse one that says so); the other was completed
    int equalities;                 ///< rows w = 0
    int complementarities;          ///< rows 0 <= z _|_ w >= 0, and boxes
    int contacts;                   ///< with friction; each is a Coulomb block of three or two rows
    int rows;                       ///< constraint rows: entries of r, u, q or w
    int velocities;                 ///< entries of v; 0 for local files
    const char *title;              ///< as the next two: a text about the problem, or null
    const char *description;        ///< its author and origin
    const char *math_info;          ///< mathematical properties of the problem, free text
    const double *r;                ///< rows; a solution in the file, or null. Measure it before
                                    ///< use (FCLIB's `/solution` may be anything)
    const double *u;                ///< rows, or null
    const double *v;                ///< velocities, or null
    int guesses;                    ///< number of starting points in the file
    const double *guess_r;          ///< guesses x rows, one after another, or null
    const double *guess_u;          ///< the same for u
    struct pcs_file_memory *memory; ///< private
} pcs_problem_file;

/// Reads a file of any format, recognised by its content: HDF5's signature, the first line of the
/// text form, else `.dat`. `kind` PCS_FILE_ANY takes the kind that the file states; a `.dat` file
/// is then recognised by its first numbers, or fails with PCS_ERR_FORMAT where these fit more than
/// one kind. With any other value the file must have that kind. PCS_ERR_FILE: it cannot be read.
/// PCS_ERR_FORMAT: it is malformed. PCS_ERR_SIZE: sizes disagree, or claim more than the file
/// holds. PCS_ERR_UNSUPPORTED: something that percuss does not solve (rolling friction).
/// PCS_ERR_SINGULAR: M of a global problem cannot be factorised. The sentence names file, line or
/// data set, what was expected and what was found. Memory beyond the bytes of the file stays below
/// a fixed multiple of its size, with any header (HDF5 and the factorisation of a sparse M have
/// memory of their own). `out` is null after a failure; else release it with
/// pcs_problem_file_destroy.
///
/// Rows keep the order of the file. An equality block becomes one block of the problem, split where
/// a block row of the matrix ends (the blocks of a sparse matrix are the equality blocks where
/// these are small enough, else single entries). When an MLCP file has both forms they are
/// compared, to the number of digits that such files carry; (M, q) is used. Text after the problem
/// in a `.dat` file (a comment, a reference solution) is ignored. Global files store H transposed;
/// the reader transposes it, so that `global` obeys M v = H^T r + f, u = H v + w.
///
/// At most 1 GiB is read (PCS_ERR_FILE beyond), from a file, a pipe or a device; a byte that is
/// zero in a file that is not HDF5 ends the reading (PCS_ERR_FORMAT).
PCS_NODISCARD PCS_API pcs_status pcs_problem_file_read(const pcs_env *env, const char *path,
                                                       pcs_file_kind kind, pcs_problem_file **out);

/// As pcs_problem_file_read, from `size` bytes in memory, which are not kept; a final zero is not
/// needed. `name` stands for the path in sentences (null: "text").
PCS_NODISCARD PCS_API pcs_status pcs_problem_file_parse(const pcs_env *env, const char *text,
                                                        size_t size, const char *name,
                                                        pcs_file_kind kind, pcs_problem_file **out);

/// The local form: the problem itself of a local file; a global one and one of bodies are
/// condensed, once, into memory of the file object (pcs_global_condense; W may be much larger than
/// the file).
PCS_NODISCARD PCS_API pcs_status pcs_problem_file_local(pcs_problem_file *file,
                                                        const pcs_problem **out);

/// The global form: the problem itself of a global file; one of bodies is converted, once, into
/// memory of the file object (pcs_bodies_to_global). PCS_ERR_UNSUPPORTED for a local file.
PCS_NODISCARD PCS_API pcs_status pcs_problem_file_global(pcs_problem_file *file,
                                                         const struct pcs_global_problem **out);

/// Accepts null.
PCS_API void pcs_problem_file_destroy(pcs_problem_file *file);

/// The content of a file to be written. Everything is borrowed; a zeroed member is absent.
typedef struct pcs_file_content {
    const pcs_problem *problem;              ///< a local problem,
    const struct pcs_global_problem *global; ///< or a global one,
    const struct pcs_bodies_problem *bodies; ///< or one of bodies. In a file of another format than
                                             ///< the text form it becomes global, contacts first
    const struct pcs_solver_opts *opts;      ///< of bodies, or null; in the text form only
    double budget;                           ///< of bodies, with opts; INFINITY: no limit
    const double *start;      ///< rows, or null: r from which to solve; in an FCLIB file a guess;
                              ///< `.dat` files have no place for it
    const double *r;          ///< rows: a solution, or null; `.dat` files have no place for one
    const double *u;          ///< rows, or null
    const double *v;          ///< velocities, or null; not with a local problem
    pcs_file_storage storage; ///< storage of the matrices of a `.dat` file; others ignore it
    const char *title;        ///< a text; `.dat` files have no place for it
    const char *description;  ///< its author and origin
    const char *math_info;    ///< mathematical properties of the problem, free text
} pcs_file_content;

/// Writes a file with all digits of every number: reading it gives the same problem. The file
/// appears complete or not at all: it is written under another name in the same folder, flushed to
/// the disk, then renamed; after a failure an old file of that name is unchanged. (A path that is
/// not a regular file, such as /dev/stdout, is written directly.) PCS_ERR_UNSUPPORTED, with a
/// sentence, for a problem that the format cannot hold: a `.dat` file is an LCP, an MLCP, or
/// contacts of one dimension; an FCLIB file contacts of one dimension and, after these, equalities;
/// the text form holds everything. PCS_ERR_FILE: it cannot be written. PCS_ERR_ARG, PCS_ERR_SIZE:
/// the problem is not sound.
PCS_NODISCARD PCS_API pcs_status pcs_problem_file_write(const pcs_env *env, const char *path,
                                                        pcs_file_format format,
                                                        const pcs_file_content *content);

#ifdef __cplusplus
}
#endif

#endif
