/* Code as tokens in which a name is known only by where it stood last, so that renaming leaves no trace. */
#include "audit.h"

/* What a byte of code is: white space and the like, part of a word, an operator, the beginning of something longer. */
enum { SKIPPED, WORD_BYTE, OPERATOR, LONGER };
#define S SKIPPED
#define W WORD_BYTE
#define O OPERATOR
#define L LONGER
#define SIXTEEN(c) c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c
static const uint8_t SORT[256] = {
    SIXTEEN(S), SIXTEEN(S),
    /*  !"#$%&'()*+,-./ */ S, O, L, L, O, O, O, L, O, O, O, O, S, L, O, L,
    /* 0123456789:;<=>? */ W, W, W, W, W, W, W, W, W, W, O, S, O, O, O, O,
    /* @A... */ O, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, O, O, O, O, W,
    /* `a... */ L, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, O, O, O, O, O,
    SIXTEEN(W), SIXTEEN(W), SIXTEEN(W), SIXTEEN(W), SIXTEEN(W), SIXTEEN(W), SIXTEEN(W), SIXTEEN(W)};
#undef S
#undef W
#undef O
#undef L

static size_t line_end(const uint8_t *raw, size_t from, size_t size) {
    const uint8_t *found = memchr(raw + from, '\n', size - from);
    return found ? (size_t)(found - raw) : size;
}

/* The end of a quoted string that begins here, or 0 where it does not end on its line. */
static size_t string_end(const uint8_t *raw, size_t from, size_t size) {
    for (size_t i = from + 1; i < size && raw[i] != '\n'; i++) {
        if (raw[i] == '\\')
            i++;
        else if (raw[i] == raw[from])
            return i + 1;
    }
    return 0;
}

static size_t triple_end(const uint8_t *raw, size_t from, size_t size) {
    for (size_t i = from + 3; i + 2 < size; i++)
        if (raw[i] == raw[from] && raw[i + 1] == raw[from] && raw[i + 2] == raw[from]) return i + 3;
    return size;
}

/* Where reading goes on after a comment or a documentation string that begins here, or `from` where none does. */
static size_t skip_comment(const uint8_t *raw, size_t from, size_t size) {
    uint8_t c = raw[from], next = from + 1 < size ? raw[from + 1] : 0;
    if (c == '#' || (c == '/' && next == '/')) return line_end(raw, from, size);
    if (c == '-' && next == '-' && (from + 2 >= size || raw[from + 2] == ' ') && (from == 0 || is_space(raw[from - 1])))
        return line_end(raw, from, size);
    if (c == '/' && next == '*') {
        for (size_t i = from + 2; i + 1 < size; i++)
            if (raw[i] == '*' && raw[i + 1] == '/') return i + 2;
        return size;
    }
    if ((c == '"' || c == '\'') && next == c && from + 2 < size && raw[from + 2] == c) return triple_end(raw, from, size);
    return from;
}

/* How many tokens ago a name stood last. */
static uint32_t seen_before(Text *text, uint64_t hash) {
    size_t mask = text->seen_room - 1, slot = hash & mask;
    while (text->seen[slot].stamp == text->stamp && text->seen[slot].hash != hash) slot = (slot + 1) & mask;
    uint32_t here = (uint32_t)text->tokens.count;
    uint32_t back = text->seen[slot].stamp == text->stamp ? here - text->seen[slot].last : 0;
    text->seen[slot] = (Seen){hash, here, text->stamp};
    return back;
}

static bool room_for_names(Text *text, size_t names) {
    size_t room = 256;
    while (room < 2 * names) room *= 2;
    if (room > text->seen_room) {
        free(text->seen);
        text->seen = calloc(room, sizeof *text->seen);
        text->seen_room = text->seen ? room : 0;
        text->stamp = 0;
    }
    text->stamp++;
    return text->seen != NULL;
}

static uint64_t operator_values[256];

void prepare_code(void) {
    for (unsigned c = 0; c < 256; c++) operator_values[c] = finish(c);
}

static inline void push_token(Text *text, uint64_t value, const uint8_t *at, size_t length, uint32_t back) {
    size_t here = text->tokens.count++;
    TOKENS(text)[here] = (Token){value, at, (uint32_t)length, back, 0};
    if (back) TOKENS(text)[here - back].ahead = back;
}

/* A token that begins with a word; those that are part of the text are hashed by now. */
static const Word *push_word_token(Text *text, const Reading *reading, const uint8_t *at, const Word *known, const uint8_t *end) {
    const Word *last = WORDS(text) + text->words.count;
    while (known < last && known->at < at) known++;
    uint64_t hash;
    size_t length = 0;
    if (known < last && known->at == at) {
        length = known->length;
        hash = known->hash;
    } else {
        while (at + length < end && SORT[at[length]] == WORD_BYTE) length++;
        hash = hash_word(at, length, end);
    }
    bool name = (uint8_t)(*at - '0') >= 10 && !set_has(&reading->keywords, hash);
    push_token(text, name ? 0 : hash, at, length, name ? seen_before(text, hash) : 0);
    return known;
}

/* A token that begins with a byte which may begin a comment or a string. Gives where reading goes on. */
static size_t push_longer(Text *text, const uint8_t *raw, size_t at, size_t size) {
    uint8_t c = raw[at];
    size_t end = skip_comment(raw, at, size);
    if (end > at) return end;
    end = at + 1;
    if (c == '"' || c == '\'' || c == '`') {
        size_t closed = string_end(raw, at, size);
        if (closed == 0) return end;
        end = closed;
        c = '"';
    }
    push_token(text, operator_values[c], raw + at, 0, 0);
    return end;
}

/* The tokens of the cell that was read last, if one byte in forty is an operator that prose has little of. */
bool text_add_code(Text *text, const Reading *reading, const uint8_t *raw, size_t size, const Counts *counts) {
    if (40 * counts->brackets < size || size < 32) return true;
    const Mark *marks = text->marks.items;
    if (!room_for_names(text, counts->words) || !list_reserve(&text->code_from, sizeof(uint32_t), 1) ||
        !list_reserve(&text->tokens, sizeof(Token), counts->words + counts->others))
        return false;
    ((uint32_t *)text->code_from.items)[text->code_from.count++] = (uint32_t)text->tokens.count;
    const Word *known = WORDS(text) + ((uint32_t *)text->cells.items)[text->cells.count - 1];
    size_t next = 0;
    for (size_t b = 0; 64 * b < size; b = next > 64 * (b + 1) ? next / 64 : b + 1) {
        uint64_t begins = begins_of(marks, b) | marks[b].tokens;
        if (next > 64 * b) begins &= ~(uint64_t)0 << (next & 63);
        for (; begins; begins &= begins - 1) {
            size_t at = 64 * b + (size_t)__builtin_ctzll(begins);
            uint8_t sort = SORT[raw[at]];
            if (sort == WORD_BYTE) {
                known = push_word_token(text, reading, raw + at, known, raw + size);
            } else if (sort == OPERATOR) {
                push_token(text, operator_values[raw[at]], raw + at, 0, 0);
            } else {
                next = push_longer(text, raw, at, size);
                if (next >= 64 * (b + 1)) break;
                begins = (begins & ~(uint64_t)0 << (next & 63)) | (uint64_t)1 << (at & 63);
            }
        }
    }
    return true;
}

/* What a window's hash is made of. A name counts as new in a window that does not hold its last place, so a token's
   value falls back to that of a new name when its last place leaves the window. */
void prepare_windows(Reading *reading) {
    size_t width = reading->window;
    reading->names[0] = finish(0x100);
    for (size_t back = 1; back < WIDEST; back++) {
        reading->names[back] = back < width ? finish(0x100 + back) : reading->names[0];
        reading->aged[back] = back < width ? (reading->names[0] - reading->names[back]) * power(BASE, width - 1 - back) : 0;
    }
    reading->first = power(BASE, width - 1);
}

/* Hashes of all windows of one cell's tokens. */
void hash_windows(const Token *tokens, size_t count, const Reading *reading, uint64_t *windows) {
    uint64_t hash = 0;
    const uint64_t *names = reading->names, *aged = reading->aged;
    size_t width = reading->window;
    for (size_t i = 0; i < count; i++) {
        uint64_t change = tokens[i].value ? tokens[i].value : names[tokens[i].back < WIDEST ? tokens[i].back : 0];
        if (i >= width) { /* the token that leaves: it is new by now, or no name */
            const Token *gone = tokens + i - width;
            uint64_t left = (gone->value ? gone->value : names[0]) * reading->first;
            change += (aged[gone->ahead < WIDEST ? gone->ahead : 0] - left) * BASE;
        }
        hash = hash * BASE + change;
        if (i + 1 >= width) windows[i + 1 - width] = hash;
    }
}
