// Malformed and hostile problem files: every mistake has its sentence, and no file does harm.
#include "problem_texts.h"

// ---- malformed ---------------------------------------------------------------------------------

#define TRIPLETS "1 2 1 1 1\nCSparse\n"
#define COLUMNS  "2 2 2 2 2\nCSparse\n2-by-2, nzmax: 2 nnz: 2, 1-norm: 1\n"

static const struct {
    pcs_file_kind kind;
    const char *text;
    pcs_status status;
    const char *says;
} malformed[] = {
    {PCS_FILE_LCP, "", PCS_ERR_FORMAT, "end of the file"},
    {PCS_FILE_LCP, "x", PCS_ERR_FORMAT, "found 'x'"},
    {PCS_FILE_LCP, "-1", PCS_ERR_SIZE, "n, the number of rows is -1"},
    {PCS_FILE_LCP, "2147483648", PCS_ERR_SIZE, "2147483647"},
    {PCS_FILE_LCP, "2147483647 0 2147483647 2147483647", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_LCP, "1 3 1 1 1 1 1 1", PCS_ERR_FORMAT, "type of the matrix is 3"},
    {PCS_FILE_LCP, "1 0 1 2 1 2 1 1 1", PCS_ERR_SIZE, "M is 1 x 2"},
    {PCS_FILE_LCP, "1 0 2 1 2 1 1 1 1", PCS_ERR_SIZE, "over-determined"},
    {PCS_FILE_LCP, "1 0 1 1 2 1 1 1", PCS_ERR_SIZE, "first 1 x 1, then 2 x 1"},
    {PCS_FILE_LCP, "1 0 1 1 1 1 nan 1", PCS_ERR_FORMAT, "found 'nan'"},
    {PCS_FILE_LCP, "1 0 1 1 1 1 1 inf", PCS_ERR_FORMAT, "q: number 1 of 1"},
    {PCS_FILE_LCP, "1 0 1 1 1 1 1e999 1", PCS_ERR_FORMAT, "range of a double"},
    {PCS_FILE_LCP, "1 0 1 1 1 1 1", PCS_ERR_SIZE, "q: 1 numbers are to follow"},
    {PCS_FILE_LCP, "1 0 1 1 1 1 1   ", PCS_ERR_FORMAT, "end of the file"},
    {PCS_FILE_LCP, "1 0 1 1 1 1 1,5 1", PCS_ERR_FORMAT, "found '1,5'"},
    {PCS_FILE_LCP, "1 0 1 65536 65536 65536 1 1", PCS_ERR_SIZE, ""},
    {PCS_FILE_LCP, "1 0 65536 65536 65536 65536 1 1", PCS_ERR_SIZE, "4294967296 numbers"},

    // blocks
    {PCS_FILE_LCP, "2 1 2 2 1 1 1  3  2  2 1  0 1  0  0 1 2 3 4  1 1", PCS_ERR_SIZE,
     "the last is 3"},
    {PCS_FILE_LCP, "2 1 2 2 1 2 1  1 1  2  3 1  0 1 1  0  0 1 2  1 1", PCS_ERR_FORMAT,
     "must increase"},
    {PCS_FILE_LCP, "2 1 2 2 1 1 1  -2  2  2 1  0 1  0  0 1 2 3 4  1 1", PCS_ERR_FORMAT, "is -2"},
    {PCS_FILE_LCP, "2 1 2 2 1 1 2  2  1 2  2 1  0 1  0  0 1 2  1 1", PCS_ERR_SIZE, "differ"},
    {PCS_FILE_LCP, "2 1 2 2 1 2 2  1 2  1 2  4 1  0 1 1 1  0  0 1  1 1", PCS_ERR_FORMAT,
     "row pointers is 4"},
    {PCS_FILE_LCP, "2 1 2 2 1 2 2  1 2  1 2  3 2  0 1 2  0 1  0 1  1 1", PCS_ERR_SIZE,
     "1 blocks, then 2"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  0 3 2  0 1  0 1 1 1  1 1", PCS_ERR_FORMAT,
     "row pointer is 3"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  1 2 2  0 1  0 1 1 1  1 1", PCS_ERR_FORMAT,
     "start at 0"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  0 1 1  0 1  0 1 1 1  1 1", PCS_ERR_FORMAT,
     "must be 2"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  0 2  0 1  0 1 1 1  1 1", PCS_ERR_SIZE,
     "with 0 pointers"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  0 1 2  0 2  0 1 1 1  1 1", PCS_ERR_FORMAT,
     "column of a block is 2"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  0 2 2  1 1  0 1 1 1  1 1", PCS_ERR_FORMAT,
     "stored twice"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  0 1 2  0 1  0 1 2 1  1 1", PCS_ERR_FORMAT,
     "next block is 2"},
    {PCS_FILE_LCP, "2 1 2 2 2 2 2  1 2  1 2  3 2  0 1 2  0 1  0 1 1 x  1 1", PCS_ERR_FORMAT,
     "block 1 of M"},
    {PCS_FILE_LCP, "2 1 2 2 2147483647 2 2  1 2  1 2  3 2147483647  0 1 2147483647  0 1",
     PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_LCP, "2 1 2 2 1 2147483647 2147483647  1 2", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_LCP, "1 1 1000000 1000000 1 1 1  1000000  1000000  2 1  0 1  0  0 1 2", PCS_ERR_SIZE,
     "1000000000000 numbers"},

    // sparse
    {PCS_FILE_LCP, "1 2 1 1 5\nx\n", PCS_ERR_FORMAT, "origin of the sparse matrix is 5"},
    {PCS_FILE_LCP, HALF "2 nnz: 2\n 0 1 : 1\n 1 0 : 1\n 1 1", PCS_ERR_FORMAT, "both sides"},
    {PCS_FILE_GFC2D,
     "2 1 0 1 1 1 1 1  2 1 2 4\n\ntriplet: 1-by-2, nzmax: 1 nnz: 1\n0 0 : 1\n 1  0 0  0.5",
     PCS_ERR_SIZE, "is symmetric, but H is 1 x 2"},
    {PCS_FILE_LCP, "1 2 1 1 1 x\n", PCS_ERR_FORMAT, "end of the line"},
    {PCS_FILE_LCP, "1 2 1 1 1", PCS_ERR_FORMAT, "another line"},
    {PCS_FILE_LCP, TRIPLETS "1-by-1, nzmax: 1 nnz: 1\n 0 0 : 1\n1", PCS_ERR_FORMAT, "'triplet:'"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-2, nzmax: 1 nnz: 1\n 0 0 : 1\n1", PCS_ERR_SIZE,
     "then 1 x 2"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1 by 1, nzmax: 1 nnz: 1\n 0 0 : 1\n1", PCS_ERR_FORMAT,
     "-by-"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 1 nnz: 2147483647\n 0 0 : 1\n1", PCS_ERR_SIZE,
     "bytes are left"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 1 nnz: -1\n 0 0 : 1\n1", PCS_ERR_FORMAT,
     "number of entries is -1"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 1 nnz: 1\n 1 0 : 1\n1", PCS_ERR_FORMAT,
     "row of an entry is 1"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 1 nnz: 1\n 0 -1 : 1\n1", PCS_ERR_FORMAT,
     "column of an entry is -1"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 1 nnz: 1\n 0 0 = 1\n1", PCS_ERR_FORMAT, ":"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 1 nnz: 1\n 0 0 : inf\n1", PCS_ERR_FORMAT,
     "value of an entry"},
    {PCS_FILE_LCP, TRIPLETS "triplet: 1-by-1, nzmax: 2 nnz: 2\n 0 0 : 1e308\n 0 0 : 1e308\n1",
     PCS_ERR_FORMAT, "the sum of the entries"},
    {PCS_FILE_LCP, COLUMNS "col 1 : locations 0 to 1\n 0 : 1\n 1 : 1\n", PCS_ERR_FORMAT,
     "next column is 1"},
    {PCS_FILE_LCP, COLUMNS "col 0 : locations 1 to 1\n 0 : 1\n 1 : 1\n", PCS_ERR_FORMAT,
     "first location is 1"},
    {PCS_FILE_LCP, COLUMNS "col 0 : locations 0 to 2\n 0 : 1\n 1 : 1\n 1 1", PCS_ERR_FORMAT,
     "last location is 2"},
    {PCS_FILE_LCP, COLUMNS "col 0 : locations 0 to -2\n 0 : 1\n 1 : 1\n", PCS_ERR_FORMAT,
     "last location is -2"},
    {PCS_FILE_LCP, COLUMNS "col 0 : locations 0 to 0\n 2 : 1\n col 1 : locations 1 to 1\n 1 : 1",
     PCS_ERR_FORMAT, "index of an entry is 2"},
    {PCS_FILE_LCP, COLUMNS "col 0 : locations 0 to 0\n 0 : 1\n col 1 : locations 1 to 0\n 1 1",
     PCS_ERR_SIZE, "its columns hold 1"},
    {PCS_FILE_LCP, COLUMNS "row 0 : locations 0 to 0\n 0 : 1\n row 1 : locations 1 to 0\n 1 1",
     PCS_ERR_FORMAT, "'col'"},

    // MLCP
    {PCS_FILE_MLCP, "0 0 1 1", PCS_ERR_FORMAT, "neither form"},
    {PCS_FILE_MLCP, "2 0 1 1", PCS_ERR_FORMAT, "is 2"},
    {PCS_FILE_MLCP, "1 1 -1 1", PCS_ERR_SIZE, "n, the number of equalities is -1"},
    {PCS_FILE_MLCP, "1 1 2147483647 2147483647 0", PCS_ERR_SIZE, "more rows"},
    {PCS_FILE_MLCP, "0 1 1073741824 1073741823 0", PCS_ERR_SIZE, "more rows"},
    {PCS_FILE_MLCP, "0 1 100000 100000 0 1 2 3", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_MLCP, "0 1 1 2 1 2 3 4 5 6 7", PCS_ERR_SIZE, "A, B, C and D: 9 numbers"},
    {PCS_FILE_MLCP, "1 0 1 1  1 2  0 1", PCS_ERR_FORMAT, "first row block is 1"},
    {PCS_FILE_MLCP, "1 0 1 1  0 3  0 1", PCS_ERR_FORMAT, "end of a row block is 3"},
    {PCS_FILE_MLCP, "1 0 2 1  0 2 1 3  0 1 0", PCS_ERR_FORMAT, "end of a row block is 1"},
    {PCS_FILE_MLCP, "1 0 1 1  0 1 2  0 2", PCS_ERR_FORMAT, "kind of a row block is 2"},
    {PCS_FILE_MLCP, "1 0 1 1  0 1 2  1 1", PCS_ERR_SIZE, "0 equality rows"},
    {PCS_FILE_MLCP, "1 0 1 1  0 2  0", PCS_ERR_SIZE, "2 equality rows"},
    {PCS_FILE_MLCP, "1 0 1 1  0 1 2  0 1  0 3 2 3 2  1 2 3 4 5 6  1 2", PCS_ERR_SIZE,
     "over-determined"},
    {PCS_FILE_MLCP, "1 0 1 1  0 1 2  0 1  0 1 1 1 1  1  1 2", PCS_ERR_SIZE, "M is 1 x 1"},
    {PCS_FILE_MLCP, MLCP_11, PCS_ERR_SIZE, "A, B, C and D"},
    {PCS_FILE_MLCP, MLCP_11 " 1 1 -1 0  -1", PCS_ERR_SIZE, "b: 1 numbers"},
    {PCS_FILE_MLCP, MLCP_11 " 1 1 -1 x  -1 1", PCS_ERR_FORMAT, "an entry of D"},
    {PCS_FILE_MLCP, MLCP_11 " 2 1 -1 0  -1 1", PCS_ERR_FORMAT, "M(0, 0) is 1, but A(0, 0) is 2"},
    {PCS_FILE_MLCP, MLCP_11 " 1 3 -1 0  -1 1", PCS_ERR_FORMAT, "M(1, 1) is 1, but B(0, 0) is 3"},
    {PCS_FILE_MLCP, MLCP_11 " 1 1 -2 0  -1 1", PCS_ERR_FORMAT, "M(0, 1) is -1, but C(0, 0) is -2"},
    {PCS_FILE_MLCP, MLCP_11 " 1 1 -1 4  -1 1", PCS_ERR_FORMAT, "M(1, 0) is 0, but D(0, 0) is 4"},
    {PCS_FILE_MLCP, MLCP_11 " 1 1 -1 0  -2 1", PCS_ERR_FORMAT, "q(0) is -1, but a(0) is -2"},
    {PCS_FILE_MLCP, MLCP_11 " 1 1 -1 0  -1 0", PCS_ERR_FORMAT, "q(1) is 1, but b(0) is 0"},

    // global friction
    {PCS_FILE_GFC2D, "2 1 0 2 3 2 3 1 0 0 1 1 1", PCS_ERR_SIZE, "M is 2 x 3"},
    {PCS_FILE_GFC2D, "2 1 0 1 1 1 1 1  0 2 1 2 1 1 1", PCS_ERR_SIZE, "H is 2 x 1"},
    {PCS_FILE_GFC2D, "2 1 0 1 1 1 1 0  0 1 2 1 2 1 1  1  0 0  0.5", PCS_ERR_SINGULAR, "singular"},
    {PCS_FILE_GFC2D, "2 1 0 1 1 1 1 1  0 1 2 1 2 1 1  1  0 0  -1", PCS_ERR_FORMAT, "mu of contact"},
    {PCS_FILE_GFC2D, "2 1 0 1 1 1 1 1  0 1 2 1 2 1 1  1  0", PCS_ERR_FORMAT, "b: number 2 of 2"},
    {PCS_FILE_GFC3D, "3 2147483647 0 1 1", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_ANY, " \n", PCS_ERR_FORMAT, "the file is empty"},
    {PCS_FILE_ANY, "3 2 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 0 0 -1 0 0 1 1", PCS_ERR_FORMAT,
     "2 contacts has 6 rows, not 3"},
    {PCS_FILE_ANY, "5 1 0 5 5", PCS_ERR_UNSUPPORTED, "rolling"},
    {PCS_FILE_ANY, "5 2 0 10 10", PCS_ERR_UNSUPPORTED, "rolling"},

    // the form of percuss
    {PCS_FILE_ANY, OWN "2", PCS_ERR_FORMAT, "version of the form is 2"},
    {PCS_FILE_ANY, OWN "1 W", PCS_ERR_FORMAT, "the word local, global or bodies, found 'W'"},
    {PCS_FILE_ANY, OWN "1 local\ncones -1", PCS_ERR_SIZE, "number of cones is -1"},
    {PCS_FILE_ANY, OWN "1 local cones 2147483647", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_ANY, OWN "1 local cones 1\ncone 3 0.5", PCS_ERR_FORMAT, "a cone: coulomb"},
    {PCS_FILE_ANY, OWN "1 local cones 1\ncoulomb 4 0.5", PCS_ERR_FORMAT, "a contact is 4"},
    {PCS_FILE_ANY, OWN "1 local cones 1\ncoulomb 3 -1", PCS_ERR_FORMAT, "mu is -1"},
    {PCS_FILE_ANY, OWN "1 local cones 1\ncoulomb 3 nan", PCS_ERR_FORMAT, "mu, found 'nan'"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nequality 2147483647", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W dense 2 2 1 0 0 1", PCS_ERR_SIZE,
     "must be 1 x 1"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W full 1 1 1", PCS_ERR_FORMAT,
     "dense, entries or blocks"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W entries 1 1 1 0 1 5", PCS_ERR_FORMAT,
     "column of an entry is 1"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W entries 1 1 2 0 0 1e308 0 0 1e308 q 1 end",
     PCS_ERR_FORMAT, "the sum of the entries"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W blocks 1 1 1 0 1 0 0 1 q 1", PCS_ERR_FORMAT,
     "height of a block row is 0"},
    {PCS_FILE_ANY, OWN "1 local cones 2\nunilateral unilateral W blocks 2 2 2 1 1 1 1 0 1 1 0 0 1",
     PCS_ERR_FORMAT, "out of order"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nequality 2 W blocks 2 2 1 1 1 1 1 0 0 1 q 1 1 end",
     PCS_ERR_SIZE, ""},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W dense 1 1 1 q 1 x", PCS_ERR_FORMAT,
     "r, u or end"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W dense 1 1 1 q 0x q", PCS_ERR_FORMAT,
     "found '0x'"},
    {PCS_FILE_ANY, OWN "1 local cones 1\nunilateral W dense 1 1 1 q 0x1p9999 end", PCS_ERR_FORMAT,
     "range of a double"},
    {PCS_FILE_LCP, OWN "1 local cones 1\nequality 1 W dense 1 1 1 q 1 end", PCS_ERR_FORMAT,
     "kind mlcp, not lcp"},
    {PCS_FILE_ANY, OWN "1 global cones 1\nunilateral M dense 1 2 1 1", PCS_ERR_SIZE, "M is 1 x 2"},
    {PCS_FILE_ANY, OWN "1 global cones 1\nunilateral M dense 1 1 0 H dense 1 1 1 f 1 w 1 end",
     PCS_ERR_SINGULAR, "singular"},

    // friction
    {PCS_FILE_FC3D, "", PCS_ERR_FORMAT, "the dimension"},
    {PCS_FILE_FC3D, "2 1 0 2 2 2 2 1 0 0 1 1 1 0", PCS_ERR_FORMAT, "dimension is 2"},
    {PCS_FILE_FC2D, "3 1 0", PCS_ERR_FORMAT, "dimension is 3"},
    {PCS_FILE_FC2D, "2 -1 0", PCS_ERR_SIZE, "number of contacts is -1"},
    {PCS_FILE_FC2D, "2 2147483647 0 2 2", PCS_ERR_SIZE, "bytes are left"},
    {PCS_FILE_FC2D, "2 1 0 3 3 3 3 1 2 3 4 5 6 7 8 9 1 1 0", PCS_ERR_SIZE, "W is 3 x 3"},
    {PCS_FILE_FC2D, "2 1 0 2 2 2 2 1 0 0 1 1", PCS_ERR_SIZE, "q: 2 numbers"},
    {PCS_FILE_FC2D, "2 1 0 2 2 2 2 1 0 0 1 1 x 0", PCS_ERR_FORMAT, "q: number 2 of 2"},
    {PCS_FILE_FC2D, "2 1 0 2 2 2 2 1 0 0 1 1 1", PCS_ERR_SIZE, "mu: 1 numbers"},
    {PCS_FILE_FC2D, "2 1 0 2 2 2 2 1 0 0 1 1 1 nan", PCS_ERR_FORMAT, "mu, a number"},
    {PCS_FILE_FC2D, "2 1 0 2 2 2 2 1 0 0 1 1 1 -0.5", PCS_ERR_FORMAT, "mu of contact 0 is -0.5"},
    {PCS_FILE_FC2D, "2 1 1 2 2 2 2 2  1 2  1 2  3 2  0 1 2  0 1  0 1 1 1  1 1  0", PCS_ERR_SIZE,
     "within contact 0"},
    {PCS_FILE_FC2D, "2 1 1 2 2 1 1 2  2  1 2  2 1  0 1  0  0 1 2  1 1 0", PCS_ERR_SIZE, "differ"},
};

TEST(malformed_files_are_refused_with_words)
{
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; ++i) {
        pcs_problem_file *f = (pcs_problem_file *)1;
        const pcs_status status = parse(malformed[i].text, malformed[i].kind, &f);
        ck_assert_msg(status == malformed[i].status, "%s\ngave: %s: %s", malformed[i].text,
                      pcs_status_text(status), status != PCS_OK ? pcs_error_text() : "");
        ck_assert_ptr_null(f);
        ck_assert_msg(strstr(pcs_error_text(), malformed[i].says), "%s\nsaid: %s\nnot: %s",
                      malformed[i].text, pcs_error_text(), malformed[i].says);
        ck_assert_msg(strncmp(pcs_error_text(), "t:", 2) == 0, "%s", pcs_error_text());
    }
    // the pair without a disagreement is accepted
    pcs_problem_file *f;
    CK_OK(parse(MLCP_11 " 1 1 -1 0  -1 1", PCS_FILE_MLCP, &f));
    pcs_problem_file_destroy(f);
}

TEST(null_arguments_are_refused)
{
    pcs_problem_file *f;
    CK_FAILS(pcs_problem_file_parse(NULL, NULL, 3, NULL, PCS_FILE_LCP, &f), PCS_ERR_ARG);
    CK_FAILS(pcs_problem_file_parse(NULL, "1", 1, NULL, PCS_FILE_LCP, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_problem_file_parse(NULL, NULL, 0, NULL, PCS_FILE_LCP, &f), PCS_ERR_FORMAT);
    CK_FAILS(pcs_problem_file_read(NULL, NULL, PCS_FILE_LCP, &f), PCS_ERR_ARG);
    CK_FAILS(pcs_problem_file_read(NULL, "x", PCS_FILE_LCP, NULL), PCS_ERR_ARG);
    pcs_problem_file_destroy(NULL);
}

TEST(files_that_cannot_be_read_are_named)
{
    pcs_problem_file *f;
    CK_SAYS(pcs_problem_file_read(NULL, "no/such/file.dat", PCS_FILE_ANY, &f), PCS_ERR_FILE,
            "no/such/file.dat");
    CK_FAILS(pcs_problem_file_read(NULL, PERCUSS_TEST_DATA, PCS_FILE_ANY, &f), PCS_ERR_FILE);
    ck_assert_ptr_null(f);

    // the message shows the end of a path that is too long
    char longer[900];
    memset(longer, 'x', sizeof longer);
    strcpy(longer + 880, "/end.dat");
    CK_SAYS(pcs_problem_file_parse(NULL, "q", 1, longer, PCS_FILE_LCP, &f), PCS_ERR_FORMAT,
            "/end.dat:1: expected n");
}

// ---- hostile -----------------------------------------------------------------------------------

TEST(a_file_cut_anywhere_is_a_problem_or_an_error)
{
    int read = 0;
    for (int i = 0; i < N_FILES; ++i) {
        size_t size;
        char *bytes = bytes_of(all_files[i], &size);
        for (size_t cut = 0; cut <= size; ++cut) {
            // memory of its own, so that the sanitizers see any read beyond the cut
            char *part = malloc(cut + 1);
            ck_assert_ptr_nonnull(part);
            memcpy(part + 1, bytes, cut);
            const char *wrong = read_as_every_kind(part + 1, cut, &read);
            ck_assert_msg(!wrong, "%s cut at %zu: %s", all_files[i], cut, wrong);
            free(part);
        }
        free(bytes);
    }
    ck_assert_int_ge(read, 2 * N_FILES);
}

TEST(huge_sizes_take_no_memory)
{
    // each integer of each file becomes each of these values
    static const char *const huge[] = {
        "2147483647", "2147483646", "-2147483648", "4294967297", "99999999999999999999",
        "65536",      "1000000",    "-1",          "0"};
    int read = 0;
    for (int i = 0; i < N_FILES; ++i) {
        size_t size;
        char *bytes = bytes_of(all_files[i], &size);
        for (size_t at = 0; at < size; ++at) {
            const bool starts =
                (at == 0 || strchr(" \t\n", bytes[at - 1])) && bytes[at] >= '0' && bytes[at] <= '9';
            if (!starts) continue;
            size_t end = at;
            while (end < size && bytes[end] >= '0' && bytes[end] <= '9') {
                ++end;
            }
            for (size_t h = 0; h < sizeof huge / sizeof *huge; ++h) {
                char *text = malloc(size + 32);
                ck_assert_ptr_nonnull(text);
                const size_t n = strlen(huge[h]);
                memcpy(text, bytes, at);
                memcpy(text + at, huge[h], n);
                memcpy(text + at + n, bytes + end, size - end);
                const char *wrong = read_as_every_kind(text, at + n + size - end, &read);
                ck_assert_msg(!wrong, "%s with %s at %zu: %s", all_files[i], huge[h], at, wrong);
                free(text);
            }
        }
        free(bytes);
    }
}

// words that a mutation may insert
static const char *const words[] = {"0",          "1",      "-1",        "2",     "3",       "4",
                                    "2147483647", "nan",    "inf",       "1e308", "\n",      " ",
                                    ":",          "row",    "col",       "to",    "-by-",    ",",
                                    "nnz:",       "nzmax:", ".",         "e",     "\r\n",    "\t",
                                    "-",          "+",      "locations", "0 0 ",  "triplet:"};

static size_t mutate(test_random *r, const char *from, size_t size, char *to)
{
    memcpy(to, from, size);
    for (int times = 1 + (int)(4 * random_unit(r)); times > 0 && size > 0; --times) {
        const size_t at = (size_t)(random_unit(r) * (double)size);
        size_t n = (size_t)(random_unit(r) * 12);
        if (n > size - at) n = size - at;
        switch ((int)(random_unit(r) * 5)) {
        case 0: // another byte
            to[at] = (char)(256 * random_unit(r) - 128);
            break;
        case 1: // another digit
            to[at] = (char)('0' + (int)(10 * random_unit(r)));
            break;
        case 2: // a piece is removed
            memmove(to + at, to + at + n, size - at - n);
            size -= n;
            break;
        case 3: // a piece comes twice
            memmove(to + at + n, to + at, size - at);
            size += n;
            break;
        default: { // a word is inserted
            const char *word = words[(size_t)(random_unit(r) * (sizeof words / sizeof *words))];
            n = strlen(word);
            memmove(to + at + n, to + at, size - at);
            memcpy(to + at, word, n);
            size += n;
        }
        }
    }
    return size;
}

TEST(mutations_of_good_files_never_do_harm)
{
    enum { PER_FILE = TEST_FEW(1000, 4000) };
    test_random r = random_seed(20);
    int read = 0;
    for (int i = 0; i < N_FILES; ++i) {
        size_t size;
        char *bytes = bytes_of(all_files[i], &size);
        for (int k = 0; k < PER_FILE; ++k) {
            char *text = malloc(size + 100);
            ck_assert_ptr_nonnull(text);
            const size_t n = mutate(&r, bytes, size, text);
            const char *wrong = read_as_every_kind(text, n, &read);
            ck_assert_msg(!wrong, "%s, mutation %d: %s\n%.*s", all_files[i], k, wrong, (int)n,
                          text);
            free(text);
        }
        free(bytes);
    }
    // some survive; otherwise the mutations would test nothing beyond the first line
    ck_assert_int_ge(read, N_FILES * PER_FILE / 10);
}

TEST(every_allocation_may_fail)
{
    for (int i = 0; i < N_FILES; ++i) {
        bool done = false;
        for (long k = 0; !done; ++k) {
            ck_assert_int_lt(k, 100);
            test_memory memory = {.fail_at = k};
            const pcs_env env = test_env(&memory);
            pcs_problem_file *f;
            const pcs_status status =
                pcs_problem_file_read(&env, path_of(all_files[i]), PCS_FILE_ANY, &f);
            done = status == PCS_OK;
            if (!done) {
                ck_assert_msg(status == PCS_ERR_MEMORY, "%s: allocation %ld: %s", all_files[i], k,
                              pcs_error_text());
                ck_assert_ptr_null(f);
            }
            pcs_problem_file_destroy(f);
            ck_assert_int_eq(memory.live, 0);
        }
    }
}
