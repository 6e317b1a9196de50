/* What this machine can do, on one core or several, measured without the compiler under test.
 *
 * Built by probe.py with the system's C compiler and loaded into the benchmark's own process. The vectors are GCC's, of
 * the widest registers that the compiler says the processor has; `-ffp-contract=fast` makes the products and sums fused.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define ACCUMULATORS 24
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#define ACCUMULATORS 12
#else
#define VECTOR_BYTES 16
#define ACCUMULATORS 12
#endif

typedef float vec __attribute__((vector_size(VECTOR_BYTES)));

/* Floating-point operations of one call of `probe_fma(rounds)`. */
double probe_fma_operations(long rounds) {
    return 2.0 * rounds * ACCUMULATORS * (VECTOR_BYTES / sizeof(float));
}

/* Independent chains of fused multiply-adds in registers, as many as hide their latency. */
float probe_fma(long rounds) {
    vec acc[ACCUMULATORS], factor, term;
    for (int i = 0; i < ACCUMULATORS; i++)
        acc[i] = (vec){0} + (float)i;
    factor = (vec){0} + 0.999f;
    term = (vec){0} + 0.001f;
    for (long r = 0; r < rounds; r++) {
        __asm__ volatile("" : "+x"(factor), "+x"(term));
#pragma GCC unroll 24
        for (int i = 0; i < ACCUMULATORS; i++)
            acc[i] = acc[i] * factor + term;
    }
    float sum = 0;
    for (int i = 0; i < ACCUMULATORS; i++)
        for (size_t lane = 0; lane < VECTOR_BYTES / sizeof(float); lane++)
            sum += acc[i][lane];
    return sum;
}

/* Floating-point operations of one call of `probe_bf16(rounds)`; 0 where the processor has no such instruction. */
double probe_bf16_operations(long rounds) {
#if defined(__AVX512BF16__)
    return 2.0 * 2.0 * rounds * ACCUMULATORS * (VECTOR_BYTES / sizeof(float));
#else
    return 0.0 * rounds;
#endif
}

/* As `probe_fma`, with the dot product of pairs of bfloat16. */
float probe_bf16(long rounds) {
    float sum = 0;
#if defined(__AVX512BF16__)
    __m512 acc[ACCUMULATORS];
    for (int i = 0; i < ACCUMULATORS; i++)
        acc[i] = _mm512_set1_ps((float)i);
    __m512bh a = (__m512bh)_mm512_set1_epi16(0x3f80), b = (__m512bh)_mm512_set1_epi16(0x3a00);
    for (long r = 0; r < rounds; r++) {
        __asm__ volatile("" : "+x"(a), "+x"(b));
#pragma GCC unroll 24
        for (int i = 0; i < ACCUMULATORS; i++)
            acc[i] = _mm512_dpbf16_ps(acc[i], a, b);
    }
    for (int i = 0; i < ACCUMULATORS; i++)
        sum += _mm512_reduce_add_ps(acc[i]);
#else
    (void)rounds;
#endif
    return sum;
}

/* Runs `work` on `threads` threads, the caller's among them, the `i`-th with the `i`-th argument of `size` bytes. */
static void on_threads(void *(*work)(void *), void *arguments, size_t size, int threads) {
    pthread_t others[64];
    for (int i = 1; i < threads; i++)
        pthread_create(&others[i], 0, work, (char *)arguments + i * size);
    work(arguments);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], 0);
}

static void *fma_on_thread(void *rounds) {
    *(volatile float *)rounds = probe_fma(*(long *)rounds);
    return 0;
}

/* `probe_fma(rounds)` on each of `threads` threads, up to 64. */
void probe_fma_threads(long rounds, int threads) {
    long each[64];
    for (int i = 0; i < threads; i++)
        each[i] = rounds;
    on_threads(fma_on_thread, each, sizeof each[0], threads);
}

struct addition {
    const float *a, *b;
    float *c;
    long count;
    int streaming;
};

/* c = a + b, as one would write it by hand; with `streaming`, stores go past the caches where they are aligned. */
static void *add_on_thread(void *argument) {
    const struct addition *work = argument;
    const float *a = work->a, *b = work->b;
    float *c = work->c;
    long i = 0;
#if defined(__AVX512F__)
    if (work->streaming) {
        for (; i < work->count && (uintptr_t)(c + i) % 64; i++)
            c[i] = a[i] + b[i];
        for (; i + 16 <= work->count; i += 16)
            _mm512_stream_ps(c + i, _mm512_add_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i)));
        _mm_sfence();
    }
#elif defined(__AVX__)
    if (work->streaming) {
        for (; i < work->count && (uintptr_t)(c + i) % 32; i++)
            c[i] = a[i] + b[i];
        for (; i + 8 <= work->count; i += 8)
            _mm256_stream_ps(c + i, _mm256_add_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i)));
        _mm_sfence();
    }
#endif
    for (; i < work->count; i++)
        c[i] = a[i] + b[i];
    return 0;
}

/* c = a + b of `count` floats on `threads` threads, up to 64, each with one piece of the arrays. */
void probe_add(const float *a, const float *b, float *c, long count, int threads, int streaming) {
    struct addition each[64];
    const long piece = count / threads;
    for (int i = 0; i < threads; i++) {
        const long length = i == threads - 1 ? count - i * piece : piece;
        each[i] = (struct addition){a + i * piece, b + i * piece, c + i * piece, length, streaming};
    }
    on_threads(add_on_thread, each, sizeof each[0], threads);
}

/* What is done with each byte of a buffer. */
enum traffic { READ, WRITE, COPY, PLAIN_WRITE, PLAIN_COPY };

struct pass {
    const float *source;
    float *target;
    long count, rounds;
    enum traffic traffic;
    volatile float sum;
};

/* Reads `count` floats once. */
static float read_all(const float *data, long count) {
    vec acc[8];
    memset(acc, 0, sizeof acc);
    const long step = sizeof acc / sizeof(float);
    for (long i = 0; i + step <= count; i += step)
#pragma GCC unroll 8
        for (int j = 0; j < 8; j++) {
            vec v;
            memcpy(&v, (const char *)(data + i) + j * sizeof(vec), sizeof v);
            acc[j] += v;
        }
    float sum = 0;
    for (int j = 0; j < 8; j++)
        for (size_t lane = 0; lane < VECTOR_BYTES / sizeof(float); lane++)
            sum += acc[j][lane];
    return sum;
}

/* Writes past the caches, where the processor can, and where the memory is aligned. */
static void write_all(float *target, long count) {
    long i = 0;
#if defined(__AVX512F__)
    const __m512 value = _mm512_set1_ps(1.0f);
    for (; i < count && (uintptr_t)(target + i) % 64; i++)
        target[i] = 1.0f;
    for (; i + 16 <= count; i += 16)
        _mm512_stream_ps(target + i, value);
    _mm_sfence();
#elif defined(__AVX__)
    const __m256 value = _mm256_set1_ps(1.0f);
    for (; i < count && (uintptr_t)(target + i) % 32; i++)
        target[i] = 1.0f;
    for (; i + 8 <= count; i += 8)
        _mm256_stream_ps(target + i, value);
    _mm_sfence();
#endif
    for (; i < count; i++)
        target[i] = 1.0f;
}

static void copy_all(const float *source, float *target, long count) {
    long i = 0;
#if defined(__AVX512F__)
    for (; i < count && (uintptr_t)(target + i) % 64; i++)
        target[i] = source[i];
    for (; i + 16 <= count; i += 16)
        _mm512_stream_ps(target + i, _mm512_loadu_ps(source + i));
    _mm_sfence();
#elif defined(__AVX__)
    for (; i < count && (uintptr_t)(target + i) % 32; i++)
        target[i] = source[i];
    for (; i + 8 <= count; i += 8)
        _mm256_stream_ps(target + i, _mm256_loadu_ps(source + i));
    _mm_sfence();
#endif
    for (; i < count; i++)
        target[i] = source[i];
}

/* As the two before, through the caches: faster where these hold it. */
static void write_plainly(float *target, long count) {
    for (long i = 0; i < count; i++)
        target[i] = 1.0f;
}

static void copy_plainly(const float *restrict source, float *restrict target, long count) {
    for (long i = 0; i < count; i++)
        target[i] = source[i];
}

static void *pass_on_thread(void *argument) {
    struct pass *work = argument;
    for (long round = 0; round < work->rounds; round++) {
        switch (work->traffic) {
        case READ:
            work->sum = read_all(work->source, work->count);
            break;
        case WRITE:
            write_all(work->target, work->count);
            break;
        case COPY:
            copy_all(work->source, work->target, work->count);
            break;
        case PLAIN_WRITE:
            write_plainly(work->target, work->count);
            break;
        case PLAIN_COPY:
            copy_plainly(work->source, work->target, work->count);
            break;
        }
        __asm__ volatile("" ::: "memory");
    }
    return 0;
}

/* Passes over `count` floats on `threads` threads, up to 64: reads `source`, writes `target`, or copies. */
void probe_traffic(const float *source, float *target, long count, int traffic, long rounds, int threads) {
    struct pass each[64];
    const long piece = count / threads;
    for (int i = 0; i < threads; i++) {
        const long length = i == threads - 1 ? count - i * piece : piece;
        each[i] = (struct pass){source + i * piece, target + i * piece, length, rounds, traffic, 0};
    }
    on_threads(pass_on_thread, each, sizeof each[0], threads);
}

static void *bf16_on_thread(void *rounds) {
    *(volatile float *)rounds = probe_bf16(*(long *)rounds);
    return 0;
}

/* `probe_bf16(rounds)` on each of `threads` threads, up to 64. */
void probe_bf16_threads(long rounds, int threads) {
    long each[64];
    for (int i = 0; i < threads; i++)
        each[i] = rounds;
    on_threads(bf16_on_thread, each, sizeof each[0], threads);
}

/* `rounds` times eight additions, each of which needs the one before: a cycle each. Some processors add constants for
 * nothing, so that it is a variable. */
long probe_chain(long rounds) {
    long value = rounds, step = 1;
    __asm__ volatile("" : "+r"(step));
    for (long r = 0; r < rounds; r++)
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            value += step;
            __asm__ volatile("" : "+r"(value));
        }
    return value;
}

/* `rounds` times eight fused multiply-adds, each of which needs the one before. */
float probe_fma_chain(long rounds) {
    vec acc = {0}, factor = (vec){0} + 0.999f, term = (vec){0} + 0.001f;
    for (long r = 0; r < rounds; r++) {
        __asm__ volatile("" : "+x"(factor), "+x"(term));
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++)
            acc = acc * factor + term;
    }
    return acc[0];
}

/* Bits of the widest vectors. */
int probe_vector_bits(void) { return 8 * VECTOR_BYTES; }

/* As `probe_fma`, in vectors of half the width, of as many registers: as fast for each element where the processor computes
 * a wide vector in two halves. */
typedef float half_vec __attribute__((vector_size(VECTOR_BYTES / 2)));

float probe_fma_half(long rounds) {
    half_vec acc[ACCUMULATORS], factor, term;
    for (int i = 0; i < ACCUMULATORS; i++)
        acc[i] = (half_vec){0} + (float)i;
    factor = (half_vec){0} + 0.999f;
    term = (half_vec){0} + 0.001f;
    for (long r = 0; r < rounds; r++) {
        __asm__ volatile("" : "+x"(factor), "+x"(term));
#pragma GCC unroll 24
        for (int i = 0; i < ACCUMULATORS; i++)
            acc[i] = acc[i] * factor + term;
    }
    float sum = 0;
    for (int i = 0; i < ACCUMULATORS; i++)
        for (size_t lane = 0; lane < VECTOR_BYTES / 2 / sizeof(float); lane++)
            sum += acc[i][lane];
    return sum;
}

/* Whether vectors of elements that lie anywhere can be read by one instruction here. */
int probe_has_gather(void) {
#if defined(__AVX512F__)
    return 1;
#else
    return 0;
#endif
}

/* Reads `rounds` times 16 floats of a table of 4096 anywhere: by one instruction, or one by one. */
float probe_gather(const float *table, long rounds, int by_instruction) {
    float sum = 0;
#if defined(__AVX512F__)
    int32_t places[256][16];
    for (int i = 0; i < 256; i++)
        for (int lane = 0; lane < 16; lane++)
            places[i][lane] = (i * 1021 + lane * 509) % 4096;
    __m512 acc = _mm512_setzero_ps();
    for (long r = 0; r < rounds; r++) {
        const int32_t *p = places[r % 256];
        __m512 v;
        if (by_instruction)
            v = _mm512_i32gather_ps(_mm512_loadu_si512(p), table, 4);
        else
            v = _mm512_set_ps(table[p[15]], table[p[14]], table[p[13]], table[p[12]], table[p[11]], table[p[10]],
                              table[p[9]], table[p[8]], table[p[7]], table[p[6]], table[p[5]], table[p[4]], table[p[3]],
                              table[p[2]], table[p[1]], table[p[0]]);
        acc = _mm512_add_ps(acc, v);
    }
    sum = _mm512_reduce_add_ps(acc);
#else
    (void)table, (void)rounds, (void)by_instruction;
#endif
    return sum;
}
