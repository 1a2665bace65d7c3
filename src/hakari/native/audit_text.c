/* A text taken apart: words, lines, turns, paths of names. Bytes from 0x80 on are letters; whoever calls has folded them. */
#include "audit.h"

bool list_reserve(List *list, size_t item, size_t extra) {
    if (extra <= list->room - list->count) return true;
    size_t room = list->room < 64 ? 128 : 2 * list->room;
    while (room - list->count < extra) room *= 2;
    void *items = realloc(list->items, room * item);
    if (items == NULL) return false;
    list->items = items;
    list->room = room;
    return true;
}

void text_clear(Text *text) {
    text->words.count = text->lines.count = text->turns.count = text->paths.count = 0;
    text->prefix.count = text->tokens.count = text->windows.count = text->code_from.count = text->cells.count = 0;
}

void text_free(Text *text) {
    List *lists[] = {&text->words, &text->lines, &text->turns, &text->paths,
                     &text->prefix, &text->tokens, &text->windows, &text->code_from,
                     &text->cells, &text->marks};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) free(lists[i]->items);
    free(text->seen);
    memset(text, 0, sizeof *text);
}

bool set_from(WordSet *set, const uint64_t *hashes, size_t count) {
    size_t room = 64;
    while (room < 4 * count) room *= 2;
    set->slots = calloc(room, sizeof *set->slots);
    if (set->slots == NULL) return false;
    set->mask = room - 1;
    for (size_t i = 0; i < count; i++) {
        size_t slot = hashes[i] & set->mask;
        while (set->slots[slot]) slot = (slot + 1) & set->mask;
        set->slots[slot] = hashes[i];
    }
    return true;
}

bool same_word(const Word *one, const Word *other) {
    if (one->hash != other->hash || one->length != other->length || one->length == 0) return false;
    for (uint32_t i = 0; i < one->length; i++) {
        uint8_t a = one->at[i], b = other->at[i];
        if ((a < 0x80 ? a | 0x20 : a) != (b < 0x80 ? b | 0x20 : b)) return false;
    }
    return true;
}

/* ---- reading a cell ---- */

uint64_t powers[POWERS];

typedef struct {
    const uint8_t *raw;
    size_t size, last_end;
    uint32_t line_first, turn_first, cell_first, path_first;
    uint32_t path_parts, turn_count;
    bool line_start, template_before, has_turns;
} Cell;

static bool push_piece(Text *text, List *list, uint32_t first, uint32_t count) {
    if (!list_reserve(list, sizeof(Piece), 1)) return false;
    ((Piece *)list->items)[list->count++] = (Piece){hash_of(PREFIX(text), first, count), first, count};
    return true;
}

static bool end_line(Text *text, Cell *cell) {
    uint32_t here = (uint32_t)text->words.count, first = cell->line_first;
    cell->line_first = here;
    return here - first < LINE_WORDS || push_piece(text, &text->lines, first, here - first);
}

static bool end_turn(Text *text, Cell *cell) {
    uint32_t here = (uint32_t)text->words.count, first = cell->turn_first;
    cell->turn_first = here;
    cell->turn_count += here > first;
    return here == first || push_piece(text, &text->turns, first, here - first);
}

static bool end_path(Text *text, Cell *cell) {
    uint32_t parts = cell->path_parts;
    cell->path_parts = 0;
    return parts < 2 || push_piece(text, &text->paths, cell->path_first, parts);
}

/* A line or a sentence ends between two words, and a turn if the sign for it stands there. */
static bool end_parts(Text *text, Cell *cell, size_t from, size_t to) {
    cell->line_start = true;
    return end_line(text, cell) && (!cell->has_turns || !memchr(cell->raw + from, TURN_BREAK, to - from) || end_turn(text, cell));
}

/* Whether a word is a name of a role or a mark of a chat template, and no part of the text. */
static bool is_marker(Cell *cell, const Reading *reading, size_t start, size_t end, uint64_t hash) {
    const uint8_t *raw = cell->raw;
    size_t gap = start - cell->last_end, left = cell->size - end;
    if (gap >= 2 && raw[start - 2] == '<' && raw[start - 1] == '|' && left >= 2 && raw[end] == '|' && raw[end + 1] == '>') {
        cell->template_before = true;
        return true;
    }
    bool after = cell->template_before;
    cell->template_before = false;
    if ((after || (cell->line_start && left >= 1 && raw[end] == ':')) && set_has(&reading->roles, hash)) return true;
    return hash == reading->inst && gap >= 1 && left >= 1 && raw[end] == ']' &&
           (raw[start - 1] == '[' || (gap >= 2 && raw[start - 1] == '/' && raw[start - 2] == '['));
}

static inline void push_word(Text *text, uint64_t hash, const uint8_t *at, size_t length) {
    size_t here = text->words.count++;
    WORDS(text)[here] = (Word){hash, at, (uint32_t)length};
    PREFIX(text)[here + 1] = PREFIX(text)[here] * BASE + hash;
}

/* What stands before a word, if it may matter: the end of a line; a point, or a mark of a template. */
enum { PLAIN = 0, BROKEN = 1, JOINED = 2 };

static bool add_after_mark(Text *text, Cell *cell, const Reading *reading, size_t start, size_t end, unsigned before, uint64_t hash) {
    const uint8_t *raw = cell->raw;
    size_t gap = start - cell->last_end;
    if ((before & BROKEN) && !end_parts(text, cell, cell->last_end, start)) return false;
    bool marker = (cell->line_start || cell->template_before || (gap && (raw[start - 1] == '|' || raw[start - 1] == '[' ||
                  raw[start - 1] == '/'))) && is_marker(cell, reading, start, end, hash);
    bool joined = cell->path_parts && ((gap == 1 && raw[start - 1] == '.') || (gap == 2 && raw[start - 1] == ':' && raw[start - 2] == ':'));
    if ((!joined || marker) && !end_path(text, cell)) return false;
    cell->last_end = end;
    if (marker) return end_line(text, cell) && end_turn(text, cell); /* somebody else speaks from here on */
    cell->line_start = false;
    if (!joined) cell->path_first = (uint32_t)text->words.count;
    cell->path_parts++;
    push_word(text, hash, raw + start, end - start);
    return true;
}

static inline bool add_word(Text *text, Cell *cell, const Reading *reading, size_t start, size_t end, unsigned before) {
    uint64_t hash = hash_word(cell->raw + start, end - start, cell->raw + cell->size);
    if (before || cell->line_start || cell->template_before)
        return add_after_mark(text, cell, reading, start, end, before, hash);
    if (cell->path_parts > 1 && !end_path(text, cell)) return false;
    cell->path_first = (uint32_t)text->words.count;
    cell->path_parts = 1;
    cell->last_end = end;
    push_word(text, hash, cell->raw + start, end - start);
    return true;
}

static bool end_cell(Text *text, Cell *cell) {
    if (!end_line(text, cell) || !end_turn(text, cell) || !end_path(text, cell)) return false;
    uint32_t count = (uint32_t)text->words.count - cell->cell_first;
    return cell->turn_count < 2 || push_piece(text, &text->turns, cell->cell_first, count);
}

/* The marks of a cell, the last of them of less than 64 bytes, and how many words and tokens of code it may have. */
static bool mark_cell(Text *text, const uint8_t *raw, size_t size, Counts *counts) {
    if (!list_reserve(&text->marks, sizeof(Mark), size / 64 + 1)) return false;
    Mark *marks = text->marks.items;
    size_t whole = size ? (size - 1) / 64 : 0;
    uint8_t tail[65] = {0};
    memcpy(tail, raw + 64 * whole, size - 64 * whole);
    counts->brackets = wide.mark(raw, whole, marks);
    counts->brackets += wide.mark(tail, 1, marks + whole);
    counts->words = counts->others = 0;
    for (size_t b = 0; b <= whole; b++) {
        counts->words += (size_t)__builtin_popcountll(begins_of(marks, b));
        counts->others += (size_t)__builtin_popcountll(marks[b].tokens);
    }
    return true;
}

/* Room for the words of a cell, and an empty one before them where it is not the first: no run of words goes from one
   cell into the next. */
static bool begin_cell(Text *text, const uint8_t *raw, size_t words) {
    if (!list_reserve(&text->words, sizeof(Word), words + 1) || !list_reserve(&text->cells, sizeof(uint32_t), 1)) return false;
    text->prefix.count = text->words.count; /* so many are kept when it grows */
    if (!list_reserve(&text->prefix, sizeof(uint64_t), words + 2)) return false;
    if (text->words.count)
        push_word(text, 0, raw, 0);
    else
        PREFIX(text)[0] = 0;
    ((uint32_t *)text->cells.items)[text->cells.count++] = (uint32_t)text->words.count;
    return true;
}

static bool add_words(Text *text, const Reading *reading, Cell *cell) {
    const Mark *marks = text->marks.items;
    uint64_t inside = 0, joiner = 0;
    unsigned long long carry = 0;
    size_t start = 0;
    unsigned before = PLAIN;
    for (size_t b = 0; 64 * b < cell->size; b++) {
        uint64_t starts = begins_of(marks, b), ends = ~marks[b].words & (marks[b].words << 1 | inside);
        /* Added to a gap, the end of a line within it carries to the word after it, into the next block as well. */
        unsigned long long sum, gaps = ~marks[b].words;
        bool over = __builtin_uaddll_overflow(gaps, marks[b].breaks, &sum);
        carry = over | __builtin_uaddll_overflow(sum, carry, &sum);
        uint64_t broken = starts & sum, joined = marks[b].joiners << 1 | joiner;
        joiner = marks[b].joiners >> 63;
        if (inside) {
            if (!ends) continue;
            if (!add_word(text, cell, reading, start, 64 * b + (size_t)__builtin_ctzll(ends), before)) return false;
            ends &= ends - 1;
        }
        inside = marks[b].words >> 63;
        for (; ends; ends &= ends - 1, starts &= starts - 1) {
            size_t from = (size_t)__builtin_ctzll(starts), to = (size_t)__builtin_ctzll(ends);
            before = (unsigned)((broken >> from & 1) | (joined >> from & 1) << 1);
            if (!add_word(text, cell, reading, 64 * b + from, 64 * b + to, before)) return false;
        }
        if (starts) {
            size_t from = (size_t)__builtin_ctzll(starts);
            start = 64 * b + from;
            before = (unsigned)((broken >> from & 1) | (joined >> from & 1) << 1);
        }
    }
    return !inside || add_word(text, cell, reading, start, cell->size, before);
}

bool text_add_cell(Text *text, const Reading *reading, const uint8_t *raw, size_t size) {
    Counts counts;
    if (!mark_cell(text, raw, size, &counts) || !begin_cell(text, raw, counts.words)) return false;
    Cell cell = {.raw = raw, .size = size, .line_start = true, .has_turns = size && memchr(raw, TURN_BREAK, size)};
    cell.line_first = cell.turn_first = cell.cell_first = (uint32_t)text->words.count;
    if (!add_words(text, reading, &cell)) return false;
    text->prefix.count = text->words.count + 1;
    return end_cell(text, &cell) && text_add_code(text, reading, raw, size, &counts);
}

bool text_finish(Text *text, const Reading *reading) {
    text->windows.count = 0;
    const uint32_t *from = text->code_from.items;
    if (!list_reserve(&text->windows, sizeof(uint64_t), text->tokens.count)) return false;
    for (size_t c = 0; c < text->code_from.count; c++) {
        size_t end = c + 1 < text->code_from.count ? from[c + 1] : text->tokens.count, count = end - from[c];
        hash_windows(TOKENS(text) + from[c], count, reading, WINDOWS(text) + from[c]);
        /* Windows over the border of two cells have the hash 0. */
        size_t kept = count < reading->window ? 0 : count - reading->window + 1;
        if (count) memset(WINDOWS(text) + from[c] + kept, 0, (count - kept) * sizeof(uint64_t));
    }
    text->windows.count = text->tokens.count;
    return true;
}
