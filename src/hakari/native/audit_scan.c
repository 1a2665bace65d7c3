/* The scan: rows of training data, an index of evaluation texts, and which of them a row may hold. */
#include "audit.h"

#include <stddef.h>

/* ---- keys of a text ---- */

static bool path_counts(const Text *text, const Reading *reading, Piece path) {
    size_t letters = 0;
    for (uint32_t i = 0; i < path.count; i++) {
        const Word *word = WORDS(text) + path.first + i;
        if ((uint8_t)(word->at[0] - '0') < 10) return false;
        letters += word->length;
    }
    return path.first == 0 && (path.count >= 3 || letters >= 16) && !set_has(&reading->owners, WORDS(text)[0].hash);
}

/* One window in four. */
static bool is_sampled(uint64_t window) { return window && window >> 62 == 0; }

static bool push_key(List *out, uint64_t hash, enum key_kind kind, int32_t number) {
    if (!list_reserve(out, sizeof(Keyed), 1)) return false;
    ((Keyed *)out->items)[out->count++] = (Keyed){key_of(hash, kind), number, kind};
    return true;
}

/* The keys under which an evaluation text is found, and its counts: words, words in lines, windows, sampled windows. */
bool keys_of(const Text *text, const Reading *reading, int32_t number, List *out, List *places,
             int32_t counts[4]) {
    size_t n = text->words.count, lines = text->lines.count;
    bool kept = true;
    if (n) kept = push_key(out, PREFIX(text)[n], KEY_WHOLE, number);
    if (n >= LINE_WORDS && n < LONG) kept &= push_key(out, PREFIX(text)[n], KEY_LINE, number);
    size_t width = n >= 3 * LONG ? LONG : GRAM, stride = width == LONG ? STRIDE : 1;
    uint64_t raised = power(BASE, width);
    for (size_t p = 0; n >= LONG && p + width <= n; p += stride)
        kept &= push_key(out, gram(text, p, width, raised), width == LONG ? KEY_LONG : KEY_SHORT, number);
    counts[0] = (int32_t)n;
    counts[1] = counts[2] = counts[3] = 0;
    for (size_t i = 0; i < lines; i++) counts[1] += (int32_t)LINES(text)[i].count;
    for (size_t i = 0; lines >= 3 && i < lines; i++) kept &= push_key(out, LINES(text)[i].hash, KEY_LINE, number);
    kept &= sort_windows(text, places);
    const Place *windows = places->items;
    for (size_t i = 0; kept && i < places->count; i++) {
        if (i && windows[i].hash == windows[i - 1].hash) continue;
        counts[2]++;
        if (!is_sampled(windows[i].hash)) continue;
        counts[3]++;
        kept &= push_key(out, windows[i].hash, KEY_CODE, number);
    }
    for (size_t i = 0; i < text->paths.count; i++)
        if (path_counts(text, reading, PATHS(text)[i])) kept &= push_key(out, PATHS(text)[i].hash, KEY_PATH, number);
    return kept;
}

/* ---- probing ---- */

static int64_t number_of(const Index *index, uint64_t key) {
    const Table *table = index->tables + (key >> (64 - KIND_BITS));
    const uint32_t *bucket = table->buckets + (key << KIND_BITS >> table->shift);
    for (uint32_t i = bucket[0]; i < bucket[1] && index->keys[i] <= key; i++)
        if (index->keys[i] == key) return i;
    return -1;
}

static bool hit(Worker *worker, const Index *index, uint64_t key, size_t field, int32_t amount) {
    int64_t number = number_of(index, key);
    if (number < 0) return true;
    for (int64_t i = index->starts[number]; i < index->starts[number + 1]; i++) {
        int32_t text = index->postings[i];
        Hits *hits = worker->hits + text;
        if (hits->stamp != worker->stamp) {
            *hits = (Hits){.stamp = worker->stamp};
            if (!list_reserve(&worker->touched, sizeof text, 1)) return false;
            ((int32_t *)worker->touched.items)[worker->touched.count++] = text;
        }
        *(int32_t *)((char *)hits + field) += amount;
    }
    return true;
}

static uint64_t *keys_of_pieces(const List *pieces, enum key_kind kind, uint64_t *keys) {
    const Piece *piece = pieces->items;
    for (size_t i = 0; i < pieces->count; i++) *keys++ = key_of(piece[i].hash, kind);
    return keys;
}

/* Of all runs of `width` words that lie within a cell. */
static uint64_t *keys_of_grams(const Text *row, size_t width, enum key_kind kind, uint64_t *keys) {
    const uint32_t *from = row->cells.items;
    for (size_t c = 0; c < row->cells.count; c++) {
        size_t end = c + 1 == row->cells.count ? row->words.count : from[c + 1] ? from[c + 1] - 1 : 0;
        if (end < from[c] + width) continue;
        size_t count = end - from[c] - width + 1;
        wide.gram_keys(PREFIX(row) + from[c], count, width, kind, keys);
        keys += count;
    }
    return keys;
}

static uint64_t *keys_of_windows(const Text *row, uint64_t *keys) {
    const uint64_t *windows = WINDOWS(row);
    size_t count = 0;
    for (size_t i = 0; i < row->windows.count; i++) {
        keys[count] = windows[i];
        count += is_sampled(windows[i]);
    }
    for (size_t i = 0; i < count; i++) keys[i] = key_of(keys[i], KEY_CODE);
    return keys + count;
}

enum { LINE = 64, FAR = 1 << 18 }; /* bytes: of what is fetched at once; of a filter that the nearest memory may lack */

static void fetch(const Filter *filter, const uint64_t *keys, const uint64_t *end) {
    if (filter->count * sizeof(uint64_t) < FAR) return;
    for (; keys < end; keys++) __builtin_prefetch(filter->words + filter_word(filter, *keys));
}

/* Those of the keys of a kind that the index has, counted in a field of the texts that have them. */
static bool probe(Worker *worker, const Index *index, enum key_kind kind, size_t field, const uint64_t *keys, const uint64_t *end) {
    const Table *table = index->tables + kind;
    uint8_t *held = worker->held.items;
    size_t count = (size_t)(end - keys);
    if (table->buckets == NULL) return true;
    wide.look(&table->filter, keys, count, held);
    memset(held + count, 0, sizeof(uint64_t));
    for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
        uint64_t some;
        memcpy(&some, held + at, sizeof some);
        for (size_t i = at; some; i++, some >>= 8)
            if ((some & 0xFF) && !hit(worker, index, keys[i], field, kind == KEY_LINE ? (int32_t)LINES(&worker->row)[i].count : 1))
                return false;
    }
    return true;
}

static bool probe_row(Worker *worker, const Index *index) {
    const Text *row = &worker->row;
    worker->touched.count = 0;
    if (worker->stamp == INT32_MAX) {
        memset(worker->hits, 0, (index->text_count + 1) * sizeof *worker->hits);
        worker->stamp = 0;
    }
    worker->stamp++;
    size_t most = row->turns.count + row->paths.count + row->lines.count + 2 * row->words.count + row->windows.count + 1;
    if (!list_reserve(&worker->keys, sizeof(uint64_t), most) || !list_reserve(&worker->held, 1, most + sizeof(uint64_t)))
        return false;
    /* The most of them first, so that they arrive while the others are made. */
    uint64_t *longs = worker->keys.items, *lines = keys_of_grams(row, LONG, KEY_LONG, longs);
    fetch(&index->tables[KEY_LONG].filter, longs, lines);
    uint64_t *shorts = keys_of_pieces(&row->lines, KEY_LINE, lines);
    fetch(&index->tables[KEY_LINE].filter, lines, shorts);
    uint64_t *codes = keys_of_grams(row, GRAM, KEY_SHORT, shorts), *paths = keys_of_windows(row, codes);
    uint64_t *wholes = keys_of_pieces(&row->paths, KEY_PATH, paths), *end = keys_of_pieces(&row->turns, KEY_WHOLE, wholes);
    return probe(worker, index, KEY_PATH, offsetof(Hits, sure), paths, wholes) &&
           probe(worker, index, KEY_WHOLE, offsetof(Hits, sure), wholes, end) &&
           probe(worker, index, KEY_SHORT, offsetof(Hits, shorts), shorts, codes) &&
           probe(worker, index, KEY_CODE, offsetof(Hits, codes), codes, paths) &&
           probe(worker, index, KEY_LINE, offsetof(Hits, lines), lines, shorts) &&
           probe(worker, index, KEY_LONG, offsetof(Hits, longs), longs, lines);
}

/* ---- one row ---- */

bool read_text(Text *text, const Reading *reading, const uint8_t *raw, size_t size) {
    text_clear(text);
    return text_add_cell(text, reading, raw, size) && text_finish(text, reading);
}

static bool reached(int32_t hits, int32_t need) { return need > 0 && hits >= need; }

static void compare_paths(const Text *row, const Text *text, const Reading *reading, Found *found) {
    for (size_t i = 0; i < text->paths.count; i++) {
        Piece path = PATHS(text)[i];
        if (!path_counts(text, reading, path)) continue;
        for (size_t j = 0; j < row->paths.count && !found->path; j++) {
            Piece other = PATHS(row)[j];
            bool same = other.hash == path.hash && other.count == path.count;
            for (uint32_t w = 0; same && w < path.count; w++)
                same = same_word(WORDS(text) + path.first + w, WORDS(row) + other.first + w);
            found->path = same;
        }
    }
}

static bool worth_telling(const Found *f) {
    return f->exact || f->path || f->longest >= 12 || (f->words >= LONG && 2 * f->covered >= f->words) ||
           (f->line_total >= 12 && 2 * f->lines >= f->line_total) || (f->window_total >= 16 && 2 * f->windows >= f->window_total);
}

static int ascending(const void *one, const void *other) {
    int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;
    return a < b ? -1 : a > b;
}

bool judge_row(Worker *worker, const Index *index, int64_t row_number) {
    if (!text_finish(&worker->row, &index->reading) || !probe_row(worker, index)) return false;
    int32_t *touched = worker->touched.items;
    if (worker->touched.count > 1) qsort(touched, worker->touched.count, sizeof *touched, ascending);
    desk_next_row(&worker->desk);
    for (size_t i = 0; i < worker->touched.count; i++) {
        int32_t number = touched[i];
        const Hits *hits = worker->hits + number;
        const Needs *needs = index->needs + number;
        if (!hits->sure && !reached(hits->longs, needs->need_long) && !reached(hits->shorts, needs->need_short) &&
            !reached(hits->lines, needs->need_line) && !reached(hits->codes, needs->need_code))
            continue;
        const uint8_t *raw = index->bytes + index->offsets[number];
        size_t size = (size_t)(index->offsets[number + 1] - index->offsets[number]);
        Found found = {.row = row_number, .text = number};
        if (!read_text(&worker->text, &index->reading, raw, size) ||
            !compare(&worker->row, &worker->text, &worker->desk, index->reading.window, index->shingle, &found))
            return false;
        compare_paths(&worker->row, &worker->text, &index->reading, &found);
        if (!worth_telling(&found)) continue;
        if (!list_reserve(&worker->found, sizeof found, 1)) return false;
        ((Found *)worker->found.items)[worker->found.count++] = found;
    }
    return true;
}
