# Errors of a macro, or of a call of one.
# test: diagnostics

@T.macro
def endless(A, i):
    A[i] = 0.0
    endless(A, i)

@T.macro
def hygienic(A):
    A[n] = 0.0

@T.macro
def two(A, i):
    A[i] = 0.0

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), n: T.int32):
        two(A)
        two(A, 0, 1)
        two(A, i=0, j=1)
        hygienic(A)

        def helper(i):
            A[i] = 0.0

        @T.macro(hygienic=1)
        def odd(i):
            A[i] = 0.0

        endless(A, 0)

# expect:
# error[TW0102]: calls of macros are nested more than 100 deep
#   --> crates/tilewright-script/src/parse/tir/macro_errors.py:7:5
#    |
#  7 |     endless(A, i)
#    |     ^^^^^^^^^^^^^
# ...
# 33 |         endless(A, 0)
#    |         ------------- in this call of a macro
#
# error[TW0201]: unknown name `n`
#   --> crates/tilewright-script/src/parse/tir/macro_errors.py:11:7
#    |
# 11 |     A[n] = 0.0
#    |       ^ not found in this scope
# ...
# 24 |         hygienic(A)
#    |         ----------- in this call of a macro
#
# error[TW0301]: macro `two` needs the argument `i`
#   --> crates/tilewright-script/src/parse/tir/macro_errors.py:21:9
#    |
# 21 |         two(A)
#    |         ^^^^^^
#
# error[TW0301]: macro `two` takes 2 arguments, found 3
#   --> crates/tilewright-script/src/parse/tir/macro_errors.py:22:19
#    |
# 22 |         two(A, 0, 1)
#    |                   ^ unexpected argument
#
# error[TW0301]: macro `two` has no such argument
#   --> crates/tilewright-script/src/parse/tir/macro_errors.py:23:21
#    |
# 23 |         two(A, i=0, j=1)
#    |                     ^^^ unexpected argument
#
# error[TW0104]: a function inside of a PrimFunc must be a macro
#   --> crates/tilewright-script/src/parse/tir/macro_errors.py:26:13
#    |
# 26 |         def helper(i):
#    |             ^^^^^^ decorate it with `@T.macro`
#
# error[TW0302]: expected True or False, found the number 1
#   --> crates/tilewright-script/src/parse/tir/macro_errors.py:29:27
#    |
# 29 |         @T.macro(hygienic=1)
#    |                           ^ the number 1
