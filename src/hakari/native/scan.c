/* Distinct words of many texts, numbered in order of first appearance. */
#include "native.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What counts as a word; the values are those of `hakari.text.scan.Pattern`. */
enum pattern { WORD = 0, ASCII_WORD = 1, CODE = 2 };

/* Words are kept as UTF-8 (surrogates are no letters), padded with zeros to whole chunks, so that hashing and
   comparing need no loop over single bytes. */
#define CHUNK 8
#define PADDED(length) (((length) + CHUNK - 1) / CHUNK * CHUNK)

typedef struct {
    char *bytes;
    size_t size, capacity;
} Buffer;

typedef struct {
    size_t start;
    uint32_t length;
    uint32_t hash;
} Word;

typedef struct {
    Buffer key;       /* the word being read */
    Buffer letters;   /* all distinct words, padded */
    Buffer words;     /* Word: where each distinct word lies in `letters` */
    Buffer ids;       /* int32: one a token */
    int32_t *slots;   /* open addressing: word number, or -1 */
    size_t slot_count, word_count;
    unsigned char fold[128]; /* what an ASCII character adds to a word; 0 where it ends one */
    enum pattern pattern;
} Scanner;

static bool reserve(Buffer *buffer, size_t extra) {
    if (extra <= buffer->capacity - buffer->size) return true;
    size_t capacity = buffer->capacity < 512 ? 1024 : 2 * buffer->capacity;
    while (capacity - buffer->size < extra) {
        if (capacity > PY_SSIZE_T_MAX / 2) {
            PyErr_NoMemory();
            return false;
        }
        capacity *= 2;
    }
    char *bytes = realloc(buffer->bytes, capacity);
    if (bytes == NULL) {
        PyErr_NoMemory();
        return false;
    }
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

static uint32_t hash_chunks(const char *bytes, size_t padded) {
    uint64_t hash = 0x9E3779B97F4A7C15u, chunk;
    for (size_t i = 0; i < padded; i += CHUNK) {
        memcpy(&chunk, bytes + i, CHUNK);
        hash = (hash ^ chunk) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    return (uint32_t)(hash ^ (hash >> 29));
}

static bool grow_slots(Scanner *scanner) {
    size_t count = scanner->slot_count ? 2 * scanner->slot_count : 4096;
    int32_t *slots = malloc(count * sizeof *slots);
    if (slots == NULL) {
        PyErr_NoMemory();
        return false;
    }
    memset(slots, 0xFF, count * sizeof *slots);
    const Word *words = (const Word *)scanner->words.bytes;
    for (size_t i = 0; i < scanner->word_count; i++) {
        size_t slot = words[i].hash & (count - 1);
        while (slots[slot] >= 0) slot = (slot + 1) & (count - 1);
        slots[slot] = (int32_t)i;
    }
    free(scanner->slots);
    scanner->slots = slots;
    scanner->slot_count = count;
    return true;
}

static bool add_word(Scanner *scanner, size_t slot, uint32_t hash, size_t length) {
    size_t padded = PADDED(length);
    if (scanner->word_count >= INT32_MAX || length > UINT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "too many distinct words, or a word too long");
        return false;
    }
    if (!reserve(&scanner->letters, padded) || !reserve(&scanner->words, sizeof(Word))) return false;
    Word word = {scanner->letters.size, (uint32_t)length, hash};
    memcpy(scanner->letters.bytes + scanner->letters.size, scanner->key.bytes, padded);
    scanner->letters.size += padded;
    memcpy(scanner->words.bytes + scanner->words.size, &word, sizeof word);
    scanner->words.size += sizeof word;
    scanner->slots[slot] = (int32_t)scanner->word_count++;
    return 2 * scanner->word_count < scanner->slot_count || grow_slots(scanner);
}

/* Ends the word whose letters are in `key`, which has room for the padding. */
static bool end_word(Scanner *scanner, size_t length) {
    char *key = scanner->key.bytes;
    size_t padded = PADDED(length);
    memset(key + length, 0, CHUNK);
    uint32_t hash = hash_chunks(key, padded);
    size_t slot = hash & (scanner->slot_count - 1);
    int32_t id;
    while ((id = scanner->slots[slot]) >= 0) {
        const Word *word = (const Word *)scanner->words.bytes + id;
        if (word->hash == hash && word->length == length &&
            memcmp(scanner->letters.bytes + word->start, key, padded) == 0)
            break;
        slot = (slot + 1) & (scanner->slot_count - 1);
    }
    if (id < 0) {
        id = (int32_t)scanner->word_count;
        if (!add_word(scanner, slot, hash, length)) return false;
    }
    if (!reserve(&scanner->ids, sizeof id)) return false;
    memcpy(scanner->ids.bytes + scanner->ids.size, &id, sizeof id);
    scanner->ids.size += sizeof id;
    return true;
}

/* How many ASCII characters at `here` join two words into a path of code: `.` or `::`. */
static size_t joiner_length(Py_UCS4 here, Py_UCS4 next) {
    if (here == '.') return 1;
    return here == ':' && next == ':' ? 2 : 0;
}

static bool scan_ascii(Scanner *scanner, const unsigned char *text, size_t length) {
    const unsigned char *fold = scanner->fold;
    if (!reserve(&scanner->key, length + CHUNK)) return false;
    char *key = scanner->key.bytes;
    size_t i = 0;
    while (i < length) {
        size_t size = 0;
        unsigned char letter;
        while (i < length && (letter = fold[text[i]]) != 0) {
            key[size++] = (char)letter;
            i++;
            if (scanner->pattern != CODE || i >= length || fold[text[i]]) continue;
            size_t joiner = joiner_length(text[i], i + 1 < length ? text[i + 1] : 0);
            if (joiner == 0 || i + joiner >= length || !fold[text[i + joiner]]) continue;
            for (; joiner > 0; joiner--) key[size++] = (char)text[i++];
        }
        if (size == 0)
            i++;
        else if (!end_word(scanner, size))
            return false;
    }
    return true;
}

static bool is_letter(const Scanner *scanner, Py_UCS4 c) {
    if (c < 128) return scanner->fold[c] != 0;
    return scanner->pattern != ASCII_WORD && Py_UNICODE_ISALNUM(c);
}

static size_t put_utf8(char *out, Py_UCS4 c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF00 >> size) | c);
    return size;
}

static bool scan_unicode(Scanner *scanner, int kind, const void *text, size_t length) {
    if (length > PY_SSIZE_T_MAX / 8) {
        PyErr_NoMemory();
        return false;
    }
    if (!reserve(&scanner->key, 4 * length + CHUNK)) return false;
    char *key = scanner->key.bytes;
    size_t i = 0;
    while (i < length) {
        size_t size = 0;
        while (i < length) {
            Py_UCS4 c = PyUnicode_READ(kind, text, i);
            if (is_letter(scanner, c)) {
                size += put_utf8(key + size, c < 128 ? scanner->fold[c] : c);
                i++;
                continue;
            }
            if (scanner->pattern != CODE || size == 0) break;
            size_t joiner = joiner_length(c, i + 1 < length ? PyUnicode_READ(kind, text, i + 1) : 0);
            if (joiner == 0 || i + joiner >= length || !is_letter(scanner, PyUnicode_READ(kind, text, i + joiner))) break;
            for (; joiner > 0; joiner--, i++) key[size++] = (char)c;
        }
        if (size == 0)
            i++;
        else if (!end_word(scanner, size))
            return false;
    }
    return true;
}

static bool scan_text(Scanner *scanner, PyObject *text) {
    if (!PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "a text must be a string, not %s", Py_TYPE(text)->tp_name);
        return false;
    }
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(text) < 0) return false;
#endif
    if (PyUnicode_IS_ASCII(text))
        return scan_ascii(scanner, PyUnicode_1BYTE_DATA(text), (size_t)PyUnicode_GET_LENGTH(text));
    /* Python's own lower(): some characters become several, and a final sigma depends on its neighbours. */
    PyObject *lowered = scanner->pattern == WORD
                            ? PyObject_CallMethod((PyObject *)&PyUnicode_Type, "lower", "O", text)
                            : Py_NewRef(text);
    if (lowered == NULL) return false;
    bool done = scan_unicode(scanner, PyUnicode_KIND(lowered), PyUnicode_DATA(lowered), (size_t)PyUnicode_GET_LENGTH(lowered));
    Py_DECREF(lowered);
    return done;
}

static bool start_scanner(Scanner *scanner, int pattern) {
    memset(scanner, 0, sizeof *scanner);
    if (pattern < WORD || pattern > CODE) {
        PyErr_Format(PyExc_ValueError, "no pattern %d", pattern);
        return false;
    }
    scanner->pattern = (enum pattern)pattern;
    for (int c = 0; c < 128; c++) {
        bool upper = c >= 'A' && c <= 'Z';
        bool letter = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c == '_' && pattern != ASCII_WORD);
        scanner->fold[c] = (unsigned char)(!letter ? 0 : upper && pattern != CODE ? c + 32 : c);
    }
    return grow_slots(scanner);
}

static PyObject *word_list(const Scanner *scanner) {
    PyObject *list = PyList_New((Py_ssize_t)scanner->word_count);
    if (list == NULL) return NULL;
    const Word *words = (const Word *)scanner->words.bytes;
    for (size_t i = 0; i < scanner->word_count; i++) {
        PyObject *word = PyUnicode_DecodeUTF8(scanner->letters.bytes + words[i].start, words[i].length, NULL);
        if (word == NULL) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SET_ITEM(list, (Py_ssize_t)i, word);
    }
    return list;
}

static PyObject *scan_all(Scanner *scanner, PyObject *texts) {
    Py_ssize_t count = PyTuple_GET_SIZE(texts);
    PyObject *offsets = PyBytes_FromStringAndSize(NULL, (count + 1) * (Py_ssize_t)sizeof(int64_t));
    if (offsets == NULL) return NULL;
    char *out = PyBytes_AS_STRING(offsets);
    int64_t tokens = 0;
    memcpy(out, &tokens, sizeof tokens);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!scan_text(scanner, PyTuple_GET_ITEM(texts, i))) {
            Py_DECREF(offsets);
            return NULL;
        }
        tokens = (int64_t)(scanner->ids.size / sizeof(int32_t));
        memcpy(out + (i + 1) * (Py_ssize_t)sizeof tokens, &tokens, sizeof tokens);
    }
    return Py_BuildValue("(y#NN)", scanner->ids.size ? scanner->ids.bytes : "", (Py_ssize_t)scanner->ids.size, offsets,
                         word_list(scanner));
}

PyDoc_STRVAR(scan_doc, "scan(texts: tuple[str, ...], pattern: int) -> (ids as int32, offsets as int64, words)");

static PyObject *scan(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *texts;
    int pattern;
    if (!PyArg_ParseTuple(args, "O!i:scan", &PyTuple_Type, &texts, &pattern)) return NULL;
    Scanner scanner;
    PyObject *result = start_scanner(&scanner, pattern) ? scan_all(&scanner, texts) : NULL;
    free(scanner.key.bytes);
    free(scanner.letters.bytes);
    free(scanner.words.bytes);
    free(scanner.ids.bytes);
    free(scanner.slots);
    return result;
}

PyMethodDef hakari_scan_methods[] = {
    {"scan", scan, METH_VARARGS, scan_doc},
    {NULL, NULL, 0, NULL},
};
