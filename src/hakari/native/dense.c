/* Scores of vectors in one byte or one bit a dimension. Integers are summed exactly, so every path gives the same bytes. */
#include "native.h"

#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_VNNI 1
#include <immintrin.h>
#endif

/* The compiler may not assume an instruction for counting bits; glibc chooses the copy that has it when it is there. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute)
#if __has_attribute(target_clones)
#define WITH_POPCOUNT __attribute__((target_clones("popcnt", "default")))
#endif
#endif
#ifndef WITH_POPCOUNT
#define WITH_POPCOUNT
#endif

static bool holds(const Py_buffer *buffer, size_t items, size_t item_size, const char *name) {
    if ((size_t)buffer->len == items * item_size) return true;
    PyErr_Format(PyExc_ValueError, "%s has the wrong size", name);
    return false;
}

static void release(Py_buffer *buffers, size_t count) {
    for (size_t i = 0; i < count; i++) PyBuffer_Release(&buffers[i]);
}

/* ---- one bit a dimension ---- */

#if defined(__GNUC__)
#define COUNT_BITS(word) __builtin_popcountll(word)
#else
static int COUNT_BITS(uint64_t word) {
    int bits = 0;
    for (; word; word &= word - 1) bits++;
    return bits;
}
#endif

/* Into each copy that is made for a kind of processor; a call would lead to the one for all. */
#if defined(__GNUC__)
#define WITHIN_CALLER inline __attribute__((always_inline))
#else
#define WITHIN_CALLER inline
#endif

enum { AT_ONCE = 512 }; /* documents, whose counts stay in the nearest cache */

/* Documents lie word by word, so that the same word of many of them is compared at once. */
static WITHIN_CALLER void sign_row(const uint64_t *query, const uint64_t *documents, size_t count, size_t words,
                                   int32_t dimensions, float *scores) {
    uint64_t differing[AT_ONCE];
    for (size_t start = 0; start < count; start += AT_ONCE) {
        size_t some = count - start < AT_ONCE ? count - start : AT_ONCE;
        for (size_t d = 0; d < some; d++) differing[d] = 0;
        for (size_t w = 0; w < words; w++) {
            const uint64_t *word = documents + w * count + start;
            for (size_t d = 0; d < some; d++) differing[d] += (uint64_t)COUNT_BITS(query[w] ^ word[d]);
        }
        for (size_t d = 0; d < some; d++) scores[start + d] = (float)(dimensions - 2 * (int32_t)differing[d]);
    }
}

typedef struct {
    const uint64_t *queries, *documents;
    size_t query_count, document_count, words;
    int32_t dimensions;
    float *scores;
} Signs;

static WITHIN_CALLER void sign_rows(const Signs *in) {
    for (size_t q = 0; q < in->query_count; q++)
        sign_row(in->queries + q * in->words, in->documents, in->document_count, in->words, in->dimensions,
                 in->scores + q * in->document_count);
}

WITH_POPCOUNT static void score_signs(const Signs *in) { sign_rows(in); }

/* target_clones knows no name for the instruction that counts the bits of eight words. */
#ifdef HAS_VNNI
__attribute__((target("avx512f,avx512vpopcntdq,prefer-vector-width=512"))) static void score_signs_wide(const Signs *in) {
    sign_rows(in);
}
#endif

PyDoc_STRVAR(sign_scores_doc, "sign_scores(queries uint64, documents uint64 word by word, words, dimensions, out scores float32)");

static PyObject *sign_scores(PyObject *Py_UNUSED(module), PyObject *args) {
    Py_buffer b[3];
    int words, dimensions;
    if (!PyArg_ParseTuple(args, "y*y*iiw*:sign_scores", &b[0], &b[1], &words, &dimensions, &b[2])) return NULL;
    PyObject *result = NULL;
    if (words < 1) {
        PyErr_SetString(PyExc_ValueError, "vectors without dimensions");
        goto done;
    }
    size_t width = (size_t)words, row = width * sizeof(uint64_t);
    size_t queries = (size_t)b[0].len / row, documents = (size_t)b[1].len / row;
    if (!holds(&b[0], queries, row, "queries") || !holds(&b[1], documents, row, "documents") ||
        !holds(&b[2], queries * documents, sizeof(float), "scores"))
        goto done;
    Signs in = {b[0].buf, b[1].buf, queries, documents, width, dimensions, b[2].buf};
    void (*score)(const Signs *) = score_signs;
#ifdef HAS_VNNI
    if (__builtin_cpu_supports("avx512vpopcntdq")) score = score_signs_wide;
#endif
    Py_BEGIN_ALLOW_THREADS;
    score(&in);
    Py_END_ALLOW_THREADS;
    result = Py_NewRef(Py_None);
done:
    release(b, 3);
    return result;
}

/* ---- one byte a dimension ---- */

/* The instruction multiplies unsigned by signed bytes, four at a time, into one of 16 sums. So 128 is added to
   the codes of queries and taken off again as 128 times the sum of a document's codes, and documents lie in tiles
   of 16, by groups of four dimensions. */
enum { TILE = 16, GROUP = 4, ABREAST = 4 };

typedef struct {
    const uint8_t *queries;   /* queries x groups x GROUP */
    const int8_t *documents;  /* tiles x groups x TILE x GROUP */
    const int32_t *excess;    /* tiles x TILE */
    const float *query_scales, *document_scales;
    size_t query_count, document_count, groups;
    float *scores;
} Bytes;

#ifdef HAS_VNNI
__attribute__((target("avx512f,avx512bw,avx512vnni"))) static void score_tile(const Bytes *in, size_t tile, size_t first,
                                                                              size_t abreast) {
    const int8_t *documents = in->documents + tile * in->groups * TILE * GROUP;
    const uint8_t *rows[ABREAST];
    __m512i sums[ABREAST];
    for (size_t i = 0; i < ABREAST; i++) {
        rows[i] = in->queries + (first + (i < abreast ? i : 0)) * in->groups * GROUP;
        sums[i] = _mm512_setzero_si512();
    }
    for (size_t g = 0; g < in->groups; g++) {
        __m512i tiled = _mm512_loadu_si512(documents + g * TILE * GROUP);
        for (size_t i = 0; i < ABREAST; i++) {
            int32_t four;
            memcpy(&four, rows[i] + g * GROUP, sizeof four);
            sums[i] = _mm512_dpbusd_epi32(sums[i], _mm512_set1_epi32(four), tiled);
        }
    }
    size_t start = tile * TILE, left = in->document_count - start;
    __mmask16 inside = left >= TILE ? 0xFFFF : (__mmask16)((1u << left) - 1);
    __m512i excess = _mm512_loadu_si512(in->excess + start);
    __m512 scales = _mm512_loadu_ps(in->document_scales + start);
    for (size_t i = 0; i < abreast; i++) {
        __m512 products = _mm512_cvtepi32_ps(_mm512_sub_epi32(sums[i], excess));
        __m512 scaled = _mm512_mul_ps(_mm512_mul_ps(products, scales), _mm512_set1_ps(in->query_scales[first + i]));
        _mm512_mask_storeu_ps(in->scores + (first + i) * in->document_count + start, inside, scaled);
    }
}

static void score_bytes(const Bytes *in) {
    for (size_t tile = 0; tile * TILE < in->document_count; tile++)
        for (size_t q = 0; q < in->query_count; q += ABREAST)
            score_tile(in, tile, q, in->query_count - q < ABREAST ? in->query_count - q : ABREAST);
}
#endif

PyDoc_STRVAR(byte_scores_doc,
             "byte_scores(queries uint8, tiled documents int8, excess int32, query scales float32, document scales float32,\n"
             "            groups, number of documents, out scores float32); only where has_byte_products() is true");

static PyObject *byte_scores(PyObject *Py_UNUSED(module), PyObject *args) {
    Py_buffer b[6];
    Py_ssize_t groups, documents;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*nnw*:byte_scores", &b[0], &b[1], &b[2], &b[3], &b[4], &groups, &documents, &b[5]))
        return NULL;
    PyObject *result = NULL;
    if (groups < 1 || documents < 0) {
        PyErr_SetString(PyExc_ValueError, "vectors without dimensions, or a negative number of documents");
        goto done;
    }
    size_t queries = (size_t)b[3].len / sizeof(float), count = (size_t)documents, width = (size_t)groups * GROUP;
    size_t padded = (count + TILE - 1) / TILE * TILE;
    if (!holds(&b[0], queries * width, 1, "queries") || !holds(&b[1], padded * width, 1, "documents") ||
        !holds(&b[2], padded, sizeof(int32_t), "excess") || !holds(&b[3], queries, sizeof(float), "query scales") ||
        !holds(&b[4], padded, sizeof(float), "document scales") || !holds(&b[5], queries * count, sizeof(float), "scores"))
        goto done;
#ifdef HAS_VNNI
    if (__builtin_cpu_supports("avx512vnni")) {
        Bytes in = {b[0].buf, b[1].buf, b[2].buf, b[3].buf, b[4].buf, queries, count, (size_t)groups, b[5].buf};
        Py_BEGIN_ALLOW_THREADS;
        score_bytes(&in);
        Py_END_ALLOW_THREADS;
        result = Py_NewRef(Py_None);
        goto done;
    }
#endif
    PyErr_SetString(PyExc_RuntimeError, "this processor has no products of bytes");
done:
    release(b, 6);
    return result;
}

PyDoc_STRVAR(has_byte_products_doc, "has_byte_products() -> whether byte_scores works on this processor");

static PyObject *has_byte_products(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(args)) {
#ifdef HAS_VNNI
    return PyBool_FromLong(__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw"));
#else
    Py_RETURN_FALSE;
#endif
}

PyMethodDef hakari_dense_methods[] = {
    {"sign_scores", sign_scores, METH_VARARGS, sign_scores_doc},
    {"byte_scores", byte_scores, METH_VARARGS, byte_scores_doc},
    {"has_byte_products", has_byte_products, METH_NOARGS, has_byte_products_doc},
    {NULL, NULL, 0, NULL},
};
