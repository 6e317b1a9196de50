"""Schemas of JSON as public ones are, made by a seed, and a validator of the keywords in them."""

import itertools
import random
import re

#: Formats that the schemas use, as regular expressions.
FORMATS = {
    "date": r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])",
    "uuid": r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "ipv4": r"((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}",
}
NAMES = ["id", "name", "kind", "size", "tags", "owner", "price", "active", "at", "items", "größe", "a b", "x-y"]
PATTERNS = ["^[A-Z]{2,4}$", "^[a-z]+-[0-9]{1,3}$", "^(yes|no|maybe)$", "^#[0-9a-f]{6}$"]


def matches(schema, value, root):
    """Whether a value is of a schema."""
    if isinstance(schema, bool):
        return schema
    checks = (_reference, _of_type, _literal, _number, _string, _array, _object, _combined)
    return all(check(schema, value, root) for check in checks)


def _reference(schema, value, root):
    if "$ref" not in schema:
        return True
    found = root
    for part in schema["$ref"].removeprefix("#").strip("/").split("/"):
        found = found[part] if part else found
    return matches(found, value, root)


def _of_type(schema, value, root):
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    of = {
        "null": value is None,
        "boolean": isinstance(value, bool),
        "integer": is_number and float(value).is_integer(),
        "number": is_number,
        "string": isinstance(value, str),
        "array": isinstance(value, list),
        "object": isinstance(value, dict),
    }
    return not kinds or any(of[kind] for kind in kinds)


def _same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def _literal(schema, value, root):
    if "const" in schema and not _same(schema["const"], value):
        return False
    return "enum" not in schema or any(_same(one, value) for one in schema["enum"])


def _number(schema, value, root):
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return True
    return (
        value >= schema.get("minimum", value)
        and value <= schema.get("maximum", value)
        and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
        and ("exclusiveMaximum" not in schema or value < schema["exclusiveMaximum"])
        and ("multipleOf" not in schema or value % schema["multipleOf"] == 0)
    )


def _string(schema, value, root):
    if not isinstance(value, str):
        return True
    return (
        schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        and ("pattern" not in schema or re.search(schema["pattern"], value) is not None)
        and ("format" not in schema or re.fullmatch(FORMATS[schema["format"]], value) is not None)
    )


def _array(schema, value, root):
    if not isinstance(value, list):
        return True
    prefix = schema.get("prefixItems", [])
    return (
        schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        and all(matches(own, item, root) for own, item in zip(prefix, value, strict=False))
        and all(matches(schema.get("items", True), item, root) for item in value[len(prefix) :])
    )


def _object(schema, value, root):
    if not isinstance(value, dict):
        return True
    known, other = schema.get("properties", {}), schema.get("additionalProperties", True)
    return all(name in value for name in schema.get("required", [])) and all(
        matches(known.get(name, other), item, root) for name, item in value.items()
    )


def _combined(schema, value, root):
    any_of, one_of, all_of = (schema.get(name) for name in ("anyOf", "oneOf", "allOf"))
    return (
        (any_of is None or any(matches(own, value, root) for own in any_of))
        and (one_of is None or sum(matches(own, value, root) for own in one_of) == 1)
        and (all_of is None or all(matches(own, value, root) for own in all_of))
    )


def _scalar(draw):
    low = draw.randrange(-50, 50)
    return draw.choice(
        [
            {"type": "boolean"},
            {"type": "null"},
            {"type": "integer", "minimum": low, "maximum": low + draw.randrange(200)},
            {"type": "integer", "exclusiveMinimum": low, "exclusiveMaximum": low + 9},
            {"type": "integer", "multipleOf": draw.choice([2, 5, 10]), "minimum": 0, "maximum": 1000},
            {"type": "number", "minimum": 0, "maximum": draw.choice([1, 10, 99.5])},
            {"type": "string", "maxLength": draw.randrange(1, 12)},
            {"type": "string", "minLength": 2, "maxLength": 5},
            {"type": "string", "pattern": draw.choice(PATTERNS), "maxLength": 12},
            {"type": "string", "format": draw.choice(list(FORMATS))},
            {"enum": draw.sample(["red", "green", "blau", 7, True, None, 'a "quote"', 1.5], 3)},
            {"const": draw.choice(["fixed", 3, False, None, [1, 2], {"a": 1}])},
            {"type": draw.sample(["boolean", "null", "integer"], 2), "minimum": 0, "maximum": 99},
        ]
    )


def _schema(draw, depth):
    if depth == 0 or draw.random() < 0.2:
        return _scalar(draw)
    inner = lambda: _schema(draw, depth - 1)  # noqa: E731
    kind = draw.randrange(8)
    if kind == 0:
        least = draw.randrange(3)
        return {"type": "array", "items": inner(), "minItems": least, "maxItems": least + draw.randrange(3)}
    if kind == 1:
        return {"type": "array", "prefixItems": [inner(), inner()], "items": False, "minItems": 2}
    if kind == 2:
        return {draw.choice(["anyOf"]): [inner(), inner()]}
    if kind == 3:
        # Of the two, one fits only.
        parts = [{"type": "string", "maxLength": 4}, {"type": "array", "items": inner(), "maxItems": 2}]
        return {"oneOf": parts}
    names = draw.sample(NAMES, draw.randrange(1, 5))
    required = [name for name in names if draw.random() < 0.6]
    properties = {name: inner() for name in names}
    made = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    if kind == 4:
        made["additionalProperties"] = {"type": "boolean"}
    if kind == 5:
        made["description"] = "An object, as people describe them."
        made["title"] = "Object"
    return made


def _recursive(draw):
    end = {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}
    node = {"type": "object", "properties": {"value": _scalar(draw), "next": end},
            "required": ["value", "next"], "additionalProperties": False}  # fmt: skip
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {"node": node}, "$ref": "#/$defs/node"}


def schemas(count, seed=0):
    """So many schemas, no two of which are the same; each tenth refers to itself."""
    draw, seen = random.Random(seed), set()
    for number in itertools.count():
        made = _recursive(draw) if number % 10 == 9 else _schema(draw, 3)
        if repr(made) not in seen:
            seen.add(repr(made))
            yield made
        if len(seen) == count:
            return
