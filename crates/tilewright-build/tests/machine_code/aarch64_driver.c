/* Maps an AArch64 image as the runtime does, and calls its kernels: the other end of aarch64.rs, under an emulator.
 *
 * Requests come on standard input and answers go to standard output, in 64-bit little-endian words and bytes. First the
 * image: bytes of text and data, offsets of the data and of the slot table, number of slots, number of words of the data
 * to which the image's address is added, number of symbols that the driver knows; text and data; for each slot its index
 * among those symbols; the offsets of those words in the data. Then calls: entry offset, scratch bytes, number of
 * tensors, number of scalars; for each tensor its bytes, whether it is written, and its contents; the scalars. The answer
 * is the status, the message's length and text, and the contents of the written tensors.
 *
 * Memory that a kernel gets ends where a page does, and the pages around it can be neither read nor written. Tasks of
 * parallel regions run from the last to the first.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The arrays `symbols` (addresses) and `symbol_names`, in the order of the runtime's table. */
#include SYMBOLS

typedef struct KernelCx KernelCx;
typedef int32_t Body(const KernelCx *cx, uint8_t *closure, int64_t task, int64_t tasks);
typedef int32_t Kernel(const KernelCx *cx, uint8_t *const *args, const int64_t *dims);

struct KernelCx {
    int32_t (*parallel_for)(const KernelCx *cx, Body *body, uint8_t *closure, int64_t tasks);
    int32_t (*fail)(const KernelCx *cx, int32_t status, const uint8_t *message, int64_t length);
    uint8_t *scratch;
    uint8_t *state;
    uint8_t *(*alloc)(const KernelCx *cx, int64_t bytes);
    void (*free)(const KernelCx *cx, uint8_t *memory);
    int32_t (*call_packed)(const KernelCx *cx, const uint8_t *name, int64_t length, const void *args, int64_t n_args,
                           void *result);
    int32_t (*parallel_for_estimated)(const KernelCx *cx, Body *body, uint8_t *closure, int64_t tasks,
                                      int64_t nanoseconds);
};

static void stop(const char *why) {
    fprintf(stderr, "aarch64 driver: %s\n", why);
    exit(2);
}

static void receive(void *to, size_t bytes) {
    if (bytes != 0 && fread(to, 1, bytes, stdin) != bytes) stop("the request is cut short");
}

static uint64_t receive_word(void) {
    uint64_t word;
    receive(&word, 8);
    return word;
}

static void answer(const void *from, size_t bytes) {
    if (bytes != 0 && fwrite(from, 1, bytes, stdout) != bytes) stop("nobody takes the answer");
}

static void answer_word(uint64_t word) {
    answer(&word, 8);
}

static int32_t parallel_for(const KernelCx *cx, Body *body, uint8_t *closure, int64_t tasks) {
    for (int64_t task = tasks - 1; task >= 0; task--) {
        int32_t status = body(cx, closure, task, tasks);
        if (status != 0) return status;
    }
    return 0;
}

static int32_t parallel_for_estimated(const KernelCx *cx, Body *body, uint8_t *closure, int64_t tasks,
                                      int64_t nanoseconds) {
    if (nanoseconds < 0) stop("a region takes less than no time");
    return parallel_for(cx, body, closure, tasks);
}

static uint8_t *map(size_t bytes) {
    uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) stop("there is no memory");
    return memory;
}

static size_t page_bytes;

static size_t whole_pages(size_t bytes) {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/* `bytes` bytes right before a page that cannot be touched, with such a page before them too. */
struct Guarded {
    uint8_t *mapping, *data;
    size_t bytes;
};

static struct Guarded guarded(size_t bytes) {
    size_t inner = whole_pages(bytes);
    uint8_t *mapping = map(inner + 2 * page_bytes);
    if (mprotect(mapping, page_bytes, PROT_NONE) != 0) stop("no guard before");
    if (mprotect(mapping + page_bytes + inner, page_bytes, PROT_NONE) != 0) stop("no guard behind");
    return (struct Guarded){mapping, mapping + page_bytes + inner - bytes, bytes};
}

static void release(struct Guarded guarded) {
    munmap(guarded.mapping, whole_pages(guarded.bytes) + 2 * page_bytes);
}

#define MAX_ARGUMENTS 64
#define MAX_TEMPORARIES 1024

/* What a call leaves behind. */
struct State {
    int64_t message_length;
    uint8_t message[4096];
    size_t temporaries;
    struct Guarded temporary[MAX_TEMPORARIES];
};

static int32_t fail(const KernelCx *cx, int32_t status, const uint8_t *message, int64_t length) {
    struct State *state = (struct State *)cx->state;
    state->message_length = length < (int64_t)sizeof state->message ? length : (int64_t)sizeof state->message;
    memcpy(state->message, message, state->message_length);
    return status;
}

static uint8_t *alloc(const KernelCx *cx, int64_t bytes) {
    struct State *state = (struct State *)cx->state;
    const char refusal[] = "no memory of this size";
    if (bytes < 0 || bytes > (1 << 28) || state->temporaries == MAX_TEMPORARIES) {
        fail(cx, 5, (const uint8_t *)refusal, sizeof refusal - 1);
        return NULL;
    }
    /* Aligned like the runtime's, so the page behind is not always adjacent. */
    struct Guarded memory = guarded((bytes + 63) / 64 * 64);
    state->temporary[state->temporaries++] = memory;
    return memory.data;
}

static void release_last(const KernelCx *cx, uint8_t *memory) {
    struct State *state = (struct State *)cx->state;
    if (memory == NULL) return;
    if (state->temporaries == 0 || state->temporary[state->temporaries - 1].data != memory) {
        stop("temporaries are freed out of order");
    }
    release(state->temporary[--state->temporaries]);
}

static int32_t call_packed(const KernelCx *cx, const uint8_t *name, int64_t length, const void *args, int64_t n_args,
                           void *result) {
    const char refusal[] = "the emulated machine has no packed functions";
    return fail(cx, 4, (const uint8_t *)refusal, sizeof refusal - 1);
}

static uint8_t *receive_image(void) {
    uint64_t text = receive_word(), data = receive_word(), data_start = receive_word();
    uint64_t slot_table = receive_word(), slots = receive_word(), relocations = receive_word();
    if (receive_word() != sizeof symbols / sizeof *symbols) stop("it was built for another table of symbols");
    uint8_t *image = map(whole_pages(slot_table) + whole_pages(slots * 8 + 1));
    receive(image, text);
    receive(image + data_start, data);
    for (uint64_t slot = 0; slot < slots; slot++) {
        uint64_t symbol = receive_word();
        if (symbol >= sizeof symbols / sizeof *symbols || symbols[symbol] == NULL) {
            fprintf(stderr, "aarch64 driver: symbol %s is unknown\n", symbol_names[symbol]);
            exit(2);
        }
        memcpy(image + slot_table + slot * 8, &symbols[symbol], 8);
    }
    for (uint64_t relocation = 0; relocation < relocations; relocation++) {
        uint8_t *place = image + data_start + receive_word();
        uint64_t word;
        memcpy(&word, place, 8);
        word += (uint64_t)image;
        memcpy(place, &word, 8);
    }
    if (mprotect(image, data_start, PROT_READ | PROT_EXEC) != 0) stop("the text cannot be made executable");
    size_t constants = slot_table - data_start + slots * 8 + 1;
    if (mprotect(image + data_start, constants, PROT_READ) != 0) stop("the data cannot be made read-only");
    __builtin___clear_cache((char *)image, (char *)image + text);
    return image;
}

static void serve_call(const uint8_t *image, uint64_t entry) {
    static struct State state;
    state.message_length = state.temporaries = 0;
    uint64_t scratch_bytes = receive_word(), tensors = receive_word(), scalars = receive_word();
    if (tensors > MAX_ARGUMENTS || scalars > MAX_ARGUMENTS) stop("too many arguments");
    struct Guarded memory[MAX_ARGUMENTS];
    uint8_t *args[MAX_ARGUMENTS];
    int64_t dims[MAX_ARGUMENTS];
    uint64_t written[MAX_ARGUMENTS];
    for (uint64_t i = 0; i < tensors; i++) {
        memory[i] = guarded(receive_word());
        written[i] = receive_word();
        args[i] = memory[i].data;
        receive(args[i], memory[i].bytes);
        size_t inner = whole_pages(memory[i].bytes);
        if (!written[i] && mprotect(memory[i].mapping + page_bytes, inner, PROT_READ) != 0) stop("not read-only");
    }
    receive(dims, scalars * 8);
    struct Guarded scratch = guarded(scratch_bytes);
    KernelCx cx = {parallel_for, fail, scratch.data, (uint8_t *)&state, alloc, release_last, call_packed,
                   parallel_for_estimated};
    int32_t status = ((Kernel *)(image + entry))(&cx, args, dims);
    answer_word((uint64_t)(int64_t)status);
    answer_word(state.message_length);
    answer(state.message, state.message_length);
    for (uint64_t i = 0; i < tensors; i++) {
        if (written[i]) answer(memory[i].data, memory[i].bytes);
        release(memory[i]);
    }
    while (state.temporaries > 0) release(state.temporary[--state.temporaries]);
    release(scratch);
    fflush(stdout);
}

int main(void) {
    page_bytes = sysconf(_SC_PAGESIZE);
    const uint8_t *image = receive_image();
    uint64_t entry;
    while (fread(&entry, 1, 8, stdin) == 8) serve_call(image, entry);
    return 0;
}
