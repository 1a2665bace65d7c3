/* The normal form of text beyond ASCII, character by character, as `hakari.audit.normal` tells it page by page. Where
   characters act on each other, that module folds the whole text. */
#include "audit.h"

enum { PAGE = 256, PAGES = 0x110000 / PAGE, ALONE = 255 };

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
    } else if ((page = malloc((size_t)PyBytes_GET_SIZE(told))) == NULL) {
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

/* The bytes of a text are added to `out`, or it stays as it was. */
enum folding fold_text(const Letters *text, List *out, uint32_t *lacking) {
    size_t before = out->count;
    const Page *page = NULL;
    uint32_t known = UINT32_MAX;
    uint8_t trail = 0, joins = 0;
    enum folding state = FOLDED;
    for (size_t i = 0; i < text->length; i++) {
        uint32_t code = code_at(text, i), low = code % PAGE;
        if (code / PAGE != known) {
            known = code / PAGE;
            page = page_of(code);
            if (page == NULL) {
                *lacking = code;
                state = LACKS_PAGE;
                break;
            }
        }
        uint8_t lead = page->lead[low];
        if (lead == ALONE || (page->joins[low] & joins & WITH_BEFORE) || (lead && trail > lead)) {
            state = NEEDS_WHOLE;
            break;
        }
        if (out->room - out->count < 256 && !list_reserve(out, 1, 256 + text->length - i)) {
            state = NO_ROOM;
            break;
        }
        const uint8_t *bytes = page->bytes + page->at[low];
        uint8_t *to = (uint8_t *)out->items + out->count;
        size_t length = page->length[low];
        for (size_t b = 0; b < length; b++) to[b] = bytes[b];
        out->count += length;
        trail = page->trail[low];
        if (!lead) joins = page->joins[low] & WITH_AFTER ? WITH_BEFORE : 0;
    }
    if (state != FOLDED) out->count = before;
    return state;
}
