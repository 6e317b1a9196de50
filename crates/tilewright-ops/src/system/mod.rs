//! Ops that talk to the machine and to users: shapes as values, closures, messages, devices.

family! {
    make_closure,
    shape_of,
    shape_to_tensor,
    tensor_to_shape,
    null_value,
    print,
    assert_op,
    to_vdevice,
    hint_on_device,
}
