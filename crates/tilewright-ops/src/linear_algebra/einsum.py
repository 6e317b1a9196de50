# Sums of products by letters.
# test: run
# run: product(f32[2,3]=[1, -2, 3, 0.5, 4, -1], f32[3,2]=[2, 0, -1, 1, 3, -4]) == f32[2,2]=[13, -14, -6, 8]
# run: turned(f32[2,3]=[1, -2, 3, 0.5, 4, -1], f32[3,2]=[2, 0, -1, 1, 3, -4]) == f32[2,2]=[13, -14, -6, 8]
# run: outer(f32[3]=[1, -3, 2], f32[3,2]=[2, 0, -1, 1, 3, -4]) == f32[2,3,3]=[2, -6, 4, -1, 3, -2, 3, -9, 6, 0, 0, 0, 1, -3, 2, -4, 12, -8]
# run: trace(i32[3,3]=[1, 2, 3, 4, 5, 6, 7, 8, 10]) == i32[]=[16]
# run: diagonal(i32[3,3]=[1, 2, 3, 4, 5, 6, 7, 8, 10]) == i32[3]=[1, 5, 10]
# run: turned_around(f32[2,3]=[1, -2, 3, 0.5, 4, -1]) == f32[3,2]=[1, 0.5, -2, 4, 3, -1]
# run: sum_of_rows(f32[2,3]=[1, -2, 3, 0.5, 4, -1]) == f32[3]=[1.5, 2, 2]
# run: three(f32[2,3]=[1, -2, 3, 0.5, 4, -1], f32[3,2]=[2, 0, -1, 1, 3, -4], f32[3]=[1, -3, 2]) == f32[2,2]=[14, 7, -18, -4]
# run: dots(f32[2,3]=[1, -2, 3, 0.5, 4, -1], f32[3]=[1, -3, 2]) == f32[2]=[13, -13.5]
# run: four(f32[2,3], f32[3,4], f32[4,2], f32[2]) == same
# run: own_letters(i32[2,3,4], i32[4,2]) == same
# run: several b=2 n=5 == same
# run: several b=0 n=1 == same
# run: symbolic b=2 n=5 m=4 == same
# run: symbolic b=0 n=1 m=3 == same


@I.ir_module
class Module:
    @R.function
    def product(a: R.Tensor((2, 3), "float32"), b: R.Tensor((3, 2), "float32")):
        return R.einsum((a, b), subscripts="ij,jk->ik")

    @R.function
    def turned(a: R.Tensor((2, 3), "float32"), b: R.Tensor((3, 2), "float32")):
        return R.einsum((a, b), subscripts="ij,jk")

    @R.function
    def outer(v: R.Tensor((3,), "float32"), b: R.Tensor((3, 2), "float32")):
        return R.einsum((v, b), subscripts="i,jk->kji")

    @R.function
    def trace(s: R.Tensor((3, 3), "int32")):
        return R.einsum((s,), subscripts="ii")

    @R.function
    def diagonal(s: R.Tensor((3, 3), "int32")):
        return R.einsum((s,), subscripts="ii->i")

    @R.function
    def turned_around(a: R.Tensor((2, 3), "float32")):
        return R.einsum((a,), subscripts="ij->ji")

    @R.function
    def sum_of_rows(a: R.Tensor((2, 3), "float32")):
        return R.einsum((a,), subscripts="ij->j")

    @R.function
    def three(a: R.Tensor((2, 3), "float32"), b: R.Tensor((3, 2), "float32"), v: R.Tensor((3,), "float32")):
        return R.einsum((a, b, v), subscripts="ij,jk,j->ki")

    @R.function
    def dots(a: R.Tensor((2, 3), "float32"), v: R.Tensor((3,), "float32")):
        return R.einsum((a, v), subscripts="...j,j->...")

    @R.function
    def symbolic(a: R.Tensor(("b", "n", 3), "float32"), c: R.Tensor(("b", 3, "m"), "float32")):
        return R.einsum((a, c), subscripts="bij,bjk->bik")

    @R.function
    def four(
        a: R.Tensor((2, 3), "float32"),
        b: R.Tensor((3, 4), "float32"),
        c: R.Tensor((4, 2), "float32"),
        d: R.Tensor((2,), "float32"),
    ):
        return (R.einsum((a, b, c, d), subscripts="ij,jk,kl,l->i"), R.einsum((a, b, c, a, d), subscripts="ij,jk,kl,lj,i"))

    @R.function
    def own_letters(a: R.Tensor((2, 3, 4), "int32"), b: R.Tensor((4, 2), "int32")):
        return (R.einsum((a, b), subscripts="ijk,kl->i"), R.einsum((b, b, b), subscripts="ab,cb,db->c"))

    @R.function
    def several(
        q: R.Tensor(("b", "n", 3), "float32"), k: R.Tensor(("b", "n", 3), "float32"), v: R.Tensor(("b", 1, 2), "float32")
    ):
        return (
            R.einsum((q, k, v), subscripts="bqd,bqd,bkv->bqv"),
            R.einsum((q, k, q), subscripts="...d,...d,...e->...e"),
        )
