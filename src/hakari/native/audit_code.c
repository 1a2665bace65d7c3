/* Code as tokens in which a name is known only by where it stood last, so that renaming leaves no trace. */
#include "audit.h"

enum { WIDEST = 256 };

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

static bool room_for_names(Text *text, size_t size) {
    size_t room = 256;
    while (room < size / 2) room *= 2; /* a name and what parts it from the next are two bytes at least */
    if (room > text->seen_room) {
        free(text->seen);
        text->seen = calloc(room, sizeof *text->seen);
        text->seen_room = text->seen ? room : 0;
        text->stamp = 0;
    }
    text->stamp++;
    return text->seen != NULL;
}

WITH_WIDE_VECTORS static size_t count_operators(const uint8_t *raw, size_t size) {
    size_t count = 0;
    while (size) {
        size_t part = size < 128 ? size : 128;
        uint8_t few = 0;
        for (size_t i = 0; i < part; i++) {
            uint8_t c = raw[i];
            few = (uint8_t)(few + ((c == '(') | (c == ')') | (c == '{') | (c == '}') | (c == '[') | (c == ']') | (c == '=') | (c == ';')));
        }
        count += few;
        raw += part;
        size -= part;
    }
    return count;
}

/* The tokens of a cell, if one byte in forty is an operator that prose has little of. */
bool text_add_code(Text *text, const Reading *reading, const uint8_t *raw, size_t size) {
    if (40 * count_operators(raw, size) < size || size < 32) return true;
    if (!room_for_names(text, size) || !list_reserve(&text->code_from, sizeof(uint32_t), 1)) return false;
    ((uint32_t *)text->code_from.items)[text->code_from.count++] = (uint32_t)text->tokens.count;
    if (!list_reserve(&text->tokens, sizeof(Token), size)) return false;
    Token *out = TOKENS(text) + text->tokens.count;
    for (size_t i = 0, end; i < size; i = end) {
        uint8_t c = raw[i], sort = SORT[c];
        end = i + 1;
        if (sort == SKIPPED) continue;
        if (sort == WORD_BYTE) {
            while (end < size && SORT[raw[end]] == WORD_BYTE) end++;
            uint64_t hash = hash_word(raw + i, end - i, raw + size);
            bool name = (uint8_t)(c - '0') >= 10 && !set_has(&reading->keywords, hash);
            uint32_t back = name ? seen_before(text, hash) : 0;
            *out++ = (Token){name ? 0 : hash, raw + i, (uint32_t)(end - i), back};
            text->tokens.count++;
            continue;
        }
        if (sort == LONGER) {
            size_t skipped = skip_comment(raw, i, size);
            if (skipped > i) {
                end = skipped;
                continue;
            }
            if (c == '"' || c == '\'' || c == '`') {
                size_t closed = string_end(raw, i, size);
                if (closed == 0) continue;
                end = closed;
                c = '"';
            }
        }
        *out++ = (Token){finish(c), raw + i, 0, 0};
        text->tokens.count++;
    }
    return true;
}

/* Hashes of all windows of one cell's tokens. A name counts as new in a window that does not hold its last place, so
   a token's value falls back to that of a new name when its last place leaves the window. */
void hash_windows(const Token *tokens, size_t count, size_t width, uint64_t *windows) {
    uint64_t hash = 0, powers[WIDEST], values[WIDEST]; /* values[0]: of a new name; values[b]: of one b tokens ago */
    size_t next[WIDEST] = {0};                         /* where the name of a token stands next, by its place */
    powers[0] = 1;
    values[0] = finish(0x100);
    for (size_t i = 1; i < width; i++) {
        powers[i] = powers[i - 1] * BASE;
        values[i] = finish(0x100 + i);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t back = tokens[i].back < width ? tokens[i].back : 0;
        if (back) next[(i - back) % WIDEST] = i;
        if (i >= width) { /* the token that leaves: it is new by now, or no name */
            size_t gone = i - width, after = next[gone % WIDEST];
            hash -= (tokens[gone].value ? tokens[gone].value : values[0]) * powers[width - 1];
            if (after > gone && after < i && after - gone < width && tokens[after].back == after - gone && !tokens[gone].value)
                hash += (values[0] - values[after - gone]) * powers[i - 1 - after];
        }
        hash = hash * BASE + (tokens[i].value ? tokens[i].value : values[back]);
        if (i + 1 >= width) windows[i + 1 - width] = hash;
    }
}
