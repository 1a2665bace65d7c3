/* What the parts of the leakage audit share: a text taken apart, an index of evaluation texts, and what was found. */
#ifndef HAKARI_AUDIT_H
#define HAKARI_AUDIT_H
#include "native.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The numbers are those of `hakari.audit.features`, which gives the same bytes without this file. */
enum { RUN_HEAD = 64, GRAM = 4, LONG = 8, LINE_WORDS = 3, STRIDE = 4, WIDEST = 256 };
enum key_kind { KEY_WHOLE = 1, KEY_LONG, KEY_SHORT, KEY_LINE, KEY_CODE, KEY_PATH, KINDS };
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
    uint32_t ahead;        /* in how many tokens it stands next, 0 for never */
} Token;

/* Of 64 bytes, one bit each: part of a word, the end of a line or a sentence, a byte that may join or mark the word
   after it, a byte that is or begins a token of code and no word. */
typedef struct {
    uint64_t words, breaks, joiners, tokens;
} Mark;

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
    List cells;                      /* uint32: the first word of each cell */
    List marks;                      /* Mark: of the cell that is being read */
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
    uint64_t names[WIDEST]; /* by how many tokens ago a name stood last, its value; of a new one at 0 */
    uint64_t aged[WIDEST];  /* by the same, what a window's hash changes by when that last place leaves it */
    uint64_t first;         /* what the first token of a window is multiplied by */
} Reading;

/* Of a cell: brackets and the like; words; bytes that may be other tokens of code. */
typedef struct {
    size_t brackets, words, others;
} Counts;

static inline bool set_has(const WordSet *set, uint64_t hash) {
    for (size_t slot = hash & set->mask; set->slots[slot]; slot = (slot + 1) & set->mask)
        if (set->slots[slot] == hash) return true;
    return false;
}

/* The bytes of a block that words begin with. */
static inline uint64_t begins_of(const Mark *marks, size_t block) {
    return marks[block].words & ~(marks[block].words << 1 | (block ? marks[block - 1].words >> 63 : 0));
}

bool list_reserve(List *list, size_t item, size_t extra);
void text_clear(Text *text);
void text_free(Text *text);
bool text_add_cell(Text *text, const Reading *reading, const uint8_t *raw, size_t size);
bool text_add_code(Text *text, const Reading *reading, const uint8_t *raw, size_t size, const Counts *counts);
bool text_finish(Text *text, const Reading *reading);
bool set_from(WordSet *set, const uint64_t *hashes, size_t count);
bool same_word(const Word *one, const Word *other);

void prepare_windows(Reading *reading);
void prepare_code(void);
void hash_windows(const Token *tokens, size_t count, const Reading *reading, uint64_t *windows);

static inline bool is_word(uint8_t c) {
    return (uint8_t)((c | 0x20) - 'a') < 26 || (uint8_t)(c - '0') < 10 || c == '_' || c >= 0x80;
}

static inline bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static inline uint64_t lower(uint64_t chunk) { return chunk | ((~chunk & 0x8080808080808080u) >> 2); }

static inline uint64_t chunk_at(const uint8_t *at, size_t length) {
    uint64_t chunk = 0;
    memcpy(&chunk, at, length < 8 ? length : 8);
    return chunk;
}

static inline uint64_t hash_round(uint64_t hash, uint64_t chunk) {
    hash = (hash ^ chunk) * 0xD6E8FEB86659FD93u;
    return hash ^ (hash >> 32);
}

static inline uint64_t first_bytes(uint64_t chunk, size_t length) { /* of 1 to 8 */
    return lower(chunk) & (~(uint64_t)0 >> (64 - 8 * length));
}

/* Of the letters without case: of eight at a time, and of sixteen at least, zeros after the end. */
static inline uint64_t hash_word(const uint8_t *at, size_t length, const uint8_t *end) {
    uint64_t hash = 0x2545F4914F6CDD1Du, low, high = 0;
    if (end - at >= 16) {
        memcpy(&low, at, 8);
        memcpy(&high, at + 8, 8);
    } else {
        low = chunk_at(at, length);
        if (length > 8) high = chunk_at(at + 8, length - 8);
    }
    if (length <= 16) {
        hash = hash_round(hash, first_bytes(low, length < 8 ? length : 8));
        hash = hash_round(hash, length > 8 ? first_bytes(high, length - 8) : 0);
    } else {
        for (; length > 8; at += 8, length -= 8) hash = hash_round(hash, lower(chunk_at(at, 8)));
        hash = hash_round(hash, first_bytes(chunk_at(at, length), length));
    }
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

/* The kind stands in the first bits, so that sorted keys are sorted by kind. */
enum { KIND_BITS = 3 };

static inline uint64_t key_of(uint64_t hash, enum key_kind kind) {
    return finish(hash) >> KIND_BITS | (uint64_t)kind << (64 - KIND_BITS);
}

/* Of the windows of code, one in four. */
static inline bool is_sampled(uint64_t window) { return window && window >> 62 == 0; }

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

/* Powers of BASE, for the hashes of short pieces. */
enum { POWERS = 512 };
extern uint64_t powers[POWERS];

static inline uint64_t hash_of(const uint64_t *prefix, uint32_t first, uint32_t count) {
    return prefix[first + count] - prefix[first] * (count < POWERS ? powers[count] : power(BASE, count));
}

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

/* Places by their hashes: the first of each slot, and after each the next one, -1 for none. */
typedef struct {
    List heads, next; /* int32 */
    size_t mask;
} Chains;

typedef struct {
    int32_t *best, *heads, *next;
    List rooms[3];
    bool lines_sorted, windows_known;
    List row_lines;                /* of the row, sorted by hash; made when first asked for */
    Chains row_windows, text_windows; /* the first of them as well */
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

/* Which keys of a kind an index may have: some bits a key in one word of 64. */
typedef struct {
    uint64_t *words;
    uint64_t count;
} Filter;

static inline size_t filter_word(const Filter *filter, uint64_t key) {
    return (size_t)((key << KIND_BITS >> 32) * filter->count >> 32);
}

static inline uint64_t filter_bits(uint64_t key) {
    return (uint64_t)1 << (key & 63) | (uint64_t)1 << (key >> 6 & 63) | (uint64_t)1 << (key >> 12 & 63) | (uint64_t)1 << (key >> 18 & 63);
}

/* The keys of one kind: by their first bits, the first of them; one more than there are buckets. */
typedef struct {
    uint32_t *buckets;
    size_t shift;
    Filter filter;
} Table;

/* A row taken apart, and its keys: those of each kind end where those of the next begin. */
typedef struct {
    Text text;
    List keys; /* uint64 */
    size_t ends[KINDS];
    int64_t number;
} Row;

enum { KEPT = 64 };

typedef struct Worker {
    Row rows[2]; /* one is read while what the other needs is on its way */
    Text text, kept[KEPT];
    int32_t kept_numbers[KEPT]; /* one more than the number of the text, 0 for none */
    Desk desk;
    Hits *hits;
    List touched, likely, held, found; /* int32; Likely; uint8; Found */
    List folded;                     /* bytes: of the texts of a batch that are not ASCII */
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
    size_t key_count, text_count;
    Table tables[KINDS];
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

/* ---- loops that are compiled for several widths ---- */

typedef struct {
    /* Blocks of 64 bytes and one byte after them; how many brackets and the like there are. */
    size_t (*mark)(const uint8_t *raw, size_t blocks, Mark *marks);
    void (*gram_keys)(const uint64_t *prefix, size_t count, size_t width, enum key_kind kind, uint64_t *keys);
    void (*look)(const Filter *filter, const uint64_t *keys, size_t count, uint8_t *held);
} Wide;
extern Wide wide;
void choose_wide(void);

/* ---- text beyond ASCII ---- */

typedef struct {
    const void *at;
    size_t length;
    int width; /* bytes a character */
} Letters;

enum folding { FOLDED, LACKS_PAGE, NEEDS_WHOLE, NO_ROOM };
enum folding fold_text(const Letters *text, List *out, uint32_t *lacking);
bool load_page(PyObject *letters, uint32_t code);

bool sort_windows(const Text *text, List *places);
bool read_text(Text *text, const Reading *reading, const uint8_t *raw, size_t size);
bool keys_of(const Text *text, const Reading *reading, int32_t number, List *out, List *places,
             int32_t counts[4]);
bool prepare_row(Row *row, const Index *index);
bool probe_row(Worker *worker, const Index *index, const Row *row);
bool judge_row(Worker *worker, const Index *index, const Row *row);

#endif
