/* The normal form of text beyond ASCII, character by character, as `hakari.audit.normal` tells it page by page. Where
   characters act on each other, that module folds the whole text. */
#include "audit.h"

enum { PAGE = 256, PAGES = 0x110000 / PAGE, ALONE = 255, SLACK = 8, MARKS = 8 };

/* Of each character: what it becomes, the classes of the first and the last mark in it (ALONE: never folded by itself),
   and whether it may join with what is before it or after it. */
typedef struct {
    uint16_t at[PAGE];
    uint8_t length[PAGE], lead[PAGE], trail[PAGE], joins[PAGE];
    uint8_t bytes[];
} Page;
enum { WITH_BEFORE = 1, WITH_AFTER = 2 };

static const Page *pages[PAGES]; /* filled under the GIL, read without it; kept until the process ends */

static const Page *page_of(uint32_t code) { return __atomic_load_n(pages + code / PAGE, __ATOMIC_ACQUIRE); }

bool load_page(PyObject *letters, uint32_t code) {
    if (page_of(code)) return true;
    PyObject *told = PyObject_CallFunction(letters, "I", (unsigned)(code / PAGE));
    if (told == NULL) return false;
    Page *page = NULL;
    if (!PyBytes_Check(told) || (size_t)PyBytes_GET_SIZE(told) < sizeof *page) {
        PyErr_SetString(PyExc_TypeError, "a page of letters must be bytes");
    } else if ((page = calloc(1, (size_t)PyBytes_GET_SIZE(told) + SLACK)) == NULL) {
        PyErr_NoMemory();
    } else {
        memcpy(page, PyBytes_AS_STRING(told), (size_t)PyBytes_GET_SIZE(told));
        size_t room = (size_t)PyBytes_GET_SIZE(told) - sizeof *page;
        for (size_t i = 0; page && i < PAGE; i++) {
            if (page->at[i] + (size_t)page->length[i] <= room) continue;
            PyErr_SetString(PyExc_ValueError, "a page of letters does not fit together");
            free(page);
            page = NULL;
        }
    }
    Py_DECREF(told);
    if (page == NULL) return false;
    const Page *none = NULL; /* another thread may have been faster */
    if (!__atomic_compare_exchange_n(pages + code / PAGE, &none, page, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) free(page);
    return true;
}

static inline uint32_t code_at(const Letters *text, size_t i) {
    return text->width == 1   ? ((const uint8_t *)text->at)[i]
           : text->width == 2 ? ((const uint16_t *)text->at)[i]
                              : ((const uint32_t *)text->at)[i];
}

/* The marks that follow a character, each with its class and where it begins in what is written. */
typedef struct {
    size_t at[MARKS];
    uint8_t classes[MARKS];
    size_t count;
    bool known; /* not where the character ends with a mark of its own, or where more follow */
} Marks;

/* A mark that was written last goes before those of higher classes. */
static bool put_in_order(Marks *marks, uint8_t *bytes, size_t end) {
    if (!marks->known) return false;
    uint8_t moved[SLACK], class = marks->classes[marks->count - 1];
    size_t place = marks->count - 1, from = marks->at[place], length = end - from;
    if (length > SLACK) return false;
    while (place && marks->classes[place - 1] > class) place--;
    memcpy(moved, bytes + from, length);
    memmove(bytes + marks->at[place] + length, bytes + marks->at[place], from - marks->at[place]);
    memcpy(bytes + marks->at[place], moved, length);
    for (size_t i = marks->count - 1; i > place; i--) {
        marks->at[i] = marks->at[i - 1] + length;
        marks->classes[i] = marks->classes[i - 1];
    }
    marks->classes[place] = class;
    return true;
}

static void add_mark(Marks *marks, uint8_t class, size_t at) {
    marks->known &= marks->count < MARKS;
    if (!marks->known) return;
    marks->at[marks->count] = at;
    marks->classes[marks->count++] = class;
}

/* The bytes of a text are added to `out`, or it stays as it was. */
enum folding fold_text(const Letters *text, List *out, uint32_t *lacking) {
    size_t count = out->count;
    const Page *page = NULL;
    uint32_t known = UINT32_MAX;
    uint8_t trail = 0, joins = 0;
    Marks marks = {.known = true};
    for (size_t i = 0; i < text->length; i++) {
        uint32_t code = code_at(text, i), low = code % PAGE;
        if (code / PAGE != known) {
            known = code / PAGE;
            page = page_of(code);
            if (page == NULL) {
                *lacking = code;
                return LACKS_PAGE;
            }
        }
        uint8_t lead = page->lead[low];
        if (lead == ALONE || (page->joins[low] & joins & WITH_BEFORE)) return NEEDS_WHOLE;
        if (out->room - count < 256) {
            size_t before = out->count;
            out->count = count; /* so many are kept when it grows */
            bool done = list_reserve(out, 1, 256 + 2 * (text->length - i));
            out->count = before;
            if (!done) return NO_ROOM;
        }
        const uint8_t *bytes = page->bytes + page->at[low];
        uint8_t *to = (uint8_t *)out->items + count;
        size_t length = page->length[low];
        memcpy(to, bytes, SLACK);
        if (length > SLACK) memcpy(to, bytes, length);
        if (lead) {
            add_mark(&marks, lead, count);
            if (trail > lead && !put_in_order(&marks, out->items, count + length)) return NEEDS_WHOLE;
            trail = trail > lead ? trail : lead;
        } else {
            trail = page->trail[low];
            joins = page->joins[low] & WITH_AFTER ? WITH_BEFORE : 0;
            marks.count = 0;
            marks.known = trail == 0;
        }
        count += length;
    }
    out->count = count;
    return FOLDED;
}
