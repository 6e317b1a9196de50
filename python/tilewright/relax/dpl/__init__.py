"""The pattern language of graphs: which expressions and dataflow blocks look like something, and rewriting them.

    pattern = is_op("relax.matmul")(wildcard(), wildcard())
    rewrite_call(pattern, lambda expr, matches: expr, function)

With a `PatternContext`, patterns are related by who uses whom: `a >> b` says that only `b` uses `a`, `a ^ b` that `b`
does.
"""

from .context import *
from .context import __all__ as _context
from .kinds import *
from .kinds import __all__ as _kinds
from .pattern import *
from .pattern import __all__ as _pattern
from .rewrite import rewrite_bindings, rewrite_call
from .rewriter import *
from .rewriter import __all__ as _rewriter

__all__ = [*_context, *_kinds, *_pattern, *_rewriter, "rewrite_bindings", "rewrite_call"]
