/* Runs models that `tilewright compile` has saved, from C.
 *
 *     tw_session *session = tw_session_open("model.twx");
 *     if (!session) { fprintf(stderr, "%s\n", tw_last_error()); return 1; }
 *     float data[4] = {1, 2, 3, 4};
 *     int64_t shape[2] = {2, 2};
 *     tw_tensor x = {data, shape, 2, TW_FLOAT32, NULL}, y = {0};
 *     if (tw_session_run(session, &x, 1, &y, 1) != 0) { ... }
 *     ... y.data, y.shape ...
 *     tw_tensor_release(&y);
 *     tw_session_close(session);
 *
 * Link with -ltilewright_c. Nothing else is needed at run time: the library contains no compiler. Any number of threads
 * may run one session at once. Functions that fail say why in tw_last_error(), which each thread has for itself.
 *
 * A saved model contains machine code: open only what you would load as a shared library.
 */
#ifndef TILEWRIGHT_H
#define TILEWRIGHT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Types of elements. Elements of 16-bit floats are given as their bits, booleans as bytes of 0 or 1. */
typedef enum tw_dtype {
    TW_BOOL = 1,
    TW_INT8 = 2,
    TW_INT16 = 3,
    TW_INT32 = 4,
    TW_INT64 = 5,
    TW_UINT8 = 6,
    TW_UINT16 = 7,
    TW_UINT32 = 8,
    TW_UINT64 = 9,
    TW_FLOAT16 = 10,
    TW_BFLOAT16 = 11,
    TW_FLOAT32 = 12,
    TW_FLOAT64 = 13
} tw_dtype;

/* A model that is ready to run. */
typedef struct tw_session tw_session;

/* An input or an output of a model. What it points to lives as long as the session. */
typedef struct tw_spec {
    const char *name;
    tw_dtype dtype;
    int32_t rank;
    /* `rank` sizes; -1 for a symbolic dimension, which may have any size. */
    const int64_t *shape;
    /* `rank` names: NULL for a known size. Dimensions of one name have the same size in a run. */
    const char *const *symbols;
} tw_spec;

/* A tensor: elements in row-major order. */
typedef struct tw_tensor {
    void *data;
    const int64_t *shape;
    int32_t rank;
    tw_dtype dtype;
    /* NULL for a tensor of yours; else it is the library's, for tw_tensor_release. */
    void *owner;
} tw_tensor;

/* The library's version, such as "0.1.0". */
const char *tw_version(void);

/* Why the last function that failed on this thread did so; empty if none has. Valid until the next call that fails. */
const char *tw_last_error(void);

/* How many bytes an element takes; 0 for a number that is no type. */
size_t tw_dtype_bytes(tw_dtype dtype);

/* How many threads run kernels, in the whole process; 0, and by default, one for each processor. */
void tw_set_num_threads(size_t threads);

/* Opens a saved model, whose file must not be changed while it is open; NULL: it failed. */
tw_session *tw_session_open(const char *path);

/* The same of a model's bytes, which are copied. */
tw_session *tw_session_from_bytes(const void *bytes, size_t size);

/* Ends a session, of which no run is under way. Results stay. NULL is allowed. */
void tw_session_close(tw_session *session);

size_t tw_session_num_inputs(const tw_session *session);
size_t tw_session_num_outputs(const tw_session *session);

/* An input or an output by its index; NULL where there is none. */
const tw_spec *tw_session_input(const tw_session *session, size_t index);
const tw_spec *tw_session_output(const tw_session *session, size_t index);

/* Runs the model: inputs in order, and as many outputs as it has. Not 0: it failed, and outputs are as they were.
 *
 * An output whose `data` is NULL becomes a tensor of the library: give it to tw_tensor_release. Into any other the result
 * is copied: its type, rank and shape have to be those of the result. The data of inputs and outputs must not overlap. */
int tw_session_run(const tw_session *session, const tw_tensor *inputs, size_t num_inputs, tw_tensor *outputs,
                   size_t num_outputs);

/* Gives back a result of tw_session_run; does nothing for a tensor of yours. */
void tw_tensor_release(tw_tensor *tensor);

#ifdef __cplusplus
}
#endif

#endif
