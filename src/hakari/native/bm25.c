/* Inverted lists, sums of BM25 weights, and the best k of many scores. */
#include "native.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- the best k, ordered by (score, document), both descending ---- */

enum { BUCKETS = 4096, BYTES = 8, BYTE_VALUES = 256 };

typedef struct {
    uint64_t *keys, *spare; /* room for one key a document in each */
} Ranker;

/* A key sorts like (score, document): see `order_keys` in rankings.py. */
static uint64_t order_key(float score, uint32_t document) {
    uint32_t bits;
    score += 0.0f; /* -0.0 ties with 0.0 */
    memcpy(&bits, &score, sizeof bits);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (uint64_t)bits << 32 | document;
}

static int32_t key_document(uint64_t key) { return (int32_t)(key & 0xFFFFFFFFu); }

/* Drops keys that cannot be among the best `depth`: those below the bucket where `depth` is reached. */
static size_t drop_low(uint64_t *keys, size_t size, size_t depth) {
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < size; i++) {
        low = keys[i] < low ? keys[i] : low;
        high = keys[i] > high ? keys[i] : high;
    }
    int shift = 0;
    while ((high - low) >> shift >= BUCKETS) shift++;
    uint32_t counts[BUCKETS] = {0};
    for (size_t i = 0; i < size; i++) counts[(keys[i] - low) >> shift]++;
    size_t bucket = BUCKETS, reached = 0;
    while (reached < depth) reached += counts[--bucket];
    uint64_t floor = low + ((uint64_t)bucket << shift);
    size_t kept = 0;
    for (size_t i = 0; i < size; i++) {
        keys[kept] = keys[i];
        kept += keys[i] >= floor;
    }
    return kept;
}

/* Sorts by one byte after the other, lowest first, and passes over bytes that are all the same. */
static void sort_descending(Ranker *ranker, size_t size) {
    uint32_t counts[BYTES][BYTE_VALUES] = {{0}};
    for (size_t i = 0; i < size; i++)
        for (int byte = 0; byte < BYTES; byte++) counts[byte][ranker->keys[i] >> (8 * byte) & 0xFF]++;
    for (int byte = 0; byte < BYTES; byte++) {
        if (size == 0 || counts[byte][ranker->keys[0] >> (8 * byte) & 0xFF] == size) continue;
        uint32_t starts[BYTE_VALUES], start = 0;
        for (int value = BYTE_VALUES - 1; value >= 0; value--) {
            starts[value] = start;
            start += counts[byte][value];
        }
        for (size_t i = 0; i < size; i++) {
            uint64_t key = ranker->keys[i];
            ranker->spare[starts[key >> (8 * byte) & 0xFF]++] = key;
        }
        uint64_t *sorted = ranker->spare;
        ranker->spare = ranker->keys;
        ranker->keys = sorted;
    }
}

/* Brings the best `depth` of the keys to the front, best first; returns how many there are. */
static size_t rank_best(Ranker *ranker, size_t size, size_t depth) {
    for (size_t before = SIZE_MAX; size > 2 * depth && size < before;) {
        before = size;
        size = drop_low(ranker->keys, size, depth);
    }
    sort_descending(ranker, size);
    return size < depth ? size : depth;
}

static bool start_ranker(Ranker *ranker, size_t documents) {
    ranker->keys = malloc((documents + 1) * sizeof *ranker->keys);
    ranker->spare = malloc((documents + 1) * sizeof *ranker->spare);
    if (ranker->keys != NULL && ranker->spare != NULL) return true;
    PyErr_NoMemory();
    return false;
}

static void end_ranker(Ranker *ranker) {
    free(ranker->keys);
    free(ranker->spare);
}

static bool holds(const Py_buffer *buffer, size_t items, size_t item_size, const char *name) {
    if ((size_t)buffer->len == items * item_size) return true;
    PyErr_Format(PyExc_ValueError, "%s has %zd bytes, not %zu", name, buffer->len, items * item_size);
    return false;
}

static void release(Py_buffer *buffers, size_t count) {
    for (size_t i = 0; i < count; i++) PyBuffer_Release(&buffers[i]);
}

/* The upper half of an order key as a signed number, which takes few instructions to compare many of. */
static int32_t ordered(float score) {
    int32_t bits;
    score += 0.0f;
    memcpy(&bits, &score, sizeof bits);
    return bits ^ (bits >> 31 & 0x7FFFFFFF);
}

/* What at least `depth` columns reach: among the best of each of many groups of columns, one that `depth`
   groups reach. Finding it costs less than ordering every column. */
static int32_t reached_by(const int32_t *scores, size_t columns, size_t depth, int32_t *best, uint64_t *keys) {
    size_t groups = 4 * depth;
    memcpy(best, scores, groups * sizeof *best);
    for (size_t start = groups; start + groups <= columns; start += groups)
        for (size_t group = 0; group < groups; group++)
            best[group] = scores[start + group] > best[group] ? scores[start + group] : best[group];
    for (size_t group = 0; group < groups; group++) keys[group] = (uint64_t)((int64_t)best[group] - INT32_MIN);
    size_t kept = drop_low(keys, groups, depth);
    uint64_t low = UINT64_MAX;
    for (size_t i = 0; i < kept; i++) low = keys[i] < low ? keys[i] : low;
    return (int32_t)((int64_t)low + INT32_MIN);
}

static void top_row(const float *scores, int32_t columns, int32_t depth, Ranker *ranker, int32_t *documents, float *kept) {
    int32_t *comparable = (int32_t *)ranker->spare; /* has room for two a column */
    int32_t floor = INT32_MIN;
    for (int32_t column = 0; column < columns; column++) comparable[column] = ordered(scores[column]);
    if (columns / 16 >= depth)
        floor = reached_by(comparable, (size_t)columns, (size_t)depth, comparable + columns, ranker->keys);
    size_t size = 0;
    for (int32_t column = 0; column < columns; column++)
        if (comparable[column] >= floor) ranker->keys[size++] = order_key(scores[column], (uint32_t)column);
    size = rank_best(ranker, size, (size_t)depth);
    for (size_t i = 0; i < size; i++) {
        documents[i] = key_document(ranker->keys[i]);
        kept[i] = scores[documents[i]];
    }
}

PyDoc_STRVAR(top_k_doc, "top_k(scores float32, rows, columns, depth, out documents int32, out scores float32)");

static PyObject *top_k(PyObject *Py_UNUSED(module), PyObject *args) {
    Py_buffer buffers[3];
    Py_ssize_t rows;
    int columns, depth;
    if (!PyArg_ParseTuple(args, "y*niiw*w*:top_k", &buffers[0], &rows, &columns, &depth, &buffers[1], &buffers[2]))
        return NULL;
    PyObject *result = NULL;
    Ranker ranker = {NULL, NULL};
    if (rows < 0 || depth < 1 || depth > columns) {
        PyErr_SetString(PyExc_ValueError, "depth must lie between 1 and the number of columns");
        goto done;
    }
    size_t kept = (size_t)rows * (size_t)depth;
    if (!holds(&buffers[0], (size_t)rows * (size_t)columns, sizeof(float), "scores") ||
        !holds(&buffers[1], kept, sizeof(int32_t), "documents") || !holds(&buffers[2], kept, sizeof(float), "kept"))
        goto done;
    if (!start_ranker(&ranker, (size_t)columns)) goto done;
    const float *scores = buffers[0].buf;
    int32_t *documents = buffers[1].buf;
    float *best = buffers[2].buf;
    Py_BEGIN_ALLOW_THREADS;
    for (Py_ssize_t row = 0; row < rows; row++)
        top_row(scores + row * columns, columns, depth, &ranker, documents + row * depth, best + row * depth);
    Py_END_ALLOW_THREADS;
    result = Py_NewRef(Py_None);
done:
    end_ranker(&ranker);
    release(buffers, 3);
    return result;
}

/* ---- inverted lists ---- */

/* Checks that offsets rise from 0 to `items` and that ids lie below `limit`, so that loops need not. */
static bool well_formed(const int64_t *offsets, size_t count, size_t items, const int32_t *ids, int32_t limit) {
    bool good = offsets[0] == 0 && offsets[count] == (int64_t)items;
    for (size_t i = 0; good && i < count; i++) good = offsets[i] <= offsets[i + 1];
    for (size_t i = 0; good && i < items; i++) good = ids[i] >= 0 && ids[i] < limit;
    if (!good) PyErr_SetString(PyExc_ValueError, "offsets or ids out of range");
    return good;
}

/* `latest[t]` is the document that term t was last seen in, `ends[t]` where its list ends so far. */
static int64_t count_documents(const int32_t *ids, const int64_t *offsets, int32_t documents, int32_t terms,
                               int32_t *latest, int64_t *starts) {
    memset(starts, 0, ((size_t)terms + 1) * sizeof *starts);
    for (int32_t t = 0; t < terms; t++) latest[t] = -1;
    for (int32_t d = 0; d < documents; d++) {
        for (int64_t i = offsets[d]; i < offsets[d + 1]; i++) {
            if (latest[ids[i]] == d) continue;
            latest[ids[i]] = d;
            starts[ids[i] + 1]++;
        }
    }
    for (int32_t t = 0; t < terms; t++) starts[t + 1] += starts[t];
    return starts[terms];
}

static void fill_lists(const int32_t *ids, const int64_t *offsets, int32_t documents, int32_t terms, int32_t *latest,
                       int64_t *ends, int32_t *rows, int32_t *counts) {
    for (int32_t t = 0; t < terms; t++) latest[t] = -1;
    for (int32_t d = 0; d < documents; d++) {
        for (int64_t i = offsets[d]; i < offsets[d + 1]; i++) {
            int32_t term = ids[i];
            if (latest[term] == d) {
                counts[ends[term] - 1]++;
            } else {
                latest[term] = d;
                rows[ends[term]] = d;
                counts[ends[term]++] = 1;
            }
        }
    }
}

PyDoc_STRVAR(invert_doc, "invert(ids int32, offsets int64, documents, terms) -> (starts int64, documents int32, counts int32)");

static PyObject *invert(PyObject *Py_UNUSED(module), PyObject *args) {
    Py_buffer buffers[2];
    int documents, terms;
    if (!PyArg_ParseTuple(args, "y*y*ii:invert", &buffers[0], &buffers[1], &documents, &terms)) return NULL;
    PyObject *starts = NULL, *rows = NULL, *counts = NULL, *result = NULL;
    int32_t *latest = NULL;
    int64_t *ends = NULL;
    const int32_t *ids = buffers[0].buf;
    const int64_t *offsets = buffers[1].buf;
    size_t tokens = (size_t)buffers[0].len / sizeof *ids;
    if (documents < 0 || terms < 0) {
        PyErr_SetString(PyExc_ValueError, "a negative number of documents or terms");
        goto done;
    }
    if (!holds(&buffers[1], (size_t)documents + 1, sizeof *offsets, "offsets") ||
        !well_formed(offsets, (size_t)documents, tokens, ids, terms))
        goto done;
    Py_ssize_t starts_size = ((Py_ssize_t)terms + 1) * (Py_ssize_t)sizeof *ends;
    latest = malloc(((size_t)terms + 1) * sizeof *latest);
    ends = malloc((size_t)starts_size);
    starts = PyBytes_FromStringAndSize(NULL, starts_size);
    if (latest == NULL || ends == NULL || starts == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    int64_t postings = count_documents(ids, offsets, documents, terms, latest, ends);
    memcpy(PyBytes_AS_STRING(starts), ends, (size_t)starts_size);
    rows = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)postings * (Py_ssize_t)sizeof(int32_t));
    counts = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)postings * (Py_ssize_t)sizeof(int32_t));
    if (rows == NULL || counts == NULL) goto done;
    fill_lists(ids, offsets, documents, terms, latest, ends, (int32_t *)PyBytes_AS_STRING(rows),
               (int32_t *)PyBytes_AS_STRING(counts));
    result = PyTuple_Pack(3, starts, rows, counts);
done:
    Py_XDECREF(starts);
    Py_XDECREF(rows);
    Py_XDECREF(counts);
    free(latest);
    free(ends);
    release(buffers, 2);
    return result;
}

/* ---- search ---- */

enum { STARTS, ROWS, WEIGHTS, OFFSETS, TERMS, FACTORS, LEFT_OUT, OUT_DOCUMENTS, OUT_SCORES, OUT_LENGTHS, ARRAYS };

typedef struct {
    const int64_t *starts, *offsets;
    const int32_t *rows, *terms, *left_out;
    const float *weights, *factors;
    int32_t documents, depth;
    double *sums;
    Ranker ranker;
} Search;

static void add_lists(const Search *search, size_t query) {
    double *sums = search->sums;
    const int32_t *rows = search->rows;
    const float *weights = search->weights;
    memset(sums, 0, (size_t)search->documents * sizeof *sums);
    for (int64_t i = search->offsets[query]; i < search->offsets[query + 1]; i++) {
        double factor = search->factors[i];
        int64_t end = search->starts[search->terms[i] + 1];
        for (int64_t p = search->starts[search->terms[i]]; p < end; p++) sums[rows[p]] += factor * weights[p];
    }
    if (search->left_out[query] >= 0) sums[search->left_out[query]] = 0;
}

static int64_t answer(Search *search, size_t query, int32_t *documents, float *scores) {
    add_lists(search, query);
    size_t size = 0;
    for (int32_t d = 0; d < search->documents; d++) {
        float score = (float)search->sums[d];
        search->ranker.keys[size] = order_key(score, (uint32_t)d);
        size += score > 0;
    }
    size = rank_best(&search->ranker, size, (size_t)search->depth);
    for (size_t i = 0; i < size; i++) {
        documents[i] = key_document(search->ranker.keys[i]);
        scores[i] = (float)search->sums[documents[i]];
    }
    return (int64_t)size;
}

static bool check_search(Py_buffer *buffers, size_t queries, size_t kept, int32_t documents, const Search *search) {
    size_t postings = (size_t)buffers[ROWS].len / sizeof(int32_t), terms = (size_t)buffers[TERMS].len / sizeof(int32_t);
    if (buffers[STARTS].len < (Py_ssize_t)sizeof(int64_t) || buffers[STARTS].len / (Py_ssize_t)sizeof(int64_t) > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "starts has the wrong size");
        return false;
    }
    size_t known = (size_t)buffers[STARTS].len / sizeof(int64_t) - 1;
    if (!holds(&buffers[STARTS], known + 1, sizeof(int64_t), "starts") ||
        !holds(&buffers[WEIGHTS], postings, sizeof(float), "weights") ||
        !holds(&buffers[OFFSETS], queries + 1, sizeof(int64_t), "offsets") ||
        !holds(&buffers[FACTORS], terms, sizeof(float), "factors") ||
        !holds(&buffers[LEFT_OUT], queries, sizeof(int32_t), "left_out") ||
        !holds(&buffers[OUT_DOCUMENTS], kept, sizeof(int32_t), "documents") ||
        !holds(&buffers[OUT_SCORES], kept, sizeof(float), "scores") ||
        !holds(&buffers[OUT_LENGTHS], queries, sizeof(int64_t), "lengths"))
        return false;
    for (size_t q = 0; q < queries; q++) {
        if (search->left_out[q] < documents) continue;
        PyErr_SetString(PyExc_ValueError, "a document to leave out does not exist");
        return false;
    }
    return well_formed(search->starts, known, postings, search->rows, documents) &&
           well_formed(search->offsets, queries, terms, search->terms, (int32_t)known);
}

PyDoc_STRVAR(search_doc,
             "search(starts int64, documents int32, weights float32, query offsets int64, terms int32, factors float32,\n"
             "       left_out int32, number of documents, depth, out documents int32, out scores float32, out lengths int64)");

static PyObject *search_lists(PyObject *Py_UNUSED(module), PyObject *args) {
    Py_buffer b[ARRAYS];
    int documents, depth;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*iiw*w*w*:search", &b[STARTS], &b[ROWS], &b[WEIGHTS], &b[OFFSETS], &b[TERMS],
                          &b[FACTORS], &b[LEFT_OUT], &documents, &depth, &b[OUT_DOCUMENTS], &b[OUT_SCORES], &b[OUT_LENGTHS]))
        return NULL;
    Search search = {b[STARTS].buf, b[OFFSETS].buf, b[ROWS].buf,  b[TERMS].buf, b[LEFT_OUT].buf, b[WEIGHTS].buf,
                     b[FACTORS].buf, documents, depth, NULL, {NULL, NULL}};
    PyObject *result = NULL;
    size_t queries = (size_t)b[LEFT_OUT].len / sizeof(int32_t);
    if (documents < 0 || depth < 1) {
        PyErr_SetString(PyExc_ValueError, "a depth below 1, or a negative number of documents");
        goto done;
    }
    if (!check_search(b, queries, queries * (size_t)depth, documents, &search)) goto done;
    search.sums = malloc(((size_t)documents + 1) * sizeof *search.sums);
    if (search.sums == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    if (!start_ranker(&search.ranker, (size_t)documents)) goto done;
    for (size_t q = 0; q < queries; q++)
        ((int64_t *)b[OUT_LENGTHS].buf)[q] = answer(&search, q, (int32_t *)b[OUT_DOCUMENTS].buf + q * (size_t)depth,
                                                    (float *)b[OUT_SCORES].buf + q * (size_t)depth);
    result = Py_NewRef(Py_None);
done:
    free(search.sums);
    end_ranker(&search.ranker);
    release(b, ARRAYS);
    return result;
}

PyMethodDef hakari_bm25_methods[] = {
    {"top_k", top_k, METH_VARARGS, top_k_doc},
    {"invert", invert, METH_VARARGS, invert_doc},
    {"search", search_lists, METH_VARARGS, search_doc},
    {NULL, NULL, 0, NULL},
};
