/* What one core of this machine can do, measured without the compiler under test.
 *
 * Built by probe.py with the system's C compiler and loaded into the benchmark's own process. The vectors are GCC's, of
 * the widest registers that the compiler says the processor has; `-ffp-contract=fast` makes the products and sums fused.
 */
#include <stddef.h>
#include <string.h>
#if defined(__AVX512BF16__)
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

/* Reads `count` floats once. */
float probe_read(const float *data, long count) {
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
