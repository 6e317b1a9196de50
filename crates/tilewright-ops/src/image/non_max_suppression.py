# Boxes are chosen in the order of their scores unless they overlap a chosen one; of equal scores the first is chosen.
# test: run
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
