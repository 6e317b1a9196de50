# Calls that a graph cannot have: side effects in pure functions, results that depend on themselves, unknown devices.
# test: diagnostics

@I.ir_module
class Module:
    @R.function
    def first(x: R.Tensor((2,), "float32")):
        y = cls.second(x)
        return y

    @R.function
    def circle(x: R.Tensor((2,), "float32")):
        cls = Module
        y = cls.circle(x)
        return y

    @R.function
    def nested(x: R.Tensor((2,), "float32")):
        @R.function
        def itself(z: R.Tensor((2,), "float32")):
            w = itself(z)
            return w

        r = itself(x)
        return r

    @R.function(pure=True)
    def effects(x: R.Tensor((2,), "float32")):
        _ = R.print(x)
        with R.dataflow():
            _1 = R.assert_op(R.const(True, "bool"))
            R.output()
        return x

    @R.function
    def device(x: R.Tensor((2,), "float32", "cuda:0")):
        return x

    @R.function
    def unpacked(x: R.Tensor((2,), "float32")):
        a, b = (x, x, x)
        c, d = x
        return a

    @R.function
    def formats(x: R.Tensor((2,), "float32")):
        _ = R.print(x, frmat="")
        _1 = R.assert_op()
        _2 = R.assert_op(x)
        return x

# expect:
# error[TW0201]: unknown name `cls`
#  --> crates/tilewright-script/src/parse/relax/wrong_calls.py:8:13
#   |
# 8 |         y = cls.second(x)
#   |             ^^^ not found in this scope
#   |
#   = help: write `cls = Module` first
#
# error[TW0405]: the result of `circle` depends on itself: `circle` calls `circle`
#   --> crates/tilewright-script/src/parse/relax/wrong_calls.py:14:13
#    |
# 14 |         y = cls.circle(x)
#    |             ^^^^^^^^^^
#    |
#    = help: annotate the result of one of them: `-> R.Tensor(…)`
#
# error[TW0405]: the result of `itself` depends on itself
#   --> crates/tilewright-script/src/parse/relax/wrong_calls.py:21:17
#    |
# 21 |             w = itself(z)
#    |                 ^^^^^^
#    |
#    = help: annotate it: `def itself(…) -> R.Tensor(…)`
#
# error[TW0404]: this call has side effects, in a pure function
#   --> crates/tilewright-script/src/parse/relax/wrong_calls.py:29:9
#    |
# 29 |         _ = R.print(x)
#    |         ^^^^^^^^^^^^^^
#    |
#    = help: say `pure=False` in the function's decorator
#
# error[TW0404]: this call has side effects, in a dataflow block
#   --> crates/tilewright-script/src/parse/relax/wrong_calls.py:31:13
#    |
# 31 |             _1 = R.assert_op(R.const(True, "bool"))
#    |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#    |
#    = help: end the block before it, and begin another one after it
#
# error[TW0201]: the module has no device "cuda:0"
#   --> crates/tilewright-script/src/parse/relax/wrong_calls.py:36:45
#    |
# 36 |     def device(x: R.Tensor((2,), "float32", "cuda:0")):
#    |                                             ^^^^^^^^
#    |
#    = help: name it in the module: `I.module_global_infos({"vdevice": [I.vdevice("cuda")]})`
#
# error[TW0104]: 2 names for a tuple of 3
#   --> crates/tilewright-script/src/parse/relax/wrong_calls.py:41:9
#    |
# 41 |         a, b = (x, x, x)
#    |         ^^^^
#
# error[TW0302]: expected a tuple, found a float32 tensor of shape (2,)
#   --> crates/tilewright-script/src/parse/relax/wrong_calls.py:42:16
#    |
# 42 |         c, d = x
#    |                ^ a float32 tensor of shape (2,)
#
# error[TW0301]: `R.print` has no argument `frmat`
#   --> crates/tilewright-script/src/parse/relax/wrong_calls.py:47:24
#    |
# 47 |         _ = R.print(x, frmat="")
#    |                        ^^^^^^^^
#    |
#    = help: did you mean `format`?
#
# error[TW0301]: `R.assert_op` needs the argument `condition`
#   --> crates/tilewright-script/src/parse/relax/wrong_calls.py:48:14
#    |
# 48 |         _1 = R.assert_op()
#    |              ^^^^^^^^^^^^^
#
# error[TW0305]: argument `condition` of `assert_op` must be a scalar bool, found a tensor
#   --> crates/tilewright-script/src/parse/relax/wrong_calls.py:49:26
#    |
# 49 |         _2 = R.assert_op(x)
#    |                          ^ a float32 tensor of shape (2,)
