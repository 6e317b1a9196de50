# Boxes are chosen in the order of their scores unless they overlap a chosen one; of equal scores the first is chosen.
# test: opt --pass LegalizeOps
# run: main n=9 == same
# run: main n=1 == same
# run: main n=0 == same
# run: most n=7 special == same
# run: centered n=6 == same

@I.ir_module
class Module:
    @R.function
    def main(boxes: R.Tensor((2, "n", 4), "float32"), scores: R.Tensor((2, 3, "n"), "float32"), iou: R.Tensor((), "float32"), least: R.Tensor((), "float32")):
        with R.dataflow():
            gv = R.image.non_max_suppression(boxes, scores, iou, least)
            R.output(gv)
        return gv

    @R.function
    def most(boxes: R.Tensor((2, "n", 4), "float32"), scores: R.Tensor((2, 3, "n"), "float32"), iou: R.Tensor((), "float32"), least: R.Tensor((), "float32")):
        gv = R.image.non_max_suppression(boxes, scores, iou, least, max_boxes=3)
        return gv

    @R.function
    def centered(boxes: R.Tensor((1, "n", 4), "float64"), scores: R.Tensor((1, 1, "n"), "float64"), iou: R.Tensor((), "float64"), least: R.Tensor((1,), "float64")):
        gv = R.image.non_max_suppression(boxes, scores, iou, least, center_point_box=True)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def non_max_suppression(var_boxes: T.handle, var_scores: T.handle, iou: T.Buffer((), "float32"), least: T.Buffer((), "float32"), var_T_non_max_suppression: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        boxes = T.match_buffer(var_boxes, (T.int64(2), n, T.int64(4)))
        scores = T.match_buffer(var_scores, (T.int64(2), T.int64(3), n))
        T_non_max_suppression = T.match_buffer(var_T_non_max_suppression, (T.int64(2), T.int64(3), n), "int64")
        # with T.block("root"):
        order_v0 = T.alloc_buffer((T.int64(2), T.int64(3), n))
        order_v1 = T.alloc_buffer((T.int64(2), T.int64(3), n), "int64")
        with T.block("order"):
            T.reads(scores[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):n])
            T.writes(order_v0[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):n], order_v1[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):n])
            for i0 in T.parallel(T.int64(2)):
                for i1 in T.parallel(T.int64(3)):
                    with T.block("line"):
                        T.reads()
                        T.writes()
                        keys = T.alloc_buffer(((n + T.int64(63)) // T.int64(64) * T.int64(128),), "uint32")
                        for piece in range(n // T.int64(64)):
                            keys[T.Ramp(piece * T.int64(64) + T.int64(0), T.int64(1), 16)] = T.Select(T.isnan(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(0), T.int64(1), 16)]), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(0), T.int64(1), 16)] == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(0), T.int64(1), 16)]) ^ (T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(0), T.int64(1), 16)]) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16)
                            keys[T.Ramp(piece * T.int64(64) + T.int64(16), T.int64(1), 16)] = T.Select(T.isnan(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(16), T.int64(1), 16)]), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(16), T.int64(1), 16)] == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(16), T.int64(1), 16)]) ^ (T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(16), T.int64(1), 16)]) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16)
                            keys[T.Ramp(piece * T.int64(64) + T.int64(32), T.int64(1), 16)] = T.Select(T.isnan(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(32), T.int64(1), 16)]), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(32), T.int64(1), 16)] == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(32), T.int64(1), 16)]) ^ (T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(32), T.int64(1), 16)]) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16)
                            keys[T.Ramp(piece * T.int64(64) + T.int64(48), T.int64(1), 16)] = T.Select(T.isnan(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(48), T.int64(1), 16)]), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(48), T.int64(1), 16)] == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(48), T.int64(1), 16)]) ^ (T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(48), T.int64(1), 16)]) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16)
                        if n % T.int64(64) > T.int64(0):
                            keys[T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16)] = T.Select(T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16) < T.Broadcast(n, 16), T.Select(T.isnan(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16) < T.Broadcast(n, 16))), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16) < T.Broadcast(n, 16)) == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16) < T.Broadcast(n, 16))) ^ (T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16) < T.Broadcast(n, 16))) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16), T.Broadcast(T.uint32(4294967295), 16))
                            keys[T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16)] = T.Select(T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16) < T.Broadcast(n, 16), T.Select(T.isnan(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16) < T.Broadcast(n, 16))), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16) < T.Broadcast(n, 16)) == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16) < T.Broadcast(n, 16))) ^ (T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16) < T.Broadcast(n, 16))) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16), T.Broadcast(T.uint32(4294967295), 16))
                            keys[T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16)] = T.Select(T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16) < T.Broadcast(n, 16), T.Select(T.isnan(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16) < T.Broadcast(n, 16))), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16) < T.Broadcast(n, 16)) == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16) < T.Broadcast(n, 16))) ^ (T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16) < T.Broadcast(n, 16))) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16), T.Broadcast(T.uint32(4294967295), 16))
                            keys[T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16)] = T.Select(T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16) < T.Broadcast(n, 16), T.Select(T.isnan(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16) < T.Broadcast(n, 16))), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16) < T.Broadcast(n, 16)) == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16) < T.Broadcast(n, 16))) ^ (T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16) < T.Broadcast(n, 16))) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16), T.Broadcast(T.uint32(4294967295), 16))
                        if n > T.int64(0):
                            if n <= T.int64(128):
                                with T.block("line"):
                                    T.reads()
                                    T.writes()
                                    ranks = T.alloc_buffer((T.int64(128),), "int32", scope="local")
                                    for vector in range((n + T.int64(15)) // T.int64(16)):
                                        with T.block("line"):
                                            T.reads()
                                            T.writes()
                                            sums = T.alloc_buffer((T.int64(16),), "int32", scope="local")
                                            keys_1: T.uint32x16 = keys[T.Ramp(vector * T.int64(16), T.int64(1), 16)]
                                            places: T.int32x16 = T.Ramp(T.Cast("int32", vector * T.int64(16)), 1, 16)
                                            sums[T.Ramp(T.int64(0), T.int64(1), 16)] = T.Broadcast(0, 16)
                                            for other in range(n):
                                                key: T.uint32x16 = T.Broadcast(keys[other], 16)
                                                sums[T.Ramp(T.int64(0), T.int64(1), 16)] = sums[T.Ramp(T.int64(0), T.int64(1), 16)] + T.Select(key < keys_1 or key == keys_1 and T.Broadcast(T.Cast("int32", other), 16) < places, T.Broadcast(1, 16), T.Broadcast(0, 16))
                                            ranks[T.Ramp(vector * T.int64(16), T.int64(1), 16)] = sums[T.Ramp(T.int64(0), T.int64(1), 16)]
                                    for own in range(n):
                                        rank: T.int64 = T.min(T.Cast("int64", ranks[own]), n - T.int64(1))
                                        order_v0[i0, i1, rank] = scores[i0, i1, own]
                                        order_v1[i0, i1, rank] = own
                            else:
                                with T.block("line"):
                                    T.reads()
                                    T.writes()
                                    places = T.alloc_buffer(((n + T.int64(63)) // T.int64(64) * T.int64(128),), "int64")
                                    with T.block("line"):
                                        T.reads()
                                        T.writes()
                                        counts = T.alloc_buffer((T.int64(1024),), "int64", scope="local")
                                        with T.block("line"):
                                            T.reads()
                                            T.writes()
                                            side = T.alloc_buffer((T.int64(1),), "int64", scope="local")
                                            for at in range(T.int64(64)):
                                                counts[T.Ramp(at * T.int64(16), T.int64(1), 16)] = T.Broadcast(T.int64(0), 16)
                                            for own in range(n):
                                                key: T.uint32 = keys[own]
                                                places[own] = own
                                                counts[T.Mul(T.int64(0), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(0), T.int64(8))) & T.uint32(255))] = counts[T.Mul(T.int64(0), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(0), T.int64(8))) & T.uint32(255))] + T.int64(1)
                                                counts[T.Mul(T.int64(1), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(1), T.int64(8))) & T.uint32(255))] = counts[T.Mul(T.int64(1), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(1), T.int64(8))) & T.uint32(255))] + T.int64(1)
                                                counts[T.Mul(T.int64(2), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(2), T.int64(8))) & T.uint32(255))] = counts[T.Mul(T.int64(2), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(2), T.int64(8))) & T.uint32(255))] + T.int64(1)
                                                counts[T.Mul(T.int64(3), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(3), T.int64(8))) & T.uint32(255))] = counts[T.Mul(T.int64(3), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(3), T.int64(8))) & T.uint32(255))] + T.int64(1)
                                            side[T.int64(0)] = T.int64(0)
                                            for round in range(T.int64(4)):
                                                from_: T.int64 = side[T.int64(0)]
                                                begin: T.int64 = from_ * ((n + T.int64(63)) // T.int64(64) * T.int64(64))
                                                other: T.int64 = T.int64(1) - from_
                                                target: T.int64 = other * ((n + T.int64(63)) // T.int64(64) * T.int64(64))
                                                if counts[round * T.int64(256) + T.Cast("int64", keys[begin] >> T.Cast("uint32", round * T.int64(8)) & T.uint32(255))] < n:
                                                    with T.block("line"):
                                                        T.reads()
                                                        T.writes()
                                                        before = T.alloc_buffer((T.int64(1),), "int64", scope="local")
                                                        before[T.int64(0)] = T.int64(0)
                                                        for digit in range(T.int64(256)):
                                                            own: T.int64 = counts[round * T.int64(256) + digit]
                                                            counts[round * T.int64(256) + digit] = before[T.int64(0)]
                                                            before[T.int64(0)] = before[T.int64(0)] + own
                                                    for own in range(n):
                                                        at: T.int64 = begin + own
                                                        key: T.uint32 = keys[at]
                                                        place: T.int64 = places[at]
                                                        digit: T.int64 = round * T.int64(256) + T.Cast("int64", key >> T.Cast("uint32", round * T.int64(8)) & T.uint32(255))
                                                        next: T.int64 = counts[digit]
                                                        to: T.int64 = target + next
                                                        counts[digit] = next + T.int64(1)
                                                        keys[to] = key
                                                        places[to] = place
                                                    side[T.int64(0)] = other
                                            begin: T.int64 = side[T.int64(0)] * ((n + T.int64(63)) // T.int64(64) * T.int64(64))
                                            for own in range(n):
                                                place: T.int64 = places[begin + own]
                                                order_v0[i0, i1, own] = scores[i0, i1, place]
                                                order_v1[i0, i1, own] = place
        with T.block("T_non_max_suppression"):
            T.reads(boxes[T.int64(0):T.int64(2), T.int64(0):n, T.int64(0):T.int64(4)], scores[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):n], iou[()], least[()], order_v1[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):n], T_non_max_suppression[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):n])
            T.writes(T_non_max_suppression[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):n])
            for batch in range(T.int64(2)):
                for class_ in T.parallel(T.int64(3)):
                    with T.block("line"):
                        T.reads()
                        T.writes()
                        count = T.alloc_buffer((T.int64(1),), "int64", scope="local")
                        count[T.int64(0)] = T.int64(0)
                        for clear in range(n):
                            T_non_max_suppression[batch, class_, clear] = T.int64(-1)
                        for next in range(n):
                            place: T.int64 = order_v1[batch, class_, next]
                            if count[T.int64(0)] < n and scores[batch, class_, place] > least[()]:
                                first: T.float32 = boxes[batch, place, T.int64(0)]
                                second: T.float32 = boxes[batch, place, T.int64(2)]
                                end: T.float32 = T.min(first, second)
                                end_1: T.float32 = T.max(first, second)
                                first_1: T.float32 = boxes[batch, place, T.int64(1)]
                                second_1: T.float32 = boxes[batch, place, T.int64(3)]
                                end_2: T.float32 = T.min(first_1, second_1)
                                end_3: T.float32 = T.max(first_1, second_1)
                                area: T.float32 = (end_1 - end) * (end_3 - end_2)
                                number: T.int64 = count[T.int64(0)]
                                with T.block("line"):
                                    T.reads()
                                    T.writes()
                                    free = T.alloc_buffer((T.int64(1),), "int32", scope="local")
                                    free[T.int64(0)] = 1
                                    for before in range(number):
                                        if free[T.int64(0)] != 0:
                                            chosen: T.int64 = T_non_max_suppression[batch, class_, before]
                                            first_2: T.float32 = boxes[batch, chosen, T.int64(0)]
                                            second_2: T.float32 = boxes[batch, chosen, T.int64(2)]
                                            end_4: T.float32 = T.min(first_2, second_2)
                                            end_5: T.float32 = T.max(first_2, second_2)
                                            first_3: T.float32 = boxes[batch, chosen, T.int64(1)]
                                            second_3: T.float32 = boxes[batch, chosen, T.int64(3)]
                                            end_6: T.float32 = T.min(first_3, second_3)
                                            end_7: T.float32 = T.max(first_3, second_3)
                                            area_1: T.float32 = (end_5 - end_4) * (end_7 - end_6)
                                            side: T.float32 = T.max(T.min(end_1, end_5) - T.max(end, end_4), T.float32(0.0))
                                            side_1: T.float32 = T.max(T.min(end_3, end_7) - T.max(end_2, end_6), T.float32(0.0))
                                            common: T.float32 = side * side_1
                                            if common > (area + area_1 - common) * iou[()]:
                                                free[T.int64(0)] = 0
                                    if free[T.int64(0)] != 0:
                                        T_non_max_suppression[batch, class_, number] = place
                                        count[T.int64(0)] = number + T.int64(1)

    @T.prim_func(private=True)
    def non_max_suppression1(var_boxes: T.handle, var_scores: T.handle, iou: T.Buffer((), "float32"), least: T.Buffer((), "float32"), var_T_non_max_suppression: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        boxes = T.match_buffer(var_boxes, (T.int64(2), n, T.int64(4)))
        scores = T.match_buffer(var_scores, (T.int64(2), T.int64(3), n))
        T_non_max_suppression = T.match_buffer(var_T_non_max_suppression, (T.int64(2), T.int64(3), T.min(n, T.int64(3))), "int64")
        # with T.block("root"):
        order_v0 = T.alloc_buffer((T.int64(2), T.int64(3), n))
        order_v1 = T.alloc_buffer((T.int64(2), T.int64(3), n), "int64")
        with T.block("order"):
            T.reads(scores[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):n])
            T.writes(order_v0[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):n], order_v1[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):n])
            for i0 in T.parallel(T.int64(2)):
                for i1 in T.parallel(T.int64(3)):
                    with T.block("line"):
                        T.reads()
                        T.writes()
                        keys = T.alloc_buffer(((n + T.int64(63)) // T.int64(64) * T.int64(128),), "uint32")
                        for piece in range(n // T.int64(64)):
                            keys[T.Ramp(piece * T.int64(64) + T.int64(0), T.int64(1), 16)] = T.Select(T.isnan(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(0), T.int64(1), 16)]), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(0), T.int64(1), 16)] == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(0), T.int64(1), 16)]) ^ (T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(0), T.int64(1), 16)]) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16)
                            keys[T.Ramp(piece * T.int64(64) + T.int64(16), T.int64(1), 16)] = T.Select(T.isnan(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(16), T.int64(1), 16)]), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(16), T.int64(1), 16)] == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(16), T.int64(1), 16)]) ^ (T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(16), T.int64(1), 16)]) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16)
                            keys[T.Ramp(piece * T.int64(64) + T.int64(32), T.int64(1), 16)] = T.Select(T.isnan(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(32), T.int64(1), 16)]), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(32), T.int64(1), 16)] == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(32), T.int64(1), 16)]) ^ (T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(32), T.int64(1), 16)]) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16)
                            keys[T.Ramp(piece * T.int64(64) + T.int64(48), T.int64(1), 16)] = T.Select(T.isnan(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(48), T.int64(1), 16)]), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(48), T.int64(1), 16)] == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(48), T.int64(1), 16)]) ^ (T.reinterpret("int32x16", scores[i0, i1, T.Ramp(piece * T.int64(64) + T.int64(48), T.int64(1), 16)]) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16)
                        if n % T.int64(64) > T.int64(0):
                            keys[T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16)] = T.Select(T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16) < T.Broadcast(n, 16), T.Select(T.isnan(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16) < T.Broadcast(n, 16))), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16) < T.Broadcast(n, 16)) == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16) < T.Broadcast(n, 16))) ^ (T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(0), T.int64(1), 16) < T.Broadcast(n, 16))) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16), T.Broadcast(T.uint32(4294967295), 16))
                            keys[T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16)] = T.Select(T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16) < T.Broadcast(n, 16), T.Select(T.isnan(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16) < T.Broadcast(n, 16))), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16) < T.Broadcast(n, 16)) == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16) < T.Broadcast(n, 16))) ^ (T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(16), T.int64(1), 16) < T.Broadcast(n, 16))) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16), T.Broadcast(T.uint32(4294967295), 16))
                            keys[T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16)] = T.Select(T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16) < T.Broadcast(n, 16), T.Select(T.isnan(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16) < T.Broadcast(n, 16))), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16) < T.Broadcast(n, 16)) == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16) < T.Broadcast(n, 16))) ^ (T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(32), T.int64(1), 16) < T.Broadcast(n, 16))) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16), T.Broadcast(T.uint32(4294967295), 16))
                            keys[T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16)] = T.Select(T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16) < T.Broadcast(n, 16), T.Select(T.isnan(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16) < T.Broadcast(n, 16))), T.Broadcast(T.uint32(4294967295), 16), T.reinterpret("uint32x16", T.Select(scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16) < T.Broadcast(n, 16)) == T.Broadcast(T.float32(0.0), 16), T.Broadcast(-2147483648, 16), T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16) < T.Broadcast(n, 16))) ^ (T.reinterpret("int32x16", scores.vload([i0, i1, T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16)], predicate=T.Ramp(n // T.int64(64) * T.int64(64) + T.int64(48), T.int64(1), 16) < T.Broadcast(n, 16))) >> T.Broadcast(31, 16) | T.Broadcast(-2147483648, 16))))) ^ T.Broadcast(T.uint32(4294967295), 16), T.Broadcast(T.uint32(4294967295), 16))
                        if n > T.int64(0):
                            if n <= T.int64(128):
                                with T.block("line"):
                                    T.reads()
                                    T.writes()
                                    ranks = T.alloc_buffer((T.int64(128),), "int32", scope="local")
                                    for vector in range((n + T.int64(15)) // T.int64(16)):
                                        with T.block("line"):
                                            T.reads()
                                            T.writes()
                                            sums = T.alloc_buffer((T.int64(16),), "int32", scope="local")
                                            keys_1: T.uint32x16 = keys[T.Ramp(vector * T.int64(16), T.int64(1), 16)]
                                            places: T.int32x16 = T.Ramp(T.Cast("int32", vector * T.int64(16)), 1, 16)
                                            sums[T.Ramp(T.int64(0), T.int64(1), 16)] = T.Broadcast(0, 16)
                                            for other in range(n):
                                                key: T.uint32x16 = T.Broadcast(keys[other], 16)
                                                sums[T.Ramp(T.int64(0), T.int64(1), 16)] = sums[T.Ramp(T.int64(0), T.int64(1), 16)] + T.Select(key < keys_1 or key == keys_1 and T.Broadcast(T.Cast("int32", other), 16) < places, T.Broadcast(1, 16), T.Broadcast(0, 16))
                                            ranks[T.Ramp(vector * T.int64(16), T.int64(1), 16)] = sums[T.Ramp(T.int64(0), T.int64(1), 16)]
                                    for own in range(n):
                                        rank: T.int64 = T.min(T.Cast("int64", ranks[own]), n - T.int64(1))
                                        order_v0[i0, i1, rank] = scores[i0, i1, own]
                                        order_v1[i0, i1, rank] = own
                            else:
                                with T.block("line"):
                                    T.reads()
                                    T.writes()
                                    places = T.alloc_buffer(((n + T.int64(63)) // T.int64(64) * T.int64(128),), "int64")
                                    with T.block("line"):
                                        T.reads()
                                        T.writes()
                                        counts = T.alloc_buffer((T.int64(1024),), "int64", scope="local")
                                        with T.block("line"):
                                            T.reads()
                                            T.writes()
                                            side = T.alloc_buffer((T.int64(1),), "int64", scope="local")
                                            for at in range(T.int64(64)):
                                                counts[T.Ramp(at * T.int64(16), T.int64(1), 16)] = T.Broadcast(T.int64(0), 16)
                                            for own in range(n):
                                                key: T.uint32 = keys[own]
                                                places[own] = own
                                                counts[T.Mul(T.int64(0), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(0), T.int64(8))) & T.uint32(255))] = counts[T.Mul(T.int64(0), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(0), T.int64(8))) & T.uint32(255))] + T.int64(1)
                                                counts[T.Mul(T.int64(1), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(1), T.int64(8))) & T.uint32(255))] = counts[T.Mul(T.int64(1), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(1), T.int64(8))) & T.uint32(255))] + T.int64(1)
                                                counts[T.Mul(T.int64(2), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(2), T.int64(8))) & T.uint32(255))] = counts[T.Mul(T.int64(2), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(2), T.int64(8))) & T.uint32(255))] + T.int64(1)
                                                counts[T.Mul(T.int64(3), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(3), T.int64(8))) & T.uint32(255))] = counts[T.Mul(T.int64(3), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint32", T.Mul(T.int64(3), T.int64(8))) & T.uint32(255))] + T.int64(1)
                                            side[T.int64(0)] = T.int64(0)
                                            for round in range(T.int64(4)):
                                                from_: T.int64 = side[T.int64(0)]
                                                begin: T.int64 = from_ * ((n + T.int64(63)) // T.int64(64) * T.int64(64))
                                                other: T.int64 = T.int64(1) - from_
                                                target: T.int64 = other * ((n + T.int64(63)) // T.int64(64) * T.int64(64))
                                                if counts[round * T.int64(256) + T.Cast("int64", keys[begin] >> T.Cast("uint32", round * T.int64(8)) & T.uint32(255))] < n:
                                                    with T.block("line"):
                                                        T.reads()
                                                        T.writes()
                                                        before = T.alloc_buffer((T.int64(1),), "int64", scope="local")
                                                        before[T.int64(0)] = T.int64(0)
                                                        for digit in range(T.int64(256)):
                                                            own: T.int64 = counts[round * T.int64(256) + digit]
                                                            counts[round * T.int64(256) + digit] = before[T.int64(0)]
                                                            before[T.int64(0)] = before[T.int64(0)] + own
                                                    for own in range(n):
                                                        at: T.int64 = begin + own
                                                        key: T.uint32 = keys[at]
                                                        place: T.int64 = places[at]
                                                        digit: T.int64 = round * T.int64(256) + T.Cast("int64", key >> T.Cast("uint32", round * T.int64(8)) & T.uint32(255))
                                                        next: T.int64 = counts[digit]
                                                        to: T.int64 = target + next
                                                        counts[digit] = next + T.int64(1)
                                                        keys[to] = key
                                                        places[to] = place
                                                    side[T.int64(0)] = other
                                            begin: T.int64 = side[T.int64(0)] * ((n + T.int64(63)) // T.int64(64) * T.int64(64))
                                            for own in range(n):
                                                place: T.int64 = places[begin + own]
                                                order_v0[i0, i1, own] = scores[i0, i1, place]
                                                order_v1[i0, i1, own] = place
        with T.block("T_non_max_suppression"):
            T.reads(boxes[T.int64(0):T.int64(2), T.int64(0):n, T.int64(0):T.int64(4)], scores[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):n], iou[()], least[()], order_v1[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):n], T_non_max_suppression[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):T.min(n, T.int64(3))])
            T.writes(T_non_max_suppression[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0):T.min(n, T.int64(3))])
            for batch in range(T.int64(2)):
                for class_ in T.parallel(T.int64(3)):
                    with T.block("line"):
                        T.reads()
                        T.writes()
                        count = T.alloc_buffer((T.int64(1),), "int64", scope="local")
                        count[T.int64(0)] = T.int64(0)
                        for clear in range(T.min(n, T.int64(3))):
                            T_non_max_suppression[batch, class_, clear] = T.int64(-1)
                        for next in range(n):
                            place: T.int64 = order_v1[batch, class_, next]
                            if count[T.int64(0)] < T.min(n, T.int64(3)) and scores[batch, class_, place] > least[()]:
                                first: T.float32 = boxes[batch, place, T.int64(0)]
                                second: T.float32 = boxes[batch, place, T.int64(2)]
                                end: T.float32 = T.min(first, second)
                                end_1: T.float32 = T.max(first, second)
                                first_1: T.float32 = boxes[batch, place, T.int64(1)]
                                second_1: T.float32 = boxes[batch, place, T.int64(3)]
                                end_2: T.float32 = T.min(first_1, second_1)
                                end_3: T.float32 = T.max(first_1, second_1)
                                area: T.float32 = (end_1 - end) * (end_3 - end_2)
                                number: T.int64 = count[T.int64(0)]
                                with T.block("line"):
                                    T.reads()
                                    T.writes()
                                    free = T.alloc_buffer((T.int64(1),), "int32", scope="local")
                                    free[T.int64(0)] = 1
                                    for before in range(number):
                                        if free[T.int64(0)] != 0:
                                            chosen: T.int64 = T_non_max_suppression[batch, class_, before]
                                            first_2: T.float32 = boxes[batch, chosen, T.int64(0)]
                                            second_2: T.float32 = boxes[batch, chosen, T.int64(2)]
                                            end_4: T.float32 = T.min(first_2, second_2)
                                            end_5: T.float32 = T.max(first_2, second_2)
                                            first_3: T.float32 = boxes[batch, chosen, T.int64(1)]
                                            second_3: T.float32 = boxes[batch, chosen, T.int64(3)]
                                            end_6: T.float32 = T.min(first_3, second_3)
                                            end_7: T.float32 = T.max(first_3, second_3)
                                            area_1: T.float32 = (end_5 - end_4) * (end_7 - end_6)
                                            side: T.float32 = T.max(T.min(end_1, end_5) - T.max(end, end_4), T.float32(0.0))
                                            side_1: T.float32 = T.max(T.min(end_3, end_7) - T.max(end_2, end_6), T.float32(0.0))
                                            common: T.float32 = side * side_1
                                            if common > (area + area_1 - common) * iou[()]:
                                                free[T.int64(0)] = 0
                                    if free[T.int64(0)] != 0:
                                        T_non_max_suppression[batch, class_, number] = place
                                        count[T.int64(0)] = number + T.int64(1)

    @T.prim_func(private=True)
    def non_max_suppression2(var_boxes: T.handle, var_scores: T.handle, iou: T.Buffer((), "float64"), least: T.Buffer((T.int64(1),), "float64"), var_T_non_max_suppression: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        boxes = T.match_buffer(var_boxes, (T.int64(1), n, T.int64(4)), "float64")
        scores = T.match_buffer(var_scores, (T.int64(1), T.int64(1), n), "float64")
        T_non_max_suppression = T.match_buffer(var_T_non_max_suppression, (T.int64(1), T.int64(1), n), "int64")
        # with T.block("root"):
        order_v0 = T.alloc_buffer((T.int64(1), T.int64(1), n), "float64")
        order_v1 = T.alloc_buffer((T.int64(1), T.int64(1), n), "int64")
        with T.block("order"):
            T.reads(scores[T.int64(0), T.int64(0), T.int64(0):n])
            T.writes(order_v0[T.int64(0), T.int64(0), T.int64(0):n], order_v1[T.int64(0), T.int64(0), T.int64(0):n])
            for i0 in T.parallel(T.int64(1)):
                for i1 in T.parallel(T.int64(1)):
                    with T.block("line"):
                        T.reads()
                        T.writes()
                        keys = T.alloc_buffer(((n + T.int64(31)) // T.int64(32) * T.int64(64),), "uint64")
                        for piece in range(n // T.int64(32)):
                            keys[T.Ramp(piece * T.int64(32) + T.int64(0), T.int64(1), 8)] = T.Select(T.isnan(scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(0), T.int64(1), 8)]), T.Broadcast(T.uint64(18446744073709551615), 8), T.reinterpret("uint64x8", T.Select(scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(0), T.int64(1), 8)] == T.Broadcast(T.float64(0.0), 8), T.Broadcast(T.int64(-9223372036854775808), 8), T.reinterpret("int64x8", scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(0), T.int64(1), 8)]) ^ (T.reinterpret("int64x8", scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(0), T.int64(1), 8)]) >> T.Broadcast(T.int64(63), 8) | T.Broadcast(T.int64(-9223372036854775808), 8))))) ^ T.Broadcast(T.uint64(18446744073709551615), 8)
                            keys[T.Ramp(piece * T.int64(32) + T.int64(8), T.int64(1), 8)] = T.Select(T.isnan(scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(8), T.int64(1), 8)]), T.Broadcast(T.uint64(18446744073709551615), 8), T.reinterpret("uint64x8", T.Select(scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(8), T.int64(1), 8)] == T.Broadcast(T.float64(0.0), 8), T.Broadcast(T.int64(-9223372036854775808), 8), T.reinterpret("int64x8", scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(8), T.int64(1), 8)]) ^ (T.reinterpret("int64x8", scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(8), T.int64(1), 8)]) >> T.Broadcast(T.int64(63), 8) | T.Broadcast(T.int64(-9223372036854775808), 8))))) ^ T.Broadcast(T.uint64(18446744073709551615), 8)
                            keys[T.Ramp(piece * T.int64(32) + T.int64(16), T.int64(1), 8)] = T.Select(T.isnan(scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(16), T.int64(1), 8)]), T.Broadcast(T.uint64(18446744073709551615), 8), T.reinterpret("uint64x8", T.Select(scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(16), T.int64(1), 8)] == T.Broadcast(T.float64(0.0), 8), T.Broadcast(T.int64(-9223372036854775808), 8), T.reinterpret("int64x8", scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(16), T.int64(1), 8)]) ^ (T.reinterpret("int64x8", scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(16), T.int64(1), 8)]) >> T.Broadcast(T.int64(63), 8) | T.Broadcast(T.int64(-9223372036854775808), 8))))) ^ T.Broadcast(T.uint64(18446744073709551615), 8)
                            keys[T.Ramp(piece * T.int64(32) + T.int64(24), T.int64(1), 8)] = T.Select(T.isnan(scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(24), T.int64(1), 8)]), T.Broadcast(T.uint64(18446744073709551615), 8), T.reinterpret("uint64x8", T.Select(scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(24), T.int64(1), 8)] == T.Broadcast(T.float64(0.0), 8), T.Broadcast(T.int64(-9223372036854775808), 8), T.reinterpret("int64x8", scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(24), T.int64(1), 8)]) ^ (T.reinterpret("int64x8", scores[i0, i1, T.Ramp(piece * T.int64(32) + T.int64(24), T.int64(1), 8)]) >> T.Broadcast(T.int64(63), 8) | T.Broadcast(T.int64(-9223372036854775808), 8))))) ^ T.Broadcast(T.uint64(18446744073709551615), 8)
                        if n % T.int64(32) > T.int64(0):
                            keys[T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(0), T.int64(1), 8)] = T.Select(T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(0), T.int64(1), 8) < T.Broadcast(n, 8), T.Select(T.isnan(scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(0), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(0), T.int64(1), 8) < T.Broadcast(n, 8))), T.Broadcast(T.uint64(18446744073709551615), 8), T.reinterpret("uint64x8", T.Select(scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(0), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(0), T.int64(1), 8) < T.Broadcast(n, 8)) == T.Broadcast(T.float64(0.0), 8), T.Broadcast(T.int64(-9223372036854775808), 8), T.reinterpret("int64x8", scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(0), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(0), T.int64(1), 8) < T.Broadcast(n, 8))) ^ (T.reinterpret("int64x8", scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(0), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(0), T.int64(1), 8) < T.Broadcast(n, 8))) >> T.Broadcast(T.int64(63), 8) | T.Broadcast(T.int64(-9223372036854775808), 8))))) ^ T.Broadcast(T.uint64(18446744073709551615), 8), T.Broadcast(T.uint64(18446744073709551615), 8))
                            keys[T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(8), T.int64(1), 8)] = T.Select(T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(8), T.int64(1), 8) < T.Broadcast(n, 8), T.Select(T.isnan(scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(8), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(8), T.int64(1), 8) < T.Broadcast(n, 8))), T.Broadcast(T.uint64(18446744073709551615), 8), T.reinterpret("uint64x8", T.Select(scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(8), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(8), T.int64(1), 8) < T.Broadcast(n, 8)) == T.Broadcast(T.float64(0.0), 8), T.Broadcast(T.int64(-9223372036854775808), 8), T.reinterpret("int64x8", scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(8), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(8), T.int64(1), 8) < T.Broadcast(n, 8))) ^ (T.reinterpret("int64x8", scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(8), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(8), T.int64(1), 8) < T.Broadcast(n, 8))) >> T.Broadcast(T.int64(63), 8) | T.Broadcast(T.int64(-9223372036854775808), 8))))) ^ T.Broadcast(T.uint64(18446744073709551615), 8), T.Broadcast(T.uint64(18446744073709551615), 8))
                            keys[T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(16), T.int64(1), 8)] = T.Select(T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(16), T.int64(1), 8) < T.Broadcast(n, 8), T.Select(T.isnan(scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(16), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(16), T.int64(1), 8) < T.Broadcast(n, 8))), T.Broadcast(T.uint64(18446744073709551615), 8), T.reinterpret("uint64x8", T.Select(scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(16), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(16), T.int64(1), 8) < T.Broadcast(n, 8)) == T.Broadcast(T.float64(0.0), 8), T.Broadcast(T.int64(-9223372036854775808), 8), T.reinterpret("int64x8", scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(16), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(16), T.int64(1), 8) < T.Broadcast(n, 8))) ^ (T.reinterpret("int64x8", scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(16), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(16), T.int64(1), 8) < T.Broadcast(n, 8))) >> T.Broadcast(T.int64(63), 8) | T.Broadcast(T.int64(-9223372036854775808), 8))))) ^ T.Broadcast(T.uint64(18446744073709551615), 8), T.Broadcast(T.uint64(18446744073709551615), 8))
                            keys[T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(24), T.int64(1), 8)] = T.Select(T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(24), T.int64(1), 8) < T.Broadcast(n, 8), T.Select(T.isnan(scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(24), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(24), T.int64(1), 8) < T.Broadcast(n, 8))), T.Broadcast(T.uint64(18446744073709551615), 8), T.reinterpret("uint64x8", T.Select(scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(24), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(24), T.int64(1), 8) < T.Broadcast(n, 8)) == T.Broadcast(T.float64(0.0), 8), T.Broadcast(T.int64(-9223372036854775808), 8), T.reinterpret("int64x8", scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(24), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(24), T.int64(1), 8) < T.Broadcast(n, 8))) ^ (T.reinterpret("int64x8", scores.vload([i0, i1, T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(24), T.int64(1), 8)], predicate=T.Ramp(n // T.int64(32) * T.int64(32) + T.int64(24), T.int64(1), 8) < T.Broadcast(n, 8))) >> T.Broadcast(T.int64(63), 8) | T.Broadcast(T.int64(-9223372036854775808), 8))))) ^ T.Broadcast(T.uint64(18446744073709551615), 8), T.Broadcast(T.uint64(18446744073709551615), 8))
                        if n > T.int64(0):
                            if n <= T.int64(64):
                                with T.block("line"):
                                    T.reads()
                                    T.writes()
                                    ranks = T.alloc_buffer((T.int64(64),), "int64", scope="local")
                                    for vector in range((n + T.int64(7)) // T.int64(8)):
                                        with T.block("line"):
                                            T.reads()
                                            T.writes()
                                            sums = T.alloc_buffer((T.int64(8),), "int64", scope="local")
                                            keys_1: T.uint64x8 = keys[T.Ramp(vector * T.int64(8), T.int64(1), 8)]
                                            places: T.int64x8 = T.Ramp(vector * T.int64(8), T.int64(1), 8)
                                            sums[T.Ramp(T.int64(0), T.int64(1), 8)] = T.Broadcast(T.int64(0), 8)
                                            for other in range(n):
                                                key: T.uint64x8 = T.Broadcast(keys[other], 8)
                                                sums[T.Ramp(T.int64(0), T.int64(1), 8)] = sums[T.Ramp(T.int64(0), T.int64(1), 8)] + T.Select(key < keys_1 or key == keys_1 and T.Broadcast(other, 8) < places, T.Broadcast(T.int64(1), 8), T.Broadcast(T.int64(0), 8))
                                            ranks[T.Ramp(vector * T.int64(8), T.int64(1), 8)] = sums[T.Ramp(T.int64(0), T.int64(1), 8)]
                                    for own in range(n):
                                        rank: T.int64 = T.min(ranks[own], n - T.int64(1))
                                        order_v0[i0, i1, rank] = scores[i0, i1, own]
                                        order_v1[i0, i1, rank] = own
                            else:
                                with T.block("line"):
                                    T.reads()
                                    T.writes()
                                    places = T.alloc_buffer(((n + T.int64(31)) // T.int64(32) * T.int64(64),), "int64")
                                    with T.block("line"):
                                        T.reads()
                                        T.writes()
                                        counts = T.alloc_buffer((T.int64(2048),), "int64", scope="local")
                                        with T.block("line"):
                                            T.reads()
                                            T.writes()
                                            side = T.alloc_buffer((T.int64(1),), "int64", scope="local")
                                            for at in range(T.int64(128)):
                                                counts[T.Ramp(at * T.int64(16), T.int64(1), 16)] = T.Broadcast(T.int64(0), 16)
                                            for own in range(n):
                                                key: T.uint64 = keys[own]
                                                places[own] = own
                                                counts[T.Mul(T.int64(0), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(0), T.int64(8))) & T.uint64(255))] = counts[T.Mul(T.int64(0), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(0), T.int64(8))) & T.uint64(255))] + T.int64(1)
                                                counts[T.Mul(T.int64(1), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(1), T.int64(8))) & T.uint64(255))] = counts[T.Mul(T.int64(1), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(1), T.int64(8))) & T.uint64(255))] + T.int64(1)
                                                counts[T.Mul(T.int64(2), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(2), T.int64(8))) & T.uint64(255))] = counts[T.Mul(T.int64(2), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(2), T.int64(8))) & T.uint64(255))] + T.int64(1)
                                                counts[T.Mul(T.int64(3), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(3), T.int64(8))) & T.uint64(255))] = counts[T.Mul(T.int64(3), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(3), T.int64(8))) & T.uint64(255))] + T.int64(1)
                                                counts[T.Mul(T.int64(4), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(4), T.int64(8))) & T.uint64(255))] = counts[T.Mul(T.int64(4), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(4), T.int64(8))) & T.uint64(255))] + T.int64(1)
                                                counts[T.Mul(T.int64(5), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(5), T.int64(8))) & T.uint64(255))] = counts[T.Mul(T.int64(5), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(5), T.int64(8))) & T.uint64(255))] + T.int64(1)
                                                counts[T.Mul(T.int64(6), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(6), T.int64(8))) & T.uint64(255))] = counts[T.Mul(T.int64(6), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(6), T.int64(8))) & T.uint64(255))] + T.int64(1)
                                                counts[T.Mul(T.int64(7), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(7), T.int64(8))) & T.uint64(255))] = counts[T.Mul(T.int64(7), T.int64(256)) + T.Cast("int64", key >> T.Cast("uint64", T.Mul(T.int64(7), T.int64(8))) & T.uint64(255))] + T.int64(1)
                                            side[T.int64(0)] = T.int64(0)
                                            for round in range(T.int64(8)):
                                                from_: T.int64 = side[T.int64(0)]
                                                begin: T.int64 = from_ * ((n + T.int64(31)) // T.int64(32) * T.int64(32))
                                                other: T.int64 = T.int64(1) - from_
                                                target: T.int64 = other * ((n + T.int64(31)) // T.int64(32) * T.int64(32))
                                                if counts[round * T.int64(256) + T.Cast("int64", keys[begin] >> T.Cast("uint64", round * T.int64(8)) & T.uint64(255))] < n:
                                                    with T.block("line"):
                                                        T.reads()
                                                        T.writes()
                                                        before = T.alloc_buffer((T.int64(1),), "int64", scope="local")
                                                        before[T.int64(0)] = T.int64(0)
                                                        for digit in range(T.int64(256)):
                                                            own: T.int64 = counts[round * T.int64(256) + digit]
                                                            counts[round * T.int64(256) + digit] = before[T.int64(0)]
                                                            before[T.int64(0)] = before[T.int64(0)] + own
                                                    for own in range(n):
                                                        at: T.int64 = begin + own
                                                        key: T.uint64 = keys[at]
                                                        place: T.int64 = places[at]
                                                        digit: T.int64 = round * T.int64(256) + T.Cast("int64", key >> T.Cast("uint64", round * T.int64(8)) & T.uint64(255))
                                                        next: T.int64 = counts[digit]
                                                        to: T.int64 = target + next
                                                        counts[digit] = next + T.int64(1)
                                                        keys[to] = key
                                                        places[to] = place
                                                    side[T.int64(0)] = other
                                            begin: T.int64 = side[T.int64(0)] * ((n + T.int64(31)) // T.int64(32) * T.int64(32))
                                            for own in range(n):
                                                place: T.int64 = places[begin + own]
                                                order_v0[i0, i1, own] = scores[i0, i1, place]
                                                order_v1[i0, i1, own] = place
        with T.block("T_non_max_suppression"):
            T.reads(boxes[T.int64(0), T.int64(0):n, T.int64(0):T.int64(4)], scores[T.int64(0), T.int64(0), T.int64(0):n], iou[()], least[T.int64(0)], order_v1[T.int64(0), T.int64(0), T.int64(0):n], T_non_max_suppression[T.int64(0), T.int64(0), T.int64(0):n])
            T.writes(T_non_max_suppression[T.int64(0), T.int64(0), T.int64(0):n])
            for batch in range(T.int64(1)):
                for class_ in T.parallel(T.int64(1)):
                    with T.block("line"):
                        T.reads()
                        T.writes()
                        count = T.alloc_buffer((T.int64(1),), "int64", scope="local")
                        count[T.int64(0)] = T.int64(0)
                        for clear in range(n):
                            T_non_max_suppression[batch, class_, clear] = T.int64(-1)
                        for next in range(n):
                            place: T.int64 = order_v1[batch, class_, next]
                            if count[T.int64(0)] < n and scores[batch, class_, place] > least[T.int64(0)]:
                                first: T.float64 = boxes[batch, place, T.int64(0)]
                                second: T.float64 = boxes[batch, place, T.int64(2)]
                                half: T.float64 = second * T.float64(0.5)
                                end: T.float64 = first - half
                                end_1: T.float64 = first + half
                                first_1: T.float64 = boxes[batch, place, T.int64(1)]
                                second_1: T.float64 = boxes[batch, place, T.int64(3)]
                                half_1: T.float64 = second_1 * T.float64(0.5)
                                end_2: T.float64 = first_1 - half_1
                                end_3: T.float64 = first_1 + half_1
                                area: T.float64 = (end_1 - end) * (end_3 - end_2)
                                number: T.int64 = count[T.int64(0)]
                                with T.block("line"):
                                    T.reads()
                                    T.writes()
                                    free = T.alloc_buffer((T.int64(1),), "int32", scope="local")
                                    free[T.int64(0)] = 1
                                    for before in range(number):
                                        if free[T.int64(0)] != 0:
                                            chosen: T.int64 = T_non_max_suppression[batch, class_, before]
                                            first_2: T.float64 = boxes[batch, chosen, T.int64(0)]
                                            second_2: T.float64 = boxes[batch, chosen, T.int64(2)]
                                            half_2: T.float64 = second_2 * T.float64(0.5)
                                            end_4: T.float64 = first_2 - half_2
                                            end_5: T.float64 = first_2 + half_2
                                            first_3: T.float64 = boxes[batch, chosen, T.int64(1)]
                                            second_3: T.float64 = boxes[batch, chosen, T.int64(3)]
                                            half_3: T.float64 = second_3 * T.float64(0.5)
                                            end_6: T.float64 = first_3 - half_3
                                            end_7: T.float64 = first_3 + half_3
                                            area_1: T.float64 = (end_5 - end_4) * (end_7 - end_6)
                                            side: T.float64 = T.max(T.min(end_1, end_5) - T.max(end, end_4), T.float64(0.0))
                                            side_1: T.float64 = T.max(T.min(end_3, end_7) - T.max(end_2, end_6), T.float64(0.0))
                                            common: T.float64 = side * side_1
                                            if common > (area + area_1 - common) * iou[()]:
                                                free[T.int64(0)] = 0
                                    if free[T.int64(0)] != 0:
                                        T_non_max_suppression[batch, class_, number] = place
                                        count[T.int64(0)] = number + T.int64(1)

    @R.function
    def centered(boxes: R.Tensor((1, "n", 4), dtype="float64"), scores: R.Tensor((1, 1, "n"), dtype="float64"), iou: R.Tensor((), dtype="float64"), least: R.Tensor((1,), dtype="float64")) -> R.Tensor((1, 1, "n"), dtype="int64"):
        n = T.int64()
        cls = Module
        gv = R.call_tir(cls.non_max_suppression2, (boxes, scores, iou, least), out_sinfo=R.Tensor((1, 1, n), dtype="int64"))
        return gv

    @R.function
    def main(boxes: R.Tensor((2, "n", 4), dtype="float32"), scores: R.Tensor((2, 3, "n"), dtype="float32"), iou: R.Tensor((), dtype="float32"), least: R.Tensor((), dtype="float32")) -> R.Tensor((2, 3, "n"), dtype="int64"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.non_max_suppression, (boxes, scores, iou, least), out_sinfo=R.Tensor((2, 3, n), dtype="int64"))
            R.output(gv)
        return gv

    @R.function
    def most(boxes: R.Tensor((2, "n", 4), dtype="float32"), scores: R.Tensor((2, 3, "n"), dtype="float32"), iou: R.Tensor((), dtype="float32"), least: R.Tensor((), dtype="float32")) -> R.Tensor((2, 3, "T.min(n, T.int64(3))"), dtype="int64"):
        n = T.int64()
        cls = Module
        gv = R.call_tir(cls.non_max_suppression1, (boxes, scores, iou, least), out_sinfo=R.Tensor((2, 3, T.min(n, T.int64(3))), dtype="int64"))
        return gv
