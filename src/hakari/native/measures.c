#include "native.h"
#include <string.h>

/* A bit for each judged document of a query, by the low bits of its row: nearly every ranked document is
   dismissed by one load from the first-level cache, and only the others are searched for. */
#define FILTER_BITS 32768u
#define FILTER_WORD(row) (((uint32_t)(row) & (FILTER_BITS - 1)) >> 6)
#define FILTER_BIT(row) (1ull << ((uint32_t)(row) & 63))

static int64_t position_of(const int32_t *judged, int64_t low, int64_t high, int32_t row) {
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (judged[middle] < row) low = middle + 1;
        else high = middle;
    }
    return low;
}

typedef struct {
    const int32_t *ranked;
    const int64_t *starts, *ends;
    const int32_t *judged;
    const int64_t *offsets;
    int64_t queries, room;
    int64_t *judgement, *rank;
} Lookup;

/* Counts all finds and writes down those for which there is room. */
static int64_t locate(const Lookup *in) {
    uint64_t filter[FILTER_BITS / 64];
    memset(filter, 0, sizeof filter);
    int64_t count = 0;
    for (int64_t q = 0; q < in->queries; q++) {
        const int64_t first = in->offsets[q], last = in->offsets[q + 1];
        for (int64_t j = first; j < last; j++) filter[FILTER_WORD(in->judged[j])] |= FILTER_BIT(in->judged[j]);
        for (int64_t i = in->starts[q]; i < in->ends[q]; i++) {
            const int32_t row = in->ranked[i];
            if (!(filter[FILTER_WORD(row)] & FILTER_BIT(row))) continue;
            const int64_t j = position_of(in->judged, first, last, row);
            if (j == last || in->judged[j] != row) continue;
            if (count < in->room) {
                in->judgement[count] = j;
                in->rank[count] = i - in->starts[q] + 1;
            }
            count++;
        }
        for (int64_t j = first; j < last; j++) filter[FILTER_WORD(in->judged[j])] = 0;
    }
    return count;
}

/* Every offset must lie inside the array it points into; nothing is read before this holds. */
static int inside(const int64_t *low, const int64_t *high, int64_t queries, int64_t length) {
    for (int64_t q = 0; q < queries; q++)
        if (low[q] < 0 || low[q] > high[q] || high[q] > length) return 0;
    return 1;
}

static PyObject *locate_judged(PyObject *self, PyObject *args) {
    Py_buffer ranked, starts, ends, judged, offsets, judgement, rank;
    (void)self;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*w*w*", &ranked, &starts, &ends, &judged, &offsets, &judgement, &rank))
        return NULL;
    const Lookup lookup = {
        .ranked = ranked.buf, .starts = starts.buf, .ends = ends.buf, .judged = judged.buf, .offsets = offsets.buf,
        .queries = starts.len / 8, .room = judgement.len / 8, .judgement = judgement.buf, .rank = rank.buf,
    };
    int64_t count = -1;
    if (ends.len == starts.len && offsets.len == starts.len + 8 && rank.len == judgement.len &&
        inside(lookup.starts, lookup.ends, lookup.queries, ranked.len / 4) &&
        inside(lookup.offsets, lookup.offsets + 1, lookup.queries, judged.len / 4)) {
        Py_BEGIN_ALLOW_THREADS
        count = locate(&lookup);
        Py_END_ALLOW_THREADS
    }
    Py_buffer *all[] = {&ranked, &starts, &ends, &judged, &offsets, &judgement, &rank};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) PyBuffer_Release(all[i]);
    if (count < 0) {
        PyErr_SetString(PyExc_ValueError, "offsets do not fit the arrays they divide");
        return NULL;
    }
    return PyLong_FromLongLong(count);
}


PyMethodDef hakari_measures_methods[] = {
    {"locate_judged", locate_judged, METH_VARARGS,
     "locate_judged(ranked, starts, ends, judged, offsets, judgement, rank) -> count\n\n"
     "Write judgement and rank of every ranked document that is judged; count those without room as well."},
    {NULL, NULL, 0, NULL},
};
