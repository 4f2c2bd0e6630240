// ParaView: lists of files with their times (.pvd), and the files (.vtp, XML with the arrays as
// compressed bytes at the end). NAME.pvd shows bodies, NAME-contacts.pvd contacts,
// NAME-forces.pvd force elements as lines; the folder NAME-frames has a file of each for every
// frame, and one of the bodies that do not move.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/base.h"
#include "export/export_job.h"
#include "export/new_folder.h"
#include "export/vtk_data.h"
#include "problem_file/assemble.h"
#include "problem_file/json.h"
#include "problem_file/new_file.h"
#include "problem_file/sink.h"

enum { NAME_ROOM = 4400, BLOCK = 1 << 20 };

// ---- XML ---------------------------------------------------------------------------------------

// writes a text in an attribute; readers would take tabs and line ends as blanks
static void put_escaped(FILE *out, const char *words)
{
    for (const char *s = words; *s; ++s) {
        if (strchr("&<>\"'\t\n\r", *s)) {
            fprintf(out, "&#%d;", *s);
        } else {
            fputc(*s, out);
        }
    }
}

// XML is UTF-8 without control characters
static bool can_be_xml(const char *words)
{
    for (const unsigned char *s = (const unsigned char *)words; *s;) {
        const int n = utf8_length(s);
        if (n == 0 || (*s < 0x20 && !strchr("\t\n\r", *s))) return false;
        s += n;
    }
    return true;
}

static const char *byte_order(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1 ? "LittleEndian" : "BigEndian";
}

// ---- arrays as compressed bytes ----------------------------------------------------------------

// Head: number of blocks, bytes in a block, bytes in the last one if it is shorter, bytes of each
// deflated block; then the blocks.
static pcs_status put_bytes(sink *s, const void *bytes, size_t size)
{
    const size_t blocks = (size + BLOCK - 1) / BLOCK, head = (3 + blocks) * sizeof(uint64_t);
    uint64_t *number = calloc(3 + blocks, sizeof *number);
    unsigned char *deflated = malloc(compressBound(BLOCK));
    const size_t at = s->size;
    pcs_status status = number && deflated ? PCS_OK : pcs_fail_memory("pcs_trajectory_export");
    if (status == PCS_OK) {
        number[0] = blocks;
        number[1] = BLOCK;
        number[2] = size % BLOCK;
        sink_bytes(s, (const char *)number, head);
    }
    for (size_t i = 0; i < blocks && status == PCS_OK; ++i) {
        const size_t rest = size - i * BLOCK, n = rest < BLOCK ? rest : BLOCK;
        uLongf length = compressBound(BLOCK);
        if (compress2(deflated, &length, (const unsigned char *)bytes + i * BLOCK, n, 1) != Z_OK) {
            status = pcs_fail_memory("pcs_trajectory_export");
        }
        number[3 + i] = length;
        sink_bytes(s, (const char *)deflated, length);
    }
    if (status == PCS_OK && s->failed) status = pcs_fail_memory("pcs_trajectory_export");
    if (status == PCS_OK) memcpy(s->bytes + at, number, head);
    free(number);
    free(deflated);
    return status;
}

// writes the element of an array whose bytes follow at the end
static pcs_status put_array(FILE *out, sink *s, const char *type, const char *name, int width,
                            size_t rows, const void *bytes)
{
    fprintf(out,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
            "offset=\"%zu\"/>\n",
            type, name, width, s->size);
    return put_bytes(s, bytes, 4 * (size_t)width * rows);
}

static pcs_status put_cells(FILE *out, sink *s, const vtk_data *d)
{
    int32_t *end = malloc(((size_t)d->n_cells + 1) * sizeof *end);
    if (!end) return pcs_fail_memory("pcs_trajectory_export");
    for (int i = 0; i < d->n_cells; ++i) {
        end[i] = d->cell_points * (i + 1);
    }
    static const char *const elements[] = {[1] = "Verts", [2] = "Lines", [3] = "Polys"};
    const char *element = elements[d->cell_points];
    fprintf(out, "<%s>\n", element);
    const size_t corners = (size_t)d->cell_points * (size_t)d->n_cells;
    pcs_status status = put_array(out, s, "Int32", "connectivity", 1, corners, d->corner);
    if (status == PCS_OK) {
        status = put_array(out, s, "Int32", "offsets", 1, (size_t)d->n_cells, end);
    }
    fprintf(out, "</%s>\n", element);
    free(end);
    return status;
}

// writes the names of all bodies, by their number: characters, each name with a zero at its end
static pcs_status put_names(const export_job *job, FILE *out, sink *s)
{
    sink names = sink_begin(NULL);
    bool any = false;
    for (int body = 0; body < job->bodies; ++body) {
        const char *name = pcs_model_system_name(job->model, (pcs_system){body});
        any = any || (body > 0 && *name);
        sink_bytes(&names, name, strlen(name) + 1);
    }
    pcs_status status = names.failed ? pcs_fail_memory("pcs_trajectory_export") : PCS_OK;
    if (any && status == PCS_OK) {
        fprintf(out,
                "<DataArray type=\"String\" Name=\"name\" NumberOfTuples=\"%d\" "
                "format=\"appended\" offset=\"%zu\"/>\n",
                job->bodies, s->size);
        status = put_bytes(s, names.bytes, names.size);
    }
    sink_end(&names);
    return status;
}

static pcs_status put_data(const export_job *job, FILE *out, sink *s, const vtk_data *d, double t)
{
    const size_t rows = (size_t)d->n_points;
    fprintf(out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
            "byte_order=\"%s\" header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n"
            "<PolyData>\n<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" "
            "NumberOfTuples=\"1\" format=\"ascii\">",
            byte_order());
    put_real(out, t);
    fputs("</DataArray>\n", out);
    if (d->cell_points == 3) PCS_TRY(put_names(job, out, s));
    fputs("</FieldData>\n", out);
    fprintf(out,
            "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"%d\" "
            "NumberOfPolys=\"%d\">\n",
            d->n_points, d->cell_points == 1 ? d->n_cells : 0, d->cell_points == 2 ? d->n_cells : 0,
            d->cell_points == 3 ? d->n_cells : 0);
    fputs("<PointData>\n", out);
    for (int i = 0; i < d->n_arrays; ++i) {
        const vtk_array *a = &d->array[i];
        PCS_TRY(put_array(out, s, a->whole ? "Int32" : "Float32", a->name, a->width, rows, a->row));
    }
    fputs("</PointData>\n<Points>\n", out);
    PCS_TRY(put_array(out, s, "Float32", "Points", 3, rows, d->point));
    fputs("</Points>\n", out);
    PCS_TRY(put_cells(out, s, d));
    fputs("</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", out);
    fwrite(s->bytes ? s->bytes : "", 1, s->size, out);
    fputs("\n</AppendedData>\n</VTKFile>\n", out);
    return PCS_OK;
}

// ---- lists -------------------------------------------------------------------------------------

typedef struct pvd {
    const export_job *job;
    char folder_name[NAME_ROOM];
    char contacts_name[NAME_ROOM], forces_name[NAME_ROOM];
    new_folder folder;
    new_file bodies, contacts, forces_list; // the lists
    vtk_data fixed, moving, forces;
} pvd;

static void begin_list(FILE *out)
{
    fprintf(out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
            "byte_order=\"%s\">\n<Collection>\n",
            byte_order());
}

static void put_entry(const pvd *p, FILE *out, double t, int part, const char *file)
{
    const char *slash = strrchr(p->folder_name, '/');
    fputs("<DataSet timestep=\"", out);
    put_real(out, t);
    fprintf(out, "\" group=\"\" part=\"%d\" file=\"", part);
    put_escaped(out, slash ? slash + 1 : p->folder_name);
    fprintf(out, "/%s\"/>\n", file);
}

static void end_list(FILE *out)
{
    fputs("</Collection>\n</VTKFile>\n", out);
}

// A file in the new folder. It is not synced, as that would take longer than everything else.
static pcs_status write_part(const pvd *p, const char *file, const vtk_data *d, double t)
{
    char name[NAME_ROOM + 32];
    snprintf(name, sizeof name, "%s/%s", p->folder.name, file);
    errno = 0;
    FILE *out = fopen(name, "wb");
    sink s = sink_begin(NULL);
    pcs_status status = out ? put_data(p->job, out, &s, d, t) : PCS_ERR_FILE;
    sink_end(&s);
    const bool whole = out && fflush(out) == 0 && !ferror(out);
    const int error = errno;
    if ((out && fclose(out) != 0) || !whole) {
        status = fail_named(p->folder_name, PCS_ERR_FILE, "%s cannot be written: %s", file,
                            strerror(error));
    }
    return status;
}

static pcs_status write_frame(pvd *p, long k)
{
    char file[40];
    pcs_trajectory_frame frame;
    PCS_TRY(job_read(p->job, k, &frame));
    if (p->fixed.n_points > 0) {
        if (k == 0) {
            vtk_bodies_fill(p->job, false, &frame, &p->fixed);
            PCS_TRY(write_part(p, "fixed.vtp", &p->fixed, frame.t));
        }
        put_entry(p, p->bodies.f, frame.t, 0, "fixed.vtp");
    }
    if (p->moving.n_points > 0 || p->fixed.n_points == 0) {
        snprintf(file, sizeof file, "moving-%06ld.vtp", k);
        vtk_bodies_fill(p->job, true, &frame, &p->moving);
        PCS_TRY(write_part(p, file, &p->moving, frame.t));
        put_entry(p, p->bodies.f, frame.t, 1, file);
    }
    if (p->forces.n_points > 0) {
        snprintf(file, sizeof file, "forces-%06ld.vtp", k);
        vtk_forces_fill(p->job, &frame, &p->forces);
        PCS_TRY(write_part(p, file, &p->forces, frame.t));
        put_entry(p, p->forces_list.f, frame.t, 0, file);
    }
    if (!p->job->def.contacts) return PCS_OK;
    vtk_data contacts;
    snprintf(file, sizeof file, "contacts-%06ld.vtp", k);
    pcs_status status = vtk_contacts_create(&frame, &contacts);
    if (status == PCS_OK) status = write_part(p, file, &contacts, frame.t);
    vtk_data_release(&contacts);
    if (status == PCS_OK) put_entry(p, p->contacts.f, frame.t, 0, file);
    return status;
}

static pcs_status begin(pvd *p)
{
    const export_job *job = p->job;
    PCS_TRY(job_name_beside(job, "-", "frames", "", NAME_ROOM, p->folder_name));
    PCS_TRY(job_name_beside(job, "-", "contacts", ".pvd", NAME_ROOM, p->contacts_name));
    if (!can_be_xml(p->folder_name)) {
        return fail_named(job->path, PCS_ERR_FILE,
                          "its name has a control character, or is no UTF-8, which a .pvd cannot "
                          "state; choose another output");
    }
    PCS_TRY(new_file_begin(job->path, &p->bodies));
    if (p->bodies.name[0] == '\0') {
        return pcs_fail(PCS_ERR_FILE,
                        "%s: it is not a file; frames are files in a folder beside it", job->path);
    }
    begin_list(p->bodies.f);
    if (job->def.contacts) {
        PCS_TRY(new_file_begin(p->contacts_name, &p->contacts));
        begin_list(p->contacts.f);
    }
    PCS_TRY(job_name_beside(job, "-", "forces", ".pvd", NAME_ROOM, p->forces_name));
    PCS_TRY(vtk_forces_create(job, &p->forces));
    if (p->forces.n_points > 0) {
        PCS_TRY(new_file_begin(p->forces_name, &p->forces_list));
        begin_list(p->forces_list.f);
    }
    PCS_TRY(new_folder_begin(p->folder_name, ".vtp", &p->folder));
    PCS_TRY(vtk_bodies_create(job, false, &p->fixed));
    return vtk_bodies_create(job, true, &p->moving);
}

// Lists and folder take their places when all is written, the folder first. A lock keeps other
// exports of this name out.
static pcs_status end(pvd *p, pcs_status status)
{
    if (status == PCS_OK) {
        end_list(p->bodies.f);
        if (p->contacts.f) end_list(p->contacts.f);
        if (p->forces_list.f) end_list(p->forces_list.f);
        status = new_file_check(&p->bodies);
    }
    if (status == PCS_OK && p->contacts.f) status = new_file_check(&p->contacts);
    if (status == PCS_OK && p->forces_list.f) status = new_file_check(&p->forces_list);
    const bool forces = p->forces_list.f != NULL;
    const int lock = status == PCS_OK ? place_lock(p->folder_name) : -1;
    const pcs_status folder = new_folder_end(&p->folder, status == PCS_OK);
    if (status == PCS_OK) status = folder;
    const pcs_status contacts = new_file_end(&p->contacts, status == PCS_OK);
    if (status == PCS_OK) status = contacts;
    const pcs_status lines = new_file_end(&p->forces_list, status == PCS_OK);
    if (status == PCS_OK) status = lines;
    const pcs_status bodies = new_file_end(&p->bodies, status == PCS_OK);
    if (status == PCS_OK) status = bodies;
    if (status == PCS_OK && !p->job->def.contacts) {
        status = job_remove_beside(p->job, "-", "contacts", ".pvd");
    }
    if (status == PCS_OK && !forces) status = job_remove_beside(p->job, "-", "forces", ".pvd");
    place_unlock(lock);
    return status;
}

pcs_status export_pvd(const export_job *job)
{
    pvd *p = calloc(1, sizeof *p);
    if (!p) return pcs_fail_memory("pcs_trajectory_export");
    p->job = job;
    pcs_status status = begin(p);
    for (long k = 0; k < job->frames && status == PCS_OK; ++k) {
        status = write_frame(p, k);
    }
    status = end(p, status);
    vtk_data_release(&p->fixed);
    vtk_data_release(&p->moving);
    vtk_data_release(&p->forces);
    free(p);
    return status;
}
