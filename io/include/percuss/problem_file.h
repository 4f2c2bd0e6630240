/// @file
/// Reading problems from the text files of the field (doc/files.md): LCP, MLCP and local friction
/// (FC3D, FC2D) `.dat` files with a dense, a block-sparse or a sparse matrix.
///
///     pcs_problem_file *file;
///     PCS_TRY(pcs_problem_file_read(NULL, "lcp_CPS_1.dat", PCS_FILE_ANY, &file));
///     PCS_TRY(pcs_solve_alloc(NULL, &file->problem, NULL, r, u, &report));
///     pcs_problem_file_destroy(file);
#ifndef PERCUSS_PROBLEM_FILE_H
#define PERCUSS_PROBLEM_FILE_H

#include <percuss/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a file holds.
#define PCS_FILE_KIND_LIST(X) \
    X(PCS_FILE_ANY, "any")    \
    X(PCS_FILE_LCP, "lcp")    \
    X(PCS_FILE_MLCP, "mlcp")  \
    X(PCS_FILE_FC3D, "fc3d")  \
    X(PCS_FILE_FC2D, "fc2d")

/// PCS_FILE_ANY, as an argument, asks for the kind to be recognised; a file never has it.
typedef enum pcs_file_kind {
#define X(id, text) id,
    PCS_FILE_KIND_LIST(X)
#undef X
} pcs_file_kind;

/// The word of a kind, never null.
PCS_API const char *pcs_file_kind_text(pcs_file_kind kind);

/// How a file writes its matrix; the problem keeps that storage.
typedef enum pcs_file_storage {
    PCS_FILE_DENSE,  ///< one block
    PCS_FILE_BLOCKS, ///< block-sparse, the blocks of the file
    PCS_FILE_SPARSE  ///< entries; six digits each, as such files are written
} pcs_file_storage;

/// A problem and the memory it lives in.
typedef struct pcs_problem_file {
    pcs_problem problem;      ///< borrows from this object
    pcs_file_kind kind;       ///< what was asked for, or recognised; never PCS_FILE_ANY
    int recognised;           ///< 1 if the kind was asked for as PCS_FILE_ANY
    pcs_file_storage storage; ///< of the matrix
    int has_matrix; ///< 1 if the file has the form (M, q); always for an LCP and for friction
    int has_parts;  ///< 1 if it has the form (A, B, C, D, a, b)
    int equalities; ///< rows w = 0
    int complementarities;   ///< rows 0 <= z _|_ w >= 0
    int contacts;            ///< with friction; each has a Coulomb block of three or two rows
    struct pcs_pool *memory; ///< private
} pcs_problem_file;

/// Reads a file. `kind` PCS_FILE_ANY recognises it by its first numbers, or fails with
/// PCS_ERR_FORMAT where these fit more than one kind. PCS_ERR_FILE: it cannot be read.
/// PCS_ERR_FORMAT: it is malformed. PCS_ERR_SIZE: sizes disagree, or claim more than the file
/// holds. The sentence names file, line, what was expected and what was found. Memory beyond the
/// text itself stays below a fixed multiple of the size of the file, whatever its header says.
/// `out` is null after a failure; else release it with pcs_problem_file_destroy.
///
/// Rows keep the order of the file. An equality block becomes one block of the problem, split
/// where a block row of the matrix ends (the blocks of a sparse matrix are the equality blocks
/// where these are small enough, else single entries). When an MLCP file has both forms they
/// are compared, to the number of digits that such files carry; (M, q) is used. What follows
/// the problem (a comment, a reference solution) is ignored. A global friction problem may begin
/// like a local one; where the kind is only recognised, the header of a second matrix gives it
/// away.
PCS_NODISCARD PCS_API pcs_status pcs_problem_file_read(const pcs_env *env, const char *path,
                                                       pcs_file_kind kind, pcs_problem_file **out);

/// As pcs_problem_file_read from `size` bytes of text, not kept, no final zero needed. `name`
/// stands for the path in sentences (null: "text").
PCS_NODISCARD PCS_API pcs_status pcs_problem_file_parse(const pcs_env *env, const char *text,
                                                        size_t size, const char *name,
                                                        pcs_file_kind kind, pcs_problem_file **out);

/// Accepts null.
PCS_API void pcs_problem_file_destroy(pcs_problem_file *file);

#ifdef __cplusplus
}
#endif

#endif
