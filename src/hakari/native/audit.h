/* What the parts of the leakage audit share: a text taken apart, an index of evaluation texts, and what was found. */
#ifndef HAKARI_AUDIT_H
#define HAKARI_AUDIT_H
#include "native.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The numbers are those of `hakari.audit.features`, which gives the same bytes without this file. */
enum { RUN_HEAD = 64, GRAM = 4, LONG = 8, LINE_WORDS = 3, STRIDE = 4, SAMPLING = 3 };
enum key_kind { KEY_WHOLE = 1, KEY_LONG, KEY_SHORT, KEY_LINE, KEY_CODE, KEY_PATH };
#define BASE 0x9E3779B97F4A7C15u
#define TURN_BREAK 0x1E

typedef struct {
    uint64_t hash; /* 0 only for what stands between two cells */
    const uint8_t *at;
    uint32_t length;
} Word;

typedef struct {
    uint64_t hash;
    uint32_t first, count;
} Piece;

typedef struct {
    uint64_t value; /* 0 for a name */
    const uint8_t *at;
    uint32_t length, back; /* of a name: how many tokens ago it stood last, 0 for never */
} Token;

typedef struct {
    void *items;
    size_t count, room;
} List;

/* Names seen while lexing: where each stood last. */
typedef struct {
    uint64_t hash;
    uint32_t last, stamp;
} Seen;

typedef struct {
    List words, lines, turns, paths; /* Word, Piece, Piece, Piece */
    List prefix;                     /* uint64 hash of all words up to here, one more than words */
    List tokens, windows;            /* Token; uint64 hash of the window that begins here */
    List code_from;                  /* uint32: the first token of each cell that is code */
    Seen *seen;
    size_t seen_room;
    uint32_t stamp;
} Text;

/* Small sets of word hashes with open addressing. */
typedef struct {
    uint64_t *slots;
    size_t mask;
} WordSet;

typedef struct {
    WordSet roles, keywords, owners;
    uint64_t inst;
    size_t window; /* tokens */
} Reading;

bool list_reserve(List *list, size_t item, size_t extra);
void text_clear(Text *text);
void text_free(Text *text);
bool text_add_cell(Text *text, const Reading *reading, const uint8_t *raw, size_t size);
bool text_add_code(Text *text, const Reading *reading, const uint8_t *raw, size_t size);
bool text_finish(Text *text, const Reading *reading);
bool set_from(WordSet *set, const uint64_t *hashes, size_t count);
bool set_has(const WordSet *set, uint64_t hash);
bool same_word(const Word *one, const Word *other);

void hash_windows(const Token *tokens, size_t count, size_t width, uint64_t *windows);

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute)
#if __has_attribute(target_clones)
#define WITH_WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef WITH_WIDE_VECTORS
#define WITH_WIDE_VECTORS
#endif

static inline bool is_word(uint8_t c) {
    return (uint8_t)((c | 0x20) - 'a') < 26 || (uint8_t)(c - '0') < 10 || c == '_' || c >= 0x80;
}

static inline bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static inline uint64_t lower(uint64_t chunk) { return chunk | ((~chunk & 0x8080808080808080u) >> 2); }

static inline uint64_t chunk_at(const uint8_t *at, size_t length, const uint8_t *end) {
    uint64_t chunk = 0;
    if (length >= 8 || end - at >= 8) {
        memcpy(&chunk, at, 8);
        if (length < 8) chunk &= ((uint64_t)1 << (8 * length)) - 1;
    } else {
        memcpy(&chunk, at, length);
    }
    return chunk;
}

/* Of the letters without case. Zeros beyond the word stay zeros. */
static inline uint64_t hash_word(const uint8_t *at, size_t length, const uint8_t *end) {
    uint64_t hash = 0x2545F4914F6CDD1Du;
    for (; length > 8; at += 8, length -= 8) {
        hash = (hash ^ lower(chunk_at(at, 8, end))) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    uint64_t chunk = lower(chunk_at(at, length, end));
    if (length < 8) chunk &= ((uint64_t)1 << (8 * length)) - 1;
    hash = (hash ^ chunk) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
    hash *= BASE;
    return hash ^ (hash >> 29) ? hash ^ (hash >> 29) : 1;
}

static inline uint64_t finish(uint64_t hash) {
    hash ^= hash >> 33;
    hash *= 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 33;
    hash *= 0xC4CEB9FE1A85EC53u;
    return hash ^ (hash >> 33);
}

static inline uint64_t key_of(uint64_t hash, enum key_kind kind) { return finish(hash ^ ((uint64_t)kind << 56)); }

static inline uint64_t power(uint64_t base, size_t exponent) {
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

#define WORDS(text) ((Word *)(text)->words.items)
#define LINES(text) ((Piece *)(text)->lines.items)
#define TURNS(text) ((Piece *)(text)->turns.items)
#define PATHS(text) ((Piece *)(text)->paths.items)
#define PREFIX(text) ((uint64_t *)(text)->prefix.items)
#define TOKENS(text) ((Token *)(text)->tokens.items)
#define WINDOWS(text) ((uint64_t *)(text)->windows.items)

/* The hash of `width` words from word `first` on. */
static inline uint64_t gram(const Text *text, size_t first, size_t width, uint64_t raised) {
    const uint64_t *prefix = PREFIX(text);
    return prefix[first + width] - prefix[first] * raised;
}

/* ---- what was found; hakari.audit.probe.FOUND has the same fields ---- */

typedef struct {
    int64_t row;
    int32_t text, words;
    int32_t exact, path;
    int32_t longest, start;         /* the longest common run, in words, and where in the text it begins */
    int32_t covered, covered_long;  /* words in common runs of at least GRAM, of at least LONG words */
    int32_t shared, shingles, row_shingles;
    int32_t lines, line_total;      /* words in lines that the row has too, and in all lines */
    int32_t windows, window_total;  /* windows of code, each counted once */
    int32_t distinct;               /* words in the beginning of the longest run, each counted once */
} Found;

typedef struct {
    int32_t *best, *heads, *next;
    List rooms[3];
    bool lines_sorted, windows_sorted;
    List row_lines, row_windows, text_windows; /* of the row, sorted by hash; made when first asked for */
} Desk;

/* How shingles are counted: by words, or by bytes of the normal form. */
typedef struct {
    size_t width;
    bool bytes;
} Shingle;

bool compare(const Text *row, const Text *text, Desk *desk, size_t window, Shingle shingle, Found *found);
void desk_next_row(Desk *desk);
void desk_free(Desk *desk);

/* ---- the scan ---- */

typedef struct {
    int32_t need_long, need_short, need_line, need_code; /* 0 for never */
} Needs;

typedef struct {
    int32_t stamp, longs, shorts, lines, codes, sure;
} Hits;

typedef struct Worker {
    Text row, text;
    Desk desk;
    Hits *hits;
    List touched, keys, found; /* int32; uint64; Found */
    int32_t stamp;
    struct Worker *next;
} Worker;

enum { BUFFERS = 9 };

typedef struct {
    Py_buffer held[BUFFERS];
    const uint64_t *keys;
    const int64_t *starts, *offsets;
    const int32_t *postings;
    const uint8_t *bytes;
    const Needs *needs;
    size_t key_count, text_count, slot_mask, bitmap_shift;
    uint32_t *slots;
    uint64_t *bitmap;
    Reading reading;
    Shingle shingle;
    Worker *idle; /* taken and given back under the GIL */
} Index;

typedef struct {
    uint64_t key;
    int32_t text, kind;
} Keyed;

typedef struct {
    uint64_t hash;
    uint32_t at;
} Place;

bool sort_windows(const Text *text, List *places);
bool read_text(Text *text, const Reading *reading, const uint8_t *raw, size_t size);
bool keys_of(const Text *text, const Reading *reading, int32_t number, List *out, List *places,
             int32_t counts[4]);
bool judge_row(Worker *worker, const Index *index, int64_t row_number);

#endif
