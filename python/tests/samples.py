"""One constructor call for every class of the IR: the class and arguments that it takes."""

import tilewright as tw
from tilewright import arith, ir, relax, te, tir
from tilewright.ir import Op, Range, VDevice

tensor = relax.TensorStructInfo((2, 3), "float32")


class Samples:
    """The variables and buffers of the samples, which are made anew for each."""

    def __init__(self):
        self.i, self.j = tir.Var("i", "int32"), tir.Var("j", "int64")
        self.n = tir.SizeVar("n", "int64")
        self.f = tir.Var("f", "float32")
        self.A = tir.decl_buffer((4, 8), "float32", "A")
        self.x = relax.Var("x", tensor)
        self.y = relax.Var("y", tensor)
        self.lv = relax.DataflowVar("lv", tensor)
        self.cond = relax.Var("cond", relax.TensorStructInfo((), "bool"))
        self.pair = relax.Var("pair", relax.TupleStructInfo([tensor, tensor]))

    def scalars(self):
        yield tir.Var, ("v", "float16")
        yield tir.SizeVar, ("m", "int64")
        yield tir.IntImm, ("int8", -128)
        yield tir.IntImm, ("uint64", 2**64 - 1)
        yield tir.IntImm, ("bool", 1)
        yield tir.FloatImm, ("float32", 0.5)
        yield tir.StringImm, ("a text",)
        for cls in (tir.Add, tir.Sub, tir.Mul, tir.Div, tir.Mod, tir.FloorDiv, tir.FloorMod, tir.Min, tir.Max):
            yield cls, (self.i, self.i + 3)
        for cls in (tir.EQ, tir.NE, tir.LT, tir.LE, tir.GT, tir.GE):
            yield cls, (self.i, 5)
        yield tir.And, (self.i < 2, self.i > 0)
        yield tir.Or, (self.i < 2, self.i > 0)
        yield tir.Not, (self.i < 2,)
        yield tir.Select, (self.i < 2, self.f, 1.0)
        yield tir.Cast, ("float32", self.i)
        yield tir.BufferLoad, (self.A, [self.i, 3])
        yield tir.Ramp, (self.i, 2, 4)
        yield tir.Broadcast, (self.f, 4)
        yield tir.Shuffle, ([tir.Broadcast(self.f, 2), tir.Broadcast(1.0, 2)], [0, 3])
        yield tir.Call, ("float32", Op.get("tir.exp"), [self.f])
        yield tir.Let, (self.i, 3, self.i + 1)

    def statements(self):
        store, load = tir.BufferStore(self.A, self.f, [self.i, 0]), tir.Evaluate(self.i)
        region = tir.BufferRegion(self.A, [Range(0, 4), Range(self.i, self.i + 1)])
        axis = tir.IterVar(Range(0, 4), tir.Var("vi", "int32"), tir.IterVar.CommReduce)
        block = tir.Block([axis], [region], [region], "block", store, load, [], [], {"kind": 1})
        yield Range, (0, self.i)
        yield tir.IterVar, (Range(0, 8), self.i, tir.IterVar.CommReduce)
        yield tir.BufferRegion, (self.A, [Range(0, 4), Range(0, 8)])
        view = tir.decl_buffer((4, 1), "float32", "view")
        yield tir.MatchBufferRegion, (view, region)
        yield tir.BufferStore, (self.A, self.f, [self.i, 0], None)
        yield tir.For, (self.i, 0, 4, tir.ForKind.SERIAL, store, None, {"unroll": 1})
        yield tir.While, (self.i < 3, store)
        yield tir.IfThenElse, (self.i < 3, store, load)
        yield tir.LetStmt, (self.i, 3, store)
        yield tir.AssertStmt, (self.i < 3, "too large")
        yield tir.SeqStmt, ([store, load],)
        yield tir.Evaluate, (self.i,)
        yield tir.DeclBuffer, (view, store)
        yield tir.Allocate, (view.data, "float32", [4], True, store)
        yield tir.AllocateConst, (view.data, "float32", [2], tw.nd.array([1.0, 2.0], dtype="float32"), store)
        yield tir.AttrStmt, (self.i, "pragma", 1, store)
        yield tir.Block, ([axis], [region], [region], "block", store, load, [view], [], {"kind": 1})
        yield tir.BlockRealize, ([self.i], True, block)
        yield tir.PrimFunc, ([self.A, self.n], store, None, None, {"global_symbol": "main"})

    def tensors(self):
        tensor, k = te.placeholder((4,), name="A"), te.reduce_axis((0, 4), name="k")
        a, b = tir.Var("a", "float32"), tir.Var("b", "float32")
        combiner = tir.CommReducer([a], [b], [a + b], [0.0])
        yield tir.ProducerLoad, (tensor, [self.i])
        yield tir.CommReducer, ([a], [b], [a + b], [tir.FloatImm("float32", 0.0)])
        yield tir.Reduce, (combiner, [tensor[k]], [k], tir.IntImm("bool", 1), 0)

    def infos(self):
        yield relax.ObjectStructInfo, ()
        yield relax.PrimStructInfo, ("int64",)
        yield relax.PrimStructInfo, (None, self.n + 1)
        yield relax.ShapeStructInfo, ([self.n, 4],)
        yield relax.ShapeStructInfo, (None, 3)
        yield relax.TensorStructInfo, ((self.n, 4), "float16", VDevice("llvm", 1))
        yield relax.TensorStructInfo, (None, None, None, 2)
        yield relax.TupleStructInfo, ([tensor, relax.ObjectStructInfo()],)
        yield relax.FuncStructInfo, ([tensor], tensor, False)
        yield VDevice, ("llvm", 1, "global")
        yield ir.DummyGlobalInfo, ()

    def graphs(self):
        call = relax.Call(Op.get("relax.add"), [self.x, self.y])
        binding = relax.VarBinding(self.lv, call)
        block = relax.DataflowBlock([binding])
        out = relax.Var("out", tensor)
        whole = relax.SeqExpr([relax.BindingBlock([relax.VarBinding(out, call)])], out)
        one = relax.SeqExpr([], self.x)
        yield relax.Var, ("v", tensor)
        yield relax.DataflowVar, ("lv", tensor)
        yield ir.GlobalVar, ("main",)
        yield relax.ExternFunc, ("my.function",)
        yield relax.Constant, (relax.const([1.0, 2.0]).data,)
        yield relax.Call, (Op.get("relax.sum"), [self.x], {"axis": [0], "keepdims": True})
        yield relax.Tuple, ([self.x, relax.Tuple([])],)
        yield relax.TupleGetItem, (self.pair, 1)
        yield relax.ShapeExpr, ([self.n, 3],)
        yield relax.PrimValue, (self.n * 2,)
        yield relax.StringImm, ("text",)
        yield relax.DataTypeImm, ("float32",)
        yield relax.If, (self.cond, one, relax.SeqExpr([], self.y))
        yield relax.VarBinding, (self.lv, call)
        yield relax.MatchCast, (relax.Var("m", tensor), self.x, tensor)
        yield relax.BindingBlock, ([relax.VarBinding(relax.Var("v", tensor), call)],)
        yield relax.DataflowBlock, ([binding],)
        yield relax.SeqExpr, ([block], self.x)
        yield relax.Function, ([self.x, self.y], whole, tensor, True, {"global_symbol": "main"})

    def arithmetic(self):
        mark = arith.IterMark(self.i, 8)
        split = arith.IterSplitExpr(mark, 2, 4, 1)
        yield arith.ConstIntBound, (-3, 5)
        yield arith.ModularSet, (4, 1)
        yield arith.IntervalSet, (0, self.i)
        yield arith.IterMark, (self.i, 8)
        yield arith.IterSplitExpr, (mark, 2, 4, 1)
        yield arith.IterSumExpr, ([split], 0)

    def all(self):
        for sort in (self.scalars, self.statements, self.tensors, self.infos, self.graphs, self.arithmetic):
            yield from sort()


#: Classes that no constructor makes, with what makes one.
MADE_OTHERWISE = {
    "ir.Op": lambda: Op.get("relax.add"),
    "tir.Buffer": lambda: tir.decl_buffer((4,), "float32", "A"),
    "te.Tensor": lambda: te.placeholder((4,), name="A"),
    "te.PlaceholderOp": lambda: te.placeholder((4,), name="A").op,
    "te.ComputeOp": lambda: te.compute((4,), lambda i: i).op,
    "te.ExternOp": None,
}


def made():
    """An object of every class, new in every call."""
    samples = Samples()
    return [cls(*args) for cls, args in samples.all()] + [make() for make in MADE_OTHERWISE.values() if make]
