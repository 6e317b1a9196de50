//! te: tensor expressions → PrimFunc; the library of formulas (`topi`)
