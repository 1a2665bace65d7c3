/* What Python sees of the leakage audit: an index of evaluation texts, and the scan of a batch of rows. */
#include "audit.h"

static const char *INDEX_NAME = "hakari.audit_index";

typedef struct {
    const uint8_t *at;
    size_t size, row;
    PyObject *text; /* of what is not ASCII, until it is folded */
    bool folded;    /* then `at` is NULL, and `from` where the text begins in what the worker has folded */
    size_t from;
} CellView;

/* Every text of a row: the bytes of the string itself where it is ASCII. */
static bool view_cells(PyObject *rows, List *cells) {
    Py_ssize_t count = PyList_GET_SIZE(rows);
    for (Py_ssize_t r = 0; r < count; r++) {
        PyObject *row = PyList_GET_ITEM(rows, r);
        if (!PyTuple_Check(row)) {
            PyErr_SetString(PyExc_TypeError, "a row must be a tuple");
            return false;
        }
        for (Py_ssize_t c = 0; c < PyTuple_GET_SIZE(row); c++) {
            PyObject *text = PyTuple_GET_ITEM(row, c);
            if (text == Py_None) continue;
            if (!PyUnicode_Check(text)) {
                PyErr_Format(PyExc_TypeError, "a text must be a string, not %s", Py_TYPE(text)->tp_name);
                return false;
            }
#if PY_VERSION_HEX < 0x030C0000
            if (PyUnicode_READY(text) < 0) return false;
#endif
            CellView view = {.row = (size_t)r};
            if (PyUnicode_IS_ASCII(text)) {
                view.at = PyUnicode_1BYTE_DATA(text);
                view.size = (size_t)PyUnicode_GET_LENGTH(text);
            } else {
                view.text = text;
            }
            if (view.size > UINT32_MAX || !list_reserve(cells, sizeof view, 1)) {
                PyErr_NoMemory();
                return false;
            }
            ((CellView *)cells->items)[cells->count++] = view;
        }
    }
    return true;
}

static enum folding fold_cell(CellView *cell, List *folded, uint32_t *lacking) {
    Letters text = {PyUnicode_DATA(cell->text), (size_t)PyUnicode_GET_LENGTH(cell->text), (int)PyUnicode_KIND(cell->text)};
    size_t from = folded->count;
    enum folding state = fold_text(&text, folded, lacking);
    if (state == FOLDED) {
        cell->folded = true;
        cell->from = from;
        cell->size = folded->count - from;
    }
    return state;
}

static bool fold_whole(CellView *cell, PyObject *fold, List *folded) {
    PyObject *told = PyObject_CallOneArg(fold, cell->text);
    if (told == NULL) return false;
    bool done = PyBytes_Check(told) && list_reserve(folded, 1, (size_t)PyBytes_GET_SIZE(told) + 1);
    if (done) {
        cell->folded = true;
        cell->from = folded->count;
        cell->size = (size_t)PyBytes_GET_SIZE(told);
        memcpy((uint8_t *)folded->items + folded->count, PyBytes_AS_STRING(told), cell->size);
        folded->count += cell->size;
    } else {
        PyErr_SetString(PyExc_TypeError, "fold must give bytes");
    }
    Py_DECREF(told);
    return done;
}

/* What is not ASCII is folded without the GIL, but for what only Python knows. */
static bool fold_cells(List *cells, PyObject *fold, PyObject *letters, List *folded) {
    CellView *cell = cells->items, *end = cell + cells->count;
    folded->count = 0;
    while (cell < end && !cell->text) cell++;
    while (cell < end) {
        enum folding state = FOLDED;
        uint32_t lacking = 0;
        Py_BEGIN_ALLOW_THREADS;
        for (; cell < end; cell++)
            if (cell->text && (state = fold_cell(cell, folded, &lacking)) != FOLDED) break;
        Py_END_ALLOW_THREADS;
        if (state == NO_ROOM) {
            PyErr_NoMemory();
            return false;
        }
        if (state == LACKS_PAGE && !load_page(letters, lacking)) return false;
        if (state == NEEDS_WHOLE && !fold_whole(cell++, fold, folded)) return false;
    }
    for (cell = cells->items; cell < end; cell++) {
        if (cell->folded) cell->at = (const uint8_t *)folded->items + cell->from;
        if (cell->size > UINT32_MAX) {
            PyErr_NoMemory();
            return false;
        }
    }
    return true;
}

static void free_worker(Worker *worker) {
    for (size_t i = 0; i < 2; i++) {
        text_free(&worker->rows[i].text);
        free(worker->rows[i].keys.items);
    }
    text_free(&worker->text);
    for (size_t i = 0; i < KEPT; i++) text_free(worker->kept + i);
    desk_free(&worker->desk);
    free(worker->hits);
    free(worker->touched.items);
    free(worker->likely.items);
    free(worker->held.items);
    free(worker->folded.items);
    free(worker->found.items);
    free(worker);
}

static Worker *take_worker(Index *index) {
    Worker *worker = index->idle;
    if (worker) {
        index->idle = worker->next;
        return worker;
    }
    worker = calloc(1, sizeof *worker);
    if (worker) worker->hits = calloc(index->text_count + 1, sizeof *worker->hits);
    if (worker && worker->hits) return worker;
    free(worker);
    return (Worker *)PyErr_NoMemory();
}

static bool scan_cells(Worker *worker, const Index *index, const List *cells, size_t rows, int64_t first_row) {
    const CellView *view = cells->items, *end = view + cells->count;
    const Row *waiting = NULL;
    worker->found.count = 0;
    for (size_t number = 0; number < rows; number++) {
        if (view == end || view->row != number) continue;
        Row *row = worker->rows + (waiting == worker->rows);
        text_clear(&row->text);
        row->number = first_row + (int64_t)number;
        for (; view < end && view->row == number; view++)
            if (!text_add_cell(&row->text, &index->reading, view->at, view->size)) return false;
        if (!prepare_row(row, index) || (waiting && !judge_row(worker, index, waiting))) return false;
        waiting = row;
    }
    return waiting == NULL || judge_row(worker, index, waiting);
}

PyDoc_STRVAR(audit_scan_doc, "audit_scan(index, rows: list of tuples of texts, first row number, fold, letters) -> (Found, "
                             "bytes read)");

static PyObject *audit_scan(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *capsule, *rows, *fold, *letters, *result = NULL;
    long long first_row;
    if (!PyArg_ParseTuple(args, "OO!LOO:audit_scan", &capsule, &PyList_Type, &rows, &first_row, &fold, &letters)) return NULL;
    Index *index = PyCapsule_GetPointer(capsule, INDEX_NAME);
    if (index == NULL) return NULL;
    List cells = {0};
    Worker *worker = view_cells(rows, &cells) ? take_worker(index) : NULL;
    if (worker && fold_cells(&cells, fold, letters, &worker->folded)) {
        bool done;
        size_t count = (size_t)PyList_GET_SIZE(rows), size = 0;
        Py_BEGIN_ALLOW_THREADS;
        for (size_t i = 0; i < cells.count; i++) size += ((CellView *)cells.items)[i].size;
        done = scan_cells(worker, index, &cells, count, first_row);
        Py_END_ALLOW_THREADS;
        if (done)
            result = Py_BuildValue("(y#n)", worker->found.count ? worker->found.items : "",
                                   (Py_ssize_t)(worker->found.count * sizeof(Found)), (Py_ssize_t)size);
        else
            PyErr_NoMemory();
    }
    if (worker) {
        worker->next = index->idle;
        index->idle = worker;
    }
    free(cells.items);
    return result;
}

PyDoc_STRVAR(audit_fold_doc, "audit_fold(texts: list of strings, fold, letters) -> list of bytes, those of `fold`");

static PyObject *audit_fold(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *texts, *fold, *letters, *row, *rows = NULL, *result = NULL;
    if (!PyArg_ParseTuple(args, "O!OO:audit_fold", &PyList_Type, &texts, &fold, &letters)) return NULL;
    List cells = {0}, folded = {0};
    if ((row = PyList_AsTuple(texts)) != NULL) rows = PyList_New(1);
    if (rows != NULL) PyList_SET_ITEM(rows, 0, row);
    if (rows != NULL && view_cells(rows, &cells) && fold_cells(&cells, fold, letters, &folded) &&
        (result = PyList_New((Py_ssize_t)cells.count)) != NULL) {
        for (size_t i = 0; i < cells.count && result; i++) {
            const CellView *cell = (CellView *)cells.items + i;
            PyObject *bytes = PyBytes_FromStringAndSize((const char *)cell->at, (Py_ssize_t)cell->size);
            if (bytes)
                PyList_SET_ITEM(result, (Py_ssize_t)i, bytes);
            else
                Py_CLEAR(result);
        }
    }
    Py_XDECREF(rows);
    free(cells.items);
    free(folded.items);
    return result;
}

static void free_index(PyObject *capsule) {
    Index *index = PyCapsule_GetPointer(capsule, INDEX_NAME);
    for (Worker *worker = index->idle, *next; worker; worker = next) {
        next = worker->next;
        free_worker(worker);
    }
    for (size_t i = 0; i < BUFFERS; i++)
        if (index->held[i].obj) PyBuffer_Release(&index->held[i]);
    for (size_t kind = 0; kind < KINDS; kind++) {
        free(index->tables[kind].buckets);
        free(index->tables[kind].filter.words);
    }
    free(index->reading.roles.slots);
    free(index->reading.keywords.slots);
    free(index->reading.owners.slots);
    free(index);
}

#if defined(__linux__)
#include <sys/mman.h>
#endif

/* Zeros for a table that is looked up everywhere, in large pages where the system has them. */
static void *wide_table(size_t count, size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    size_t page = (size_t)1 << 21, bytes = count * size;
    if (bytes >= page) {
        void *table = aligned_alloc(page, (bytes + page - 1) / page * page);
        if (table == NULL) return NULL;
        (void)madvise(table, (bytes + page - 1) / page * page, MADV_HUGEPAGE);
        return memset(table, 0, bytes);
    }
#endif
    return calloc(count, size);
}

enum { FILTER_BITS = 16, KEYS_A_BUCKET = 2 };

/* The keys are sorted, so both parts are filled from their beginning to their end. */
static bool fill_table(Table *table, const uint64_t *keys, size_t first, size_t end) {
    size_t bits = 4;
    while (((size_t)KEYS_A_BUCKET << bits) < end - first) bits++;
    size_t buckets = (size_t)1 << bits;
    table->shift = 64 - bits;
    table->filter.count = (end - first) * FILTER_BITS / 64 + 1;
    table->buckets = wide_table(buckets + 1, sizeof *table->buckets);
    table->filter.words = wide_table(table->filter.count, sizeof *table->filter.words);
    if (table->buckets == NULL || table->filter.words == NULL) return false;
    table->buckets[0] = (uint32_t)first;
    for (size_t i = first; i < end; i++) {
        table->buckets[(keys[i] << KIND_BITS >> table->shift) + 1] = (uint32_t)(i + 1);
        table->filter.words[filter_word(&table->filter, keys[i])] |= filter_bits(keys[i]);
    }
    for (size_t b = 1; b <= buckets; b++)
        if (table->buckets[b] == 0) table->buckets[b] = table->buckets[b - 1];
    return true;
}

static bool fill_tables(Index *index) {
    size_t first = 0;
    for (size_t kind = 1; kind < KINDS; kind++) {
        size_t end = first;
        while (end < index->key_count && index->keys[end] >> (64 - KIND_BITS) == kind) end++;
        if (end > first && !fill_table(index->tables + kind, index->keys, first, end)) return false;
        first = end;
    }
    return first == index->key_count;
}

PyDoc_STRVAR(audit_index_doc, "audit_index(keys, starts, postings, bytes, offsets, needs, roles, keywords, owners, inst, window, "
                              "shingle width, by bytes) -> index; the buffers must not change");

static PyObject *audit_index(PyObject *Py_UNUSED(module), PyObject *args) {
    Index *index = calloc(1, sizeof *index);
    if (index == NULL) return PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(index, INDEX_NAME, free_index);
    if (capsule == NULL) {
        free(index);
        return NULL;
    }
    Py_buffer *b = index->held;
    unsigned long long inst;
    Py_ssize_t window, width;
    int by_bytes;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*y*y*Knnp:audit_index", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &b[6], &b[7],
                          &b[8], &inst, &window, &width, &by_bytes))
        goto failed;
    index->keys = b[0].buf, index->starts = b[1].buf, index->postings = b[2].buf, index->bytes = b[3].buf;
    index->offsets = b[4].buf, index->needs = b[5].buf;
    index->key_count = (size_t)b[0].len / 8, index->text_count = (size_t)b[5].len / sizeof(Needs);
    index->reading.inst = inst, index->reading.window = (size_t)window;
    index->shingle = (Shingle){(size_t)width, by_bytes};
    if ((size_t)b[1].len != 8 * (index->key_count + 1) || (size_t)b[4].len != 8 * (index->text_count + 1) || window < 2 ||
        window > 255 || width < 1) {
        PyErr_SetString(PyExc_ValueError, "the parts of the index do not fit together");
        goto failed;
    }
    choose_wide();
    prepare_code();
    prepare_windows(&index->reading);
    for (size_t i = 0; i < POWERS; i++) powers[i] = power(BASE, i);
    if (!set_from(&index->reading.roles, b[6].buf, (size_t)b[6].len / 8) ||
        !set_from(&index->reading.keywords, b[7].buf, (size_t)b[7].len / 8) ||
        !set_from(&index->reading.owners, b[8].buf, (size_t)b[8].len / 8) || !fill_tables(index)) {
        PyErr_NoMemory();
        goto failed;
    }
    return capsule;
failed:
    Py_DECREF(capsule);
    return NULL;
}

PyDoc_STRVAR(audit_keys_doc, "audit_keys(index for its settings, texts: list of bytes) -> (keys, four counts a text)");

static PyObject *audit_keys(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *capsule, *texts, *result = NULL;
    if (!PyArg_ParseTuple(args, "OO!:audit_keys", &capsule, &PyList_Type, &texts)) return NULL;
    Index *index = PyCapsule_GetPointer(capsule, INDEX_NAME);
    if (index == NULL) return NULL;
    Text text = {0};
    List out = {0}, counts = {0}, places = {0};
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(texts); i++) {
        char *raw;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyList_GET_ITEM(texts, i), &raw, &size) < 0) goto done;
        if (!list_reserve(&counts, 4 * sizeof(int32_t), 1) || !read_text(&text, &index->reading, (uint8_t *)raw, (size_t)size) ||
            !keys_of(&text, &index->reading, (int32_t)i, &out, &places, (int32_t *)counts.items + 4 * counts.count++)) {
            PyErr_NoMemory();
            goto done;
        }
    }
    result = Py_BuildValue("(y#y#)", out.count ? out.items : "", (Py_ssize_t)(out.count * sizeof(Keyed)),
                           counts.count ? counts.items : "", (Py_ssize_t)(counts.count * 16));
done:
    text_free(&text);
    free(out.items);
    free(counts.items);
    free(places.items);
    return result;
}

PyMethodDef hakari_audit_methods[] = {
    {"audit_scan", audit_scan, METH_VARARGS, audit_scan_doc},
    {"audit_index", audit_index, METH_VARARGS, audit_index_doc},
    {"audit_fold", audit_fold, METH_VARARGS, audit_fold_doc},
    {"audit_keys", audit_keys, METH_VARARGS, audit_keys_doc},
    {NULL, NULL, 0, NULL},
};
