/* Calls that are refused, each with the name of the case and the message; then calls that succeed. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "tilewright.h"

static tw_session *session;
static float x_data[6] = {1, 2, 3, 4, 5, 6}, y_data[3] = {1, 1, 1};
static int64_t k_data[3] = {5, 6, 7};
static const int64_t x_shape[2] = {2, 3}, y_shape[1] = {3}, k_shape[1] = {2}, k_long[1] = {3}, below[2] = {-2, 3};

static void given(tw_tensor inputs[3]) {
    tw_tensor right[3] = {{x_data, x_shape, 2, TW_FLOAT32, NULL},
                          {y_data, y_shape, 1, TW_FLOAT32, NULL},
                          {k_data, k_shape, 1, TW_INT64, NULL}};
    memcpy(inputs, right, sizeof right);
}

static void refused(const char *name, const tw_tensor *inputs, size_t num_inputs, size_t num_outputs) {
    tw_tensor outputs[3] = {{0}};
    assert(tw_session_run(session, inputs, num_inputs, outputs, num_outputs) != 0);
    assert(!outputs[0].data && !outputs[0].owner && !outputs[2].owner);
    printf("%s: %s\n", name, tw_last_error());
}

static void inputs_are_refused(void) {
    tw_tensor in[3];
    given(in), in[0].dtype = TW_INT32, in[2].shape = k_long;
    refused("types and sizes", in, 3, 3);
    given(in);
    refused("few inputs", in, 2, 3);
    refused("few outputs", in, 3, 1);
    in[0].dtype = (tw_dtype)99;
    refused("no type", in, 3, 3);
    given(in), in[0].data = NULL;
    refused("no data", in, 3, 3);
    given(in), in[0].shape = NULL;
    refused("no shape", in, 3, 3);
    given(in), in[0].rank = -1;
    refused("negative rank", in, 3, 3);
    given(in), in[0].shape = below;
    refused("negative size", in, 3, 3);
}

static void outputs_are_refused(void) {
    tw_tensor in[3], out[3] = {{0}};
    float other[2] = {7, 7}, kept[6] = {9, 9, 9, 9, 9, 9};
    given(in);
    tw_tensor first = {kept, x_shape, 2, TW_FLOAT32, NULL}, second = {other, k_shape, 1, TW_FLOAT32, NULL};
    out[0] = first, out[1] = second;
    assert(tw_session_run(session, in, 3, out, 3) != 0);
    printf("wrong output: %s\n", tw_last_error());
    assert(kept[0] == 9 && other[0] == 7 && !out[2].data);
}

static void results_are_right(void) {
    tw_tensor in[3], out[3] = {{0}};
    float into[6];
    given(in);
    tw_tensor first = {into, x_shape, 2, TW_FLOAT32, NULL};
    out[0] = first;
    assert(tw_session_run(session, in, 3, out, 3) == 0);
    assert(into[0] == 2 && into[2] == 0 && into[5] == 3 && out[0].data == into && !out[0].owner);
    assert(out[1].owner && out[1].rank == 1 && out[1].shape[0] == 2 && ((int64_t *)out[1].data)[1] == 12);
    /* An output that is an input has memory of its own. */
    assert(out[2].data != y_data && ((float *)out[2].data)[2] == 1);
    ((float *)out[2].data)[2] = 8;
    tw_tensor kept = out[1];
    tw_tensor_release(&out[2]);
    tw_tensor_release(&out[2]);
    assert(!out[2].data && y_data[2] == 1);
    out[1] = out[2];
    assert(tw_session_run(session, in, 3, out, 3) == 0);
    tw_session_close(session);
    /* Results stay when the session is closed. */
    assert(((int64_t *)kept.data)[0] == 10 && ((int64_t *)out[1].data)[0] == 10);
    tw_tensor_release(&kept);
    tw_tensor_release(&out[1]);
    tw_tensor_release(&out[2]);
}

int main(int argc, char **argv) {
    assert(argc == 2 && strlen(tw_last_error()) == 0 && strlen(tw_version()) > 0);
    session = tw_session_open(argv[1]);
    assert(session && tw_session_num_inputs(session) == 3 && tw_session_num_outputs(session) == 3);
    const tw_spec *k = tw_session_input(session, 2);
    assert(strcmp(k->name, "k") == 0 && k->dtype == TW_INT64 && k->rank == 1 && k->shape[0] == -1);
    assert(strcmp(k->symbols[0], "n") == 0 && !tw_session_input(session, 3) && !tw_session_output(session, 3));
    inputs_are_refused();
    outputs_are_refused();
    assert(tw_session_run(NULL, NULL, 0, NULL, 0) != 0);
    printf("no session: %s\n", tw_last_error());
    assert(!tw_session_open(NULL));
    printf("no path: %s\n", tw_last_error());
    assert(!tw_session_from_bytes("TILEWRT", 8));
    printf("empty: %s\n", tw_last_error());
    assert(tw_dtype_bytes(TW_INT64) == 8 && tw_dtype_bytes((tw_dtype)0) == 0 && tw_dtype_bytes((tw_dtype)14) == 0);
    tw_set_num_threads(2);
    results_are_right();
    tw_session_close(NULL);
    tw_tensor_release(NULL);
    puts("all done");
    return 0;
}
