/* The scan: the keys of an evaluation text, and what a row of training data holds of the texts that it may hold. */
#include "audit.h"

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

enum { LONGEST_KEPT = 1 << 14 };

/* An evaluation text taken apart; short ones are kept for a while, since rows that are alike lead to the same ones. */
static const Text *text_of(Worker *worker, const Index *index, int32_t number) {
    const uint8_t *raw = index->bytes + index->offsets[number];
    size_t size = (size_t)(index->offsets[number + 1] - index->offsets[number]), slot = (size_t)number % KEPT;
    if (size > LONGEST_KEPT) return read_text(&worker->text, &index->reading, raw, size) ? &worker->text : NULL;
    if (worker->kept_numbers[slot] != number + 1) {
        worker->kept_numbers[slot] = 0;
        if (!read_text(worker->kept + slot, &index->reading, raw, size)) return NULL;
        worker->kept_numbers[slot] = number + 1;
    }
    return worker->kept + slot;
}

bool judge_row(Worker *worker, const Index *index, const Row *row) {
    if (!probe_row(worker, index, row)) return false;
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
        Found found = {.row = row->number, .text = number};
        const Text *text = text_of(worker, index, number);
        if (text == NULL || !compare(&row->text, text, &worker->desk, index->reading.window, index->shingle, &found)) return false;
        compare_paths(&row->text, text, &index->reading, &found);
        if (!worth_telling(&found)) continue;
        if (!list_reserve(&worker->found, sizeof found, 1)) return false;
        ((Found *)worker->found.items)[worker->found.count++] = found;
    }
    return true;
}
