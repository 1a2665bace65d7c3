/* A row of training data against one evaluation text, word for word: what is reported rests on this and on no hash. */
#include "audit.h"

enum { SAME_GRAMS = 16 };

void desk_next_row(Desk *desk) { desk->lines_sorted = desk->windows_known = false; }

void desk_free(Desk *desk) {
    for (size_t i = 0; i < 3; i++) free(desk->rooms[i].items);
    free(desk->row_lines.items);
    Chains *chains[] = {&desk->row_windows, &desk->text_windows};
    for (size_t i = 0; i < 2; i++) {
        free(chains[i]->heads.items);
        free(chains[i]->next.items);
    }
    memset(desk, 0, sizeof *desk);
}

static int by_hash(const void *one, const void *other) {
    const Place *a = one, *b = other;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* The first of the sorted places with a hash, or `count`. */
static size_t first_of(const Place *places, size_t count, uint64_t hash) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (places[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool same_words(const Text *one, uint32_t first, const Text *other, uint32_t second, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!same_word(WORDS(one) + first + i, WORDS(other) + second + i)) return false;
    return true;
}

/* ---- runs of words ---- */

static bool make_room(Desk *desk, size_t words, size_t *mask) {
    size_t heads = 64;
    while (heads < 2 * words) heads *= 2;
    size_t wanted[] = {words, heads, words};
    for (size_t i = 0; i < 3; i++)
        if (!list_reserve(&desk->rooms[i], sizeof(int32_t), wanted[i])) return false;
    desk->best = desk->rooms[0].items;
    desk->heads = desk->rooms[1].items;
    desk->next = desk->rooms[2].items;
    memset(desk->best, 0, words * sizeof(int32_t));
    memset(desk->heads, 0xFF, heads * sizeof(int32_t));
    *mask = heads - 1;
    return true;
}

/* For each word of the text, the longest run of words from it on that stands in the row, in runs of GRAM or more. */
static bool find_runs(const Text *row, const Text *text, Desk *desk) {
    size_t n = text->words.count, m = row->words.count, mask;
    if (!make_room(desk, n ? n : 1, &mask)) return false;
    if (n < GRAM || m < GRAM) return true;
    uint64_t raised = power(BASE, GRAM);
    for (size_t p = n - GRAM + 1; p-- > 0;) {
        size_t slot = gram(text, p, GRAM, raised) >> 32 & mask;
        desk->next[p] = desk->heads[slot];
        desk->heads[slot] = (int32_t)p;
    }
    const Word *of_text = WORDS(text), *of_row = WORDS(row);
    for (size_t j = 0; j + GRAM <= m; j++) {
        uint64_t hash = gram(row, j, GRAM, raised);
        int looked = 0;
        for (int32_t p = desk->heads[hash >> 32 & mask]; p >= 0 && looked < SAME_GRAMS; p = desk->next[p]) {
            if (gram(text, (size_t)p, GRAM, raised) != hash) continue;
            looked++;
            if (p && j && same_word(of_text + p - 1, of_row + j - 1)) continue; /* within a run that is known */
            size_t length = 0;
            while ((size_t)p + length < n && j + length < m && same_word(of_text + p + length, of_row + j + length)) length++;
            if (length < GRAM) continue;
            for (size_t i = 0; i < length; i++)
                if (desk->best[(size_t)p + i] < (int32_t)(length - i)) desk->best[(size_t)p + i] = (int32_t)(length - i);
        }
    }
    return true;
}

static void measure_runs(const Text *text, const Desk *desk, Found *found) {
    size_t n = text->words.count, reach = 0, reach_long = 0;
    for (size_t p = 0; p < n; p++) {
        size_t best = (size_t)desk->best[p];
        if (best > (size_t)found->longest) {
            found->longest = (int32_t)best;
            found->start = (int32_t)p;
        }
        if (best >= GRAM && p + best > reach) reach = p + best;
        if (best >= LONG && p + best > reach_long) reach_long = p + best;
        found->covered += p < reach;
        found->covered_long += p < reach_long;
    }
    const Word *run = WORDS(text) + found->start;
    for (int32_t i = 0; i < found->longest && i < RUN_HEAD; i++) {
        int32_t before = 0;
        while (before < i && !same_word(run + before, run + i)) before++;
        found->distinct += before == i;
    }
}

/* ---- shingles ---- */

static void count_by_words(const Text *row, const Text *text, const Desk *desk, size_t width, Found *found) {
    size_t n = text->words.count, since = 0;
    for (size_t p = 0; p + width <= n; p++) found->shared += (size_t)desk->best[p] >= width;
    found->shingles = n >= width ? (int32_t)(n - width + 1) : 0;
    for (size_t j = 0; j < row->words.count; j++) {
        since = WORDS(row)[j].length ? since + 1 : 0;
        found->row_shingles += since >= width;
    }
}

/* Every shingle begins at a byte of the normal form: the words with one space between. */
static void count_by_bytes(const Text *row, const Text *text, const Desk *desk, size_t width, Found *found) {
    size_t n = text->words.count, at = 0, next = 0;
    for (size_t p = 0; p < n; p++) {
        size_t best = (size_t)desk->best[p];
        if (best && (p == 0 || (size_t)desk->best[p - 1] < best + 1)) {
            size_t length = best - 1;
            for (size_t i = 0; i < best; i++) length += WORDS(text)[p + i].length;
            size_t from = at > next ? at : next, until = at + length + 1; /* starts up to `until - width` */
            if (until > from + width) {
                found->shared += (int32_t)(until - width - from);
                next = until - width;
            }
        }
        at += WORDS(text)[p].length + 1;
    }
    found->shingles = at > width ? (int32_t)(at - width) : 0;
    size_t since = 0;
    for (size_t j = 0; j <= row->words.count; j++) {
        if (j < row->words.count && WORDS(row)[j].length) {
            since += WORDS(row)[j].length + 1;
            continue;
        }
        found->row_shingles += since > width ? (int32_t)(since - width) : 0;
        since = 0;
    }
}

/* ---- lines and whole texts ---- */

static bool sort_lines(const Text *row, Desk *desk) {
    if (desk->lines_sorted) return true;
    desk->row_lines.count = 0;
    if (!list_reserve(&desk->row_lines, sizeof(Place), row->lines.count)) return false;
    Place *places = desk->row_lines.items;
    for (size_t i = 0; i < row->lines.count; i++) places[i] = (Place){LINES(row)[i].hash, (uint32_t)i};
    desk->row_lines.count = row->lines.count;
    if (row->lines.count) qsort(places, row->lines.count, sizeof *places, by_hash);
    desk->lines_sorted = true;
    return true;
}

static bool has_line(const Text *row, const Desk *desk, const Text *text, Piece line) {
    const Place *places = desk->row_lines.items;
    size_t count = desk->row_lines.count;
    for (size_t i = first_of(places, count, line.hash); i < count && places[i].hash == line.hash; i++) {
        Piece other = LINES(row)[places[i].at];
        if (other.count == line.count && same_words(row, other.first, text, line.first, line.count)) return true;
    }
    return false;
}

static bool compare_lines(const Text *row, const Text *text, Desk *desk, Found *found) {
    if (!sort_lines(row, desk)) return false;
    for (size_t i = 0; i < text->lines.count; i++) {
        Piece line = LINES(text)[i];
        found->line_total += (int32_t)line.count;
        if (has_line(row, desk, text, line)) found->lines += (int32_t)line.count;
    }
    uint32_t n = (uint32_t)text->words.count;
    uint64_t whole = n ? PREFIX(text)[n] : 0;
    if (n && has_line(row, desk, text, (Piece){whole, 0, n})) found->exact |= 2;
    for (size_t i = 0; i < row->turns.count; i++) {
        Piece turn = TURNS(row)[i];
        if (turn.hash == whole && turn.count == n && same_words(row, turn.first, text, 0, n)) found->exact |= 1;
    }
    return true;
}

/* ---- windows of code ---- */

/* The windows of a text by their hashes, equal ones in order. */
bool sort_windows(const Text *text, List *places) {
    places->count = 0;
    if (!list_reserve(places, sizeof(Place), text->windows.count)) return false;
    Place *place = places->items;
    for (size_t i = 0; i < text->windows.count; i++)
        if (WINDOWS(text)[i]) place[places->count++] = (Place){WINDOWS(text)[i], (uint32_t)i};
    if (places->count) qsort(place, places->count, sizeof *place, by_hash);
    return true;
}

static uint32_t back_within(const Token *token, size_t offset) { return token->back <= offset ? token->back : 0; }

static bool same_tokens(const Token *one, const Token *other, size_t width) {
    for (size_t o = 0; o < width; o++) {
        if (one[o].value != other[o].value) return false;
        if (!one[o].value && back_within(one + o, o) != back_within(other + o, o)) return false;
        Word a = {1, one[o].at, one[o].length}, b = {1, other[o].at, other[o].length};
        if (one[o].value && (a.length || b.length) && !same_word(&a, &b)) return false;
    }
    return true;
}

static bool clear_chains(Chains *chains, size_t count) {
    size_t heads = 64;
    while (heads < 2 * count) heads *= 2;
    chains->heads.count = chains->next.count = 0;
    if (!list_reserve(&chains->heads, sizeof(int32_t), heads) || !list_reserve(&chains->next, sizeof(int32_t), count)) return false;
    memset(chains->heads.items, 0xFF, heads * sizeof(int32_t));
    chains->mask = heads - 1;
    return true;
}

static inline int32_t *head_of(const Chains *chains, uint64_t hash) {
    return (int32_t *)chains->heads.items + (hash >> 32 & chains->mask);
}

static inline void chain(Chains *chains, uint64_t hash, size_t place) {
    int32_t *head = head_of(chains, hash);
    ((int32_t *)chains->next.items)[place] = *head;
    *head = (int32_t)place;
}

static bool chain_row(const Text *row, Desk *desk) {
    if (desk->windows_known) return true;
    if (!clear_chains(&desk->row_windows, row->windows.count)) return false;
    for (size_t i = 0; i < row->windows.count; i++)
        if (WINDOWS(row)[i]) chain(&desk->row_windows, WINDOWS(row)[i], i);
    desk->windows_known = true;
    return true;
}

/* Whether a window of the text stands in a text whose windows are chained; without `width` their hashes say it. */
static bool has_window(const Text *chained, const Chains *chains, const Text *text, size_t at, size_t width) {
    const int32_t *next = chains->next.items;
    for (int32_t i = *head_of(chains, WINDOWS(text)[at]); i >= 0; i = next[i])
        if (WINDOWS(chained)[i] == WINDOWS(text)[at] && (!width || same_tokens(TOKENS(text) + at, TOKENS(chained) + i, width)))
            return true;
    return false;
}

/* Each window counts once, so that code which repeats one statement is not told by that alone. */
static bool compare_code(const Text *row, const Text *text, Desk *desk, size_t width, Found *found) {
    size_t count = text->windows.count;
    if (count == 0) return true;
    if (!chain_row(row, desk) || !clear_chains(&desk->text_windows, count)) return false;
    for (size_t i = 0; i < count; i++) {
        if (!WINDOWS(text)[i] || has_window(text, &desk->text_windows, text, i, 0)) continue;
        chain(&desk->text_windows, WINDOWS(text)[i], i);
        found->window_total++;
        found->windows += has_window(row, &desk->row_windows, text, i, width);
    }
    return true;
}

bool compare(const Text *row, const Text *text, Desk *desk, size_t window, Shingle shingle, Found *found) {
    found->words = (int32_t)text->words.count;
    if (!find_runs(row, text, desk)) return false;
    measure_runs(text, desk, found);
    if (shingle.bytes)
        count_by_bytes(row, text, desk, shingle.width, found);
    else
        count_by_words(row, text, desk, shingle.width, found);
    return compare_lines(row, text, desk, found) && compare_code(row, text, desk, window, found);
}
