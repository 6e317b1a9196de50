/* Runs a model that `tilewright compile` has saved, with ones as its inputs, and prints what it takes and gives:
 *
 *     tilewright compile model.onnx -o model.twx
 *     cc examples/c/run.c -I crates/tilewright-capi/include -L FOLDER -ltilewright_c -o run
 *     LD_LIBRARY_PATH=FOLDER ./run model.twx
 *
 * FOLDER is where libtilewright_c.so is: `cargo build --release -p tilewright-capi` leaves it in target/release.
 * Symbolic dimensions are 1, or the number that is given after the model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilewright.h"

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, tw_last_error());
    exit(1);
}

static void print_spec(const char *what, const tw_spec *spec) {
    printf("%s %s: [", what, spec->name);
    for (int32_t axis = 0; axis < spec->rank; axis++) {
        const char *separator = axis > 0 ? ", " : "";
        if (spec->symbols[axis])
            printf("%s%s", separator, spec->symbols[axis]);
        else
            printf("%s%lld", separator, (long long)spec->shape[axis]);
    }
    printf("], %zu bytes an element\n", tw_dtype_bytes(spec->dtype));
}

/* A tensor of ones (of bytes 1, where elements are no floats of 32 bits), with this size for symbolic dimensions. */
static tw_tensor ones(const tw_spec *spec, int64_t symbolic) {
    int64_t *shape = malloc(sizeof(int64_t) * (size_t)(spec->rank + 1));
    size_t count = 1;
    for (int32_t axis = 0; axis < spec->rank; axis++) {
        shape[axis] = spec->shape[axis] < 0 ? symbolic : spec->shape[axis];
        count *= (size_t)shape[axis];
    }
    char *data = malloc(count * tw_dtype_bytes(spec->dtype) + 1);
    memset(data, 1, count * tw_dtype_bytes(spec->dtype));
    if (spec->dtype == TW_FLOAT32)
        for (size_t at = 0; at < count; at++)
            ((float *)data)[at] = 1;
    tw_tensor tensor = {data, shape, spec->rank, spec->dtype, NULL};
    return tensor;
}

static void print_result(const tw_spec *spec, const tw_tensor *result) {
    size_t count = 1;
    for (int32_t axis = 0; axis < result->rank; axis++)
        count *= (size_t)result->shape[axis];
    printf("%s =", spec->name);
    for (size_t at = 0; at < count && at < 8; at++) {
        if (result->dtype == TW_FLOAT32)
            printf(" %g", ((const float *)result->data)[at]);
        else
            printf(" %d", ((const unsigned char *)result->data)[at * tw_dtype_bytes(result->dtype)]);
    }
    printf(count > 8 ? " ...\n" : "\n");
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "expected: MODEL [SIZE]\n");
        return 2;
    }
    int64_t symbolic = argc > 2 ? atoll(argv[2]) : 1;
    tw_session *session = tw_session_open(argv[1]);
    if (!session)
        fail(argv[1]);
    size_t num_inputs = tw_session_num_inputs(session), num_outputs = tw_session_num_outputs(session);
    tw_tensor *inputs = calloc(num_inputs + 1, sizeof(tw_tensor));
    tw_tensor *outputs = calloc(num_outputs + 1, sizeof(tw_tensor));
    for (size_t at = 0; at < num_inputs; at++) {
        print_spec("input", tw_session_input(session, at));
        inputs[at] = ones(tw_session_input(session, at), symbolic);
    }
    for (size_t at = 0; at < num_outputs; at++)
        print_spec("output", tw_session_output(session, at));
    if (tw_session_run(session, inputs, num_inputs, outputs, num_outputs) != 0)
        fail("run");
    for (size_t at = 0; at < num_outputs; at++) {
        print_result(tw_session_output(session, at), &outputs[at]);
        tw_tensor_release(&outputs[at]);
    }
    for (size_t at = 0; at < num_inputs; at++) {
        free(inputs[at].data);
        free((void *)inputs[at].shape);
    }
    free(inputs);
    free(outputs);
    tw_session_close(session);
    return 0;
}
