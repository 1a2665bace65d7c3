/* A row against the index: its keys, those of them that the index has, and the texts that these lead to. Memory is asked
   for long before it is needed, because hardly anything of a large index lies near the processor. */
#include "audit.h"

#include <stddef.h>

/* ---- the keys of a row ---- */

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

enum { FAR = 1 << 18 }; /* bytes of a filter that the nearest memory may lack */

static void fetch(const Filter *filter, const uint64_t *keys, const uint64_t *end) {
    if (filter->count * sizeof(uint64_t) < FAR) return;
    for (; keys < end; keys++) __builtin_prefetch(filter->words + filter_word(filter, *keys));
}

/* Make the keys of a row that is read, kind by kind, and ask for the words of the filters that tell of them. */
bool prepare_row(Row *row, const Index *index) {
    Text *text = &row->text;
    if (!text_finish(text, &index->reading)) return false;
    size_t most = text->turns.count + text->paths.count + text->lines.count + 2 * text->words.count + text->windows.count + 1;
    row->keys.count = 0;
    if (!list_reserve(&row->keys, sizeof(uint64_t), most)) return false;
    uint64_t *keys = row->keys.items, *end = keys;
    for (int kind = KEY_WHOLE; kind < KINDS; kind++) {
        uint64_t *first = end;
        if (index->tables[kind].buckets) switch ((enum key_kind)kind) {
            case KEY_WHOLE: end = keys_of_pieces(&text->turns, KEY_WHOLE, end); break;
            case KEY_LONG: end = keys_of_grams(text, LONG, KEY_LONG, end); break;
            case KEY_SHORT: end = keys_of_grams(text, GRAM, KEY_SHORT, end); break;
            case KEY_LINE: end = keys_of_pieces(&text->lines, KEY_LINE, end); break;
            case KEY_CODE: end = keys_of_windows(text, end); break;
            case KEY_PATH: end = keys_of_pieces(&text->paths, KEY_PATH, end); break;
            case KINDS: break;
        }
        fetch(&index->tables[kind].filter, first, end);
        row->ends[kind] = (size_t)(end - keys);
    }
    return true;
}

/* ---- what the index has of them ---- */

typedef struct {
    uint64_t key;
    size_t field; /* of the hits of a text */
    int32_t amount;
    uint32_t first, end; /* of the keys that it may be, of the texts that have it */
} Likely;

static bool find_likely(Worker *worker, const Index *index, const Row *row) {
    static const size_t fields[KINDS] = {0, offsetof(Hits, sure), offsetof(Hits, longs), offsetof(Hits, shorts),
                                         offsetof(Hits, lines), offsetof(Hits, codes), offsetof(Hits, sure)};
    const uint64_t *keys = row->keys.items;
    worker->likely.count = 0;
    for (size_t kind = KEY_WHOLE, from = 0; kind < KINDS; from = row->ends[kind++]) {
        size_t count = row->ends[kind] - from;
        if (count == 0) continue;
        if (!list_reserve(&worker->held, 1, count + sizeof(uint64_t)) || !list_reserve(&worker->likely, sizeof(Likely), count))
            return false;
        const Table *table = index->tables + kind;
        uint8_t *held = worker->held.items;
        wide.look(&table->filter, keys + from, count, held);
        memset(held + count, 0, sizeof(uint64_t));
        for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
            uint64_t some;
            memcpy(&some, held + at, sizeof some);
            for (size_t i = at; some; i++, some >>= 8) {
                if (!(some & 0xFF)) continue;
                uint64_t key = keys[from + i];
                int32_t amount = kind == KEY_LINE ? (int32_t)LINES(&row->text)[i].count : 1;
                __builtin_prefetch(table->buckets + (key << KIND_BITS >> table->shift));
                ((Likely *)worker->likely.items)[worker->likely.count++] = (Likely){key, fields[kind], amount, 0, 0};
            }
        }
    }
    return true;
}

/* Keep those that are keys of the index, with their places among the texts. */
static void find_keys(Worker *worker, const Index *index) {
    Likely *likely = worker->likely.items;
    size_t kept = 0;
    for (size_t i = 0; i < worker->likely.count; i++) {
        const Table *table = index->tables + (likely[i].key >> (64 - KIND_BITS));
        const uint32_t *bucket = table->buckets + (likely[i].key << KIND_BITS >> table->shift);
        likely[i].first = bucket[0], likely[i].end = bucket[1];
        __builtin_prefetch(index->keys + bucket[0]);
    }
    for (size_t i = 0; i < worker->likely.count; i++) {
        uint32_t at = likely[i].first;
        while (at < likely[i].end && index->keys[at] < likely[i].key) at++;
        if (at == likely[i].end || index->keys[at] != likely[i].key) continue;
        likely[kept] = likely[i];
        likely[kept++].first = at;
        __builtin_prefetch(index->starts + at);
    }
    worker->likely.count = kept;
    for (size_t i = 0; i < kept; i++) __builtin_prefetch(index->postings + index->starts[likely[i].first]);
    for (size_t i = 0; i < kept; i++) __builtin_prefetch(worker->hits + index->postings[index->starts[likely[i].first]]);
}

/* Count what leads from the row to each text; `touched` are the texts that anything leads to. */
bool probe_row(Worker *worker, const Index *index, const Row *row) {
    worker->touched.count = 0;
    if (worker->stamp == INT32_MAX) {
        memset(worker->hits, 0, (index->text_count + 1) * sizeof *worker->hits);
        worker->stamp = 0;
    }
    worker->stamp++;
    if (!find_likely(worker, index, row)) return false;
    find_keys(worker, index);
    const Likely *likely = worker->likely.items;
    for (size_t k = 0; k < worker->likely.count; k++) {
        for (int64_t i = index->starts[likely[k].first]; i < index->starts[likely[k].first + 1]; i++) {
            int32_t text = index->postings[i];
            Hits *hits = worker->hits + text;
            if (hits->stamp != worker->stamp) {
                *hits = (Hits){.stamp = worker->stamp};
                if (!list_reserve(&worker->touched, sizeof text, 1)) return false;
                ((int32_t *)worker->touched.items)[worker->touched.count++] = text;
            }
            *(int32_t *)((char *)hits + likely[k].field) += likely[k].amount;
        }
    }
    return true;
}
