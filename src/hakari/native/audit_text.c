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
    text->prefix.count = text->tokens.count = text->windows.count = text->code_from.count = 0;
}

void text_free(Text *text) {
    List *lists[] = {&text->words, &text->lines, &text->turns, &text->paths,
                     &text->prefix, &text->tokens, &text->windows, &text->code_from};
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

bool set_has(const WordSet *set, uint64_t hash) {
    for (size_t slot = hash & set->mask; set->slots[slot]; slot = (slot + 1) & set->mask)
        if (set->slots[slot] == hash) return true;
    return false;
}

/* ---- words ---- */




/* One bit for each of 64 bytes: whether it belongs to a word. */
WITH_WIDE_VECTORS static void mark_words(const uint8_t *raw, size_t blocks, uint64_t *marks) {
    for (size_t b = 0; b < blocks; b++, raw += 64) {
        uint8_t flags[64];
        for (size_t i = 0; i < 64; i++) {
            uint8_t c = raw[i];
            flags[i] = (uint8_t)(((uint8_t)((c | 0x20) - 'a') < 26) | ((uint8_t)(c - '0') < 10) | (c == '_') | (c >> 7));
        }
        uint64_t mark = 0, eight;
        for (size_t i = 0; i < 8; i++) {
            memcpy(&eight, flags + 8 * i, 8);
            mark |= ((eight * 0x0102040810204080u) >> 56) << (8 * i);
        }
        marks[b] = mark;
    }
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

typedef struct {
    const uint8_t *raw;
    size_t size, last_end;
    uint64_t line_hash, turn_hash, cell_hash, path_hash;
    uint32_t line_first, turn_first, cell_first, path_first;
    uint32_t path_parts, turn_count;
    bool line_start, template_before;
} Cell;

static bool push_piece(List *list, uint64_t hash, uint32_t first, uint32_t count) {
    if (!list_reserve(list, sizeof(Piece), 1)) return false;
    ((Piece *)list->items)[list->count++] = (Piece){hash, first, count};
    return true;
}

static bool end_line(Text *text, Cell *cell) {
    uint32_t here = (uint32_t)text->words.count, count = here - cell->line_first;
    bool kept = count < LINE_WORDS || push_piece(&text->lines, cell->line_hash, cell->line_first, count);
    cell->line_first = here;
    cell->line_hash = 0;
    return kept;
}

static bool end_turn(Text *text, Cell *cell) {
    uint32_t here = (uint32_t)text->words.count, count = here - cell->turn_first;
    bool kept = count == 0 || push_piece(&text->turns, cell->turn_hash, cell->turn_first, count);
    cell->turn_count += count > 0;
    cell->turn_first = here;
    cell->turn_hash = 0;
    return kept;
}

static bool end_path(Text *text, Cell *cell) {
    bool kept = cell->path_parts < 2 || push_piece(&text->paths, cell->path_hash, cell->path_first, cell->path_parts);
    cell->path_parts = 0;
    return kept;
}

enum { LINE_END = 1, SENTENCE_END = 2, TURN_END = 4 };
static const uint8_t BREAKS[256] = {['\n'] = LINE_END,    [';'] = LINE_END,     ['{'] = LINE_END,     ['}'] = LINE_END,
                                    ['.'] = SENTENCE_END, ['!'] = SENTENCE_END, ['?'] = SENTENCE_END, [TURN_BREAK] = TURN_END};

/* What stands between two words: does a line end there, or a turn? */
static bool read_gap(Text *text, Cell *cell, size_t from, size_t to) {
    uint8_t seen = 0;
    for (size_t i = from; i < to; i++) seen |= BREAKS[cell->raw[i]];
    if (!seen) return true;
    bool line = seen & (LINE_END | TURN_END), turn = seen & TURN_END;
    for (size_t i = from; !line && i + 1 < to; i++)
        line = (BREAKS[cell->raw[i]] & SENTENCE_END) && is_space(cell->raw[i + 1]);
    if (line) {
        cell->line_start = true;
        if (!end_line(text, cell)) return false;
    }
    return !turn || end_turn(text, cell);
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

static bool add_word(Text *text, Cell *cell, const Reading *reading, size_t start, size_t end) {
    const uint8_t *raw = cell->raw;
    size_t gap = start - cell->last_end;
    if (gap != 1 || raw[cell->last_end] != ' ')
        if (!read_gap(text, cell, cell->last_end, start)) return false;
    uint64_t hash = hash_word(raw + start, end - start, raw + cell->size);
    bool marker = (cell->line_start || cell->template_before || (gap && (raw[start - 1] == '|' || raw[start - 1] == '[' ||
                  raw[start - 1] == '/'))) && is_marker(cell, reading, start, end, hash);
    bool joined = cell->path_parts && ((gap == 1 && raw[start - 1] == '.') || (gap == 2 && raw[start - 1] == ':' && raw[start - 2] == ':'));
    if ((!joined || marker) && !end_path(text, cell)) return false;
    cell->last_end = end;
    if (marker) return end_line(text, cell) && end_turn(text, cell); /* somebody else speaks from here on */
    cell->line_start = false;
    uint32_t here = (uint32_t)text->words.count;
    WORDS(text)[text->words.count++] = (Word){hash, raw + start, (uint32_t)(end - start)};
    cell->line_hash = cell->line_hash * BASE + hash;
    cell->turn_hash = cell->turn_hash * BASE + hash;
    cell->cell_hash = cell->cell_hash * BASE + hash;
    cell->path_hash = joined ? cell->path_hash * BASE + hash : hash;
    if (!joined) cell->path_first = here;
    cell->path_parts++;
    return true;
}

static bool end_cell(Text *text, Cell *cell) {
    if (!end_line(text, cell) || !end_turn(text, cell) || !end_path(text, cell)) return false;
    uint32_t count = (uint32_t)text->words.count - cell->cell_first;
    return cell->turn_count < 2 || push_piece(&text->turns, cell->cell_hash, cell->cell_first, count);
}

enum { BLOCKS = 64 };

bool text_add_cell(Text *text, const Reading *reading, const uint8_t *raw, size_t size) {
    if (text->words.count) { /* no run of words goes from one cell into the next */
        if (!list_reserve(&text->words, sizeof(Word), 1)) return false;
        WORDS(text)[text->words.count++] = (Word){0, raw, 0};
    }
    if (!list_reserve(&text->words, sizeof(Word), size / 2 + 1)) return false;
    Cell cell = {.raw = raw, .size = size, .line_start = true};
    cell.line_first = cell.turn_first = cell.cell_first = (uint32_t)text->words.count;
    uint64_t marks[BLOCKS], before = 0;
    size_t start = 0;
    bool inside = false;
    for (size_t from = 0; from < size; from += 64 * BLOCKS) {
        size_t left = size - from, blocks = left / 64 < BLOCKS ? left / 64 : BLOCKS;
        mark_words(raw + from, blocks, marks);
        if (blocks < BLOCKS && left % 64) {
            uint8_t tail[64] = {0};
            memcpy(tail, raw + from + 64 * blocks, left % 64);
            mark_words(tail, 1, marks + blocks);
            blocks++;
        }
        for (size_t b = 0; b < blocks; b++) {
            uint64_t edges = marks[b] ^ ((marks[b] << 1) | before);
            before = marks[b] >> 63;
            for (; edges; edges &= edges - 1) {
                size_t at = from + 64 * b + (size_t)__builtin_ctzll(edges);
                if (inside && !add_word(text, &cell, reading, start, at)) return false;
                inside = !inside;
                start = at;
            }
        }
    }
    if (inside && !add_word(text, &cell, reading, start, size)) return false;
    if (cell.last_end < size && !read_gap(text, &cell, cell.last_end, size)) return false;
    return end_cell(text, &cell);
}

bool text_finish(Text *text, const Reading *reading) {
    size_t words = text->words.count;
    text->prefix.count = 0;
    if (!list_reserve(&text->prefix, sizeof(uint64_t), words + 1)) return false;
    uint64_t *prefix = PREFIX(text), hash = 0;
    prefix[0] = 0;
    for (size_t i = 0; i < words; i++) prefix[i + 1] = hash = hash * BASE + WORDS(text)[i].hash;
    text->prefix.count = words + 1;
    text->windows.count = 0;
    const uint32_t *from = text->code_from.items;
    if (!list_reserve(&text->windows, sizeof(uint64_t), text->tokens.count)) return false;
    /* Windows over the border of two cells have the hash 0. */
    if (text->tokens.count) memset(text->windows.items, 0, text->tokens.count * sizeof(uint64_t));
    for (size_t c = 0; c < text->code_from.count; c++) {
        size_t end = c + 1 < text->code_from.count ? from[c + 1] : text->tokens.count;
        hash_windows(TOKENS(text) + from[c], end - from[c], reading->window, WINDOWS(text) + from[c]);
    }
    text->windows.count = text->tokens.count;
    return true;
}
