// The statuses of the contacts of a solution, and its certificate.
#ifndef COMMAND_STATUS_H
#define COMMAND_STATUS_H

#include <percuss/certificate.h>

#include "command/bench_run.h"
#include "command/setup.h"
#include "problem_file/json.h"

// the requested results; free with certificate_free
typedef struct certificate {
    bool ranks, intervals;
    const double *stiffness; // n, borrowed: springs_read; or null
    int nb, n;
    pcs_contact_status *status;  // nb
    double *margin, *low, *high; // nb; low and high null unless requested
    double *least;               // n, or null
    double *elastic;             // n, null without stiffness
    pcs_elastic_report shared;   // of elastic
    bool refute;                 // requested: a proof that there is no solution
    double *proof, closing;      // n, null when there is none
    pcs_certificate found;
} certificate;

// The stiffness of every row: --springs is the ratio of tangential to normal springs, or a file of
// n numbers. False after a line on stderr
bool springs_read(const char *springs, const opened *in, double *out);

// Judges r, good to `tol`, and fills open, closed, stick, slide and undecided of *out. False when
// the library refuses: pcs_error_text.
bool certificate_make(const opened *in, double tol, const double *r, certificate *c, run *out);
void certificate_free(certificate *c);

// prints a line, and one per block with intervals
void certificate_print(const certificate *c, const opened *in);
// says of a solve that did not converge whether there is a proof that there is no solution, else
// how far the paths of homotopy came
void certificate_print_unsolved(const certificate *c, const opened *in, const run *x,
                                const pcs_report *y);
// writes the proof as a member of an open object
void certificate_proof_json(json *j, const certificate *c);
// writes the certificate as a member of an open object
void certificate_json(json *j, const certificate *c);

#endif
