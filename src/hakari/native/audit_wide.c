/* Loops over many bytes or keys at once. Each is written once and compiled for several widths of the processor; which
   one runs is decided when it runs, and all give the same bytes. */
#include "audit.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE 1
#include <immintrin.h>
#else
#define WIDE 0
#endif

/* ---- what each byte of a cell is ---- */

enum { IN_WORD = 1, BREAK = 2, SENTENCE_END = 4, SPACE = 8, JOINER = 16, TOKEN = 32, BRACKET = 64 };
static uint8_t sorts[256];

static void sort_bytes(void) {
    for (unsigned c = 0; c < 256; c++) {
        uint8_t sort = is_word((uint8_t)c) ? IN_WORD : c > ' ' && c != ',' && c != ';' ? TOKEN : 0;
        if (is_space((uint8_t)c)) sort |= SPACE;
        if (c && strchr("\n;{}\x1e", (int)c)) sort |= BREAK;
        if (c && strchr(".!?", (int)c)) sort |= SENTENCE_END;
        if (c && strchr("|[/.:", (int)c)) sort |= JOINER;
        if (c && strchr("(){}[]=;", (int)c)) sort |= BRACKET;
        sorts[c] = sort;
    }
}

static size_t mark_plain(const uint8_t *raw, size_t blocks, Mark *marks) {
    size_t brackets = 0;
    for (size_t b = 0; b < blocks; b++, raw += 64) {
        Mark mark = {0};
        for (size_t i = 0; i < 64; i++) {
            uint64_t sort = sorts[raw[i]], ends = (sort & SENTENCE_END) && (sorts[raw[i + 1]] & SPACE);
            mark.words |= (sort & IN_WORD) << i;
            mark.breaks |= ((sort & BREAK) / BREAK | ends) << i;
            mark.joiners |= ((sort & JOINER) / JOINER) << i;
            mark.tokens |= ((sort & TOKEN) / TOKEN) << i;
            brackets += (sort & BRACKET) / BRACKET;
        }
        marks[b] = mark;
    }
    return brackets;
}

#if WIDE
/* EQUAL and BELOW (c - first < count) give one bit a byte; HIGH the bytes from 0x80 on. */
#define MARK_BLOCK                                                                                                        \
    uint64_t points = EQUAL(here, '.'), opens = EQUAL(here, '['), semicolons = EQUAL(here, ';');                          \
    uint64_t curly = EQUAL(here, '{') | EQUAL(here, '}');                                                                 \
    Mark mark;                                                                                                            \
    mark.words = BELOW(FOLDED(here), 'a', 26) | BELOW(here, '0', 10) | EQUAL(here, '_') | HIGH(here);                     \
    mark.breaks = EQUAL(here, '\n') | semicolons | curly | EQUAL(here, TURN_BREAK) |                                      \
                  ((points | EQUAL(here, '!') | EQUAL(here, '?')) & (EQUAL(after, ' ') | BELOW(after, '\t', 5)));         \
    mark.joiners = EQUAL(here, '|') | opens | EQUAL(here, '/') | points | EQUAL(here, ':');                               \
    mark.tokens = ~(mark.words | BELOW(here, 0, 33) | EQUAL(here, ',') | semicolons);                                     \
    uint64_t around = opens | EQUAL(here, ']') | EQUAL(here, '(') | EQUAL(here, ')') | EQUAL(here, '=');                  \
    brackets += (size_t)__builtin_popcountll(around | curly | semicolons);                                                \
    marks[b] = mark;

#define NARROW __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define BROAD __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt")))

typedef struct {
    __m256i low, high;
} Pair;

NARROW static inline uint64_t bits_of(__m256i low, __m256i high) {
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

NARROW static inline uint64_t equal(Pair v, char c) {
    __m256i wanted = _mm256_set1_epi8(c);
    return bits_of(_mm256_cmpeq_epi8(v.low, wanted), _mm256_cmpeq_epi8(v.high, wanted));
}

NARROW static inline uint64_t below(Pair v, char first, char count) {
    __m256i from = _mm256_set1_epi8(first), last = _mm256_set1_epi8((char)(count - 1));
    __m256i low = _mm256_sub_epi8(v.low, from), high = _mm256_sub_epi8(v.high, from);
    return bits_of(_mm256_cmpeq_epi8(_mm256_min_epu8(low, last), low), _mm256_cmpeq_epi8(_mm256_min_epu8(high, last), high));
}

NARROW static inline Pair folded(Pair v) {
    __m256i bit = _mm256_set1_epi8(0x20);
    return (Pair){_mm256_or_si256(v.low, bit), _mm256_or_si256(v.high, bit)};
}

NARROW static inline Pair pair_at(const uint8_t *at) {
    return (Pair){_mm256_loadu_si256((const __m256i *)at), _mm256_loadu_si256((const __m256i *)(at + 32))};
}

#define EQUAL(v, c) equal(v, c)
#define BELOW(v, first, count) below(v, first, count)
#define FOLDED(v) folded(v)
#define HIGH(v) bits_of(v.low, v.high)
NARROW static size_t mark_narrow(const uint8_t *raw, size_t blocks, Mark *marks) {
    size_t brackets = 0;
    for (size_t b = 0; b < blocks; b++, raw += 64) {
        Pair here = pair_at(raw), after = pair_at(raw + 1);
        MARK_BLOCK
    }
    return brackets;
}
#undef EQUAL
#undef BELOW
#undef FOLDED
#undef HIGH

#define EQUAL(v, c) ((uint64_t)_mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(c)))
#define BELOW(v, first, count) \
    ((uint64_t)_mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8(first)), _mm512_set1_epi8(count)))
#define FOLDED(v) _mm512_or_si512(v, _mm512_set1_epi8(0x20))
#define HIGH(v) ((uint64_t)_mm512_movepi8_mask(v))
BROAD static size_t mark_broad(const uint8_t *raw, size_t blocks, Mark *marks) {
    size_t brackets = 0;
    for (size_t b = 0; b < blocks; b++, raw += 64) {
        __m512i here = _mm512_loadu_si512(raw), after = _mm512_loadu_si512(raw + 1);
        MARK_BLOCK
    }
    return brackets;
}
#endif

/* ---- keys, and which of them the index may have ---- */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The keys of all runs of `width` words, from the hashes of all words up to each place. */
ALWAYS_INLINE void gram_keys(const uint64_t *prefix, size_t count, size_t width, enum key_kind kind, uint64_t *restrict keys) {
    uint64_t raised = power(BASE, width);
    for (size_t i = 0; i < count; i++) keys[i] = key_of(prefix[i + width] - prefix[i] * raised, kind);
}

/* One byte a key: whether all its bits are set in its word of the filter. */
ALWAYS_INLINE void look(const Filter *filter, const uint64_t *keys, size_t count, uint8_t *restrict held) {
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = filter_bits(keys[i]);
        held[i] = (filter->words[filter_word(filter, keys[i])] & bits) == bits;
    }
}

static void gram_keys_plain(const uint64_t *p, size_t n, size_t w, enum key_kind k, uint64_t *out) { gram_keys(p, n, w, k, out); }
static void look_plain(const Filter *f, const uint64_t *k, size_t n, uint8_t *out) { look(f, k, n, out); }
#if WIDE
NARROW static void gram_keys_narrow(const uint64_t *p, size_t n, size_t w, enum key_kind k, uint64_t *out) { gram_keys(p, n, w, k, out); }
BROAD static void gram_keys_broad(const uint64_t *p, size_t n, size_t w, enum key_kind k, uint64_t *out) { gram_keys(p, n, w, k, out); }

/* Eight keys at a time; `held` has room for eight bytes more than there are keys. */
BROAD static void look_broad(const Filter *filter, const uint64_t *keys, size_t count, uint8_t *held) {
    const __m512i one = _mm512_set1_epi64(1), six = _mm512_set1_epi64(63), words = _mm512_set1_epi64((long long)filter->count);
    for (size_t i = 0; i < count; i += 8) {
        __mmask8 there = count - i < 8 ? (__mmask8)((1u << (count - i)) - 1) : 0xFF;
        __m512i key = _mm512_maskz_loadu_epi64(there, keys + i), bits = _mm512_sllv_epi64(one, _mm512_and_si512(key, six));
        for (unsigned shift = 6; shift <= 18; shift += 6) {
            __m512i place = _mm512_and_si512(_mm512_srli_epi64(key, shift), six);
            bits = _mm512_or_si512(bits, _mm512_sllv_epi64(one, place));
        }
        __m512i high = _mm512_srli_epi64(_mm512_slli_epi64(key, KIND_BITS), 32);
        __m512i at = _mm512_srli_epi64(_mm512_mul_epu32(high, words), 32);
        __m512i word = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), there, at, filter->words, 8);
        __mmask8 set = _mm512_mask_cmpeq_epi64_mask(there, _mm512_and_si512(word, bits), bits);
        _mm_storel_epi64((__m128i *)(held + i), _mm_and_si128(_mm_movm_epi8(set), _mm_set1_epi8(1)));
    }
}
#endif

Wide wide = {mark_plain, gram_keys_plain, look_plain};

void choose_wide(void) {
    sort_bytes();
#if WIDE
    const char *told = getenv("HAKARI_VECTORS"); /* for tests, and to compare them */
    __builtin_cpu_init();
    bool narrow = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    bool broad = narrow && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (broad && !(told && *told))
        wide = (Wide){mark_broad, gram_keys_broad, look_broad};
    else if (narrow && !(told && !strcmp(told, "none")))
        wide = (Wide){mark_narrow, gram_keys_narrow, look_plain};
    else
        wide = (Wide){mark_plain, gram_keys_plain, look_plain};
#endif
}
