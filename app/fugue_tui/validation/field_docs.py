"""Reads the docstrings under fields from the source, as Python drops them at run time.

Each module is parsed once. Without a source, fields have no description.
"""

import ast
import inspect
import sys
from functools import cache
from inspect import cleandoc
from itertools import pairwise


@cache
def field_docs(cls: type) -> dict[str, str]:
    """The docstring of every annotated field of a class and of its bases, by the field's name."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        found |= _module_docs(base.__module__).get(base.__qualname__, {})
    return found


@cache
def _module_docs(module: str) -> dict[str, dict[str, str]]:
    try:
        source = inspect.getsource(sys.modules[module])
    except (KeyError, OSError, TypeError):
        return {}
    found: dict[str, dict[str, str]] = {}
    _collect(ast.parse(source).body, "", found)
    return found


def _collect(body: list[ast.stmt], prefix: str, found: dict[str, dict[str, str]]) -> None:
    for node in body:
        if isinstance(node, ast.ClassDef):
            found[prefix + node.name] = _documented(node.body)
            _collect(node.body, f"{prefix}{node.name}.", found)
        elif isinstance(node, ast.FunctionDef):
            _collect(node.body, f"{prefix}{node.name}.<locals>.", found)


def _documented(body: list[ast.stmt]) -> dict[str, str]:
    docs: dict[str, str] = {}
    for node, after in pairwise(body):
        match node, after:
            case (
                (ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)])),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                docs[name] = " ".join(cleandoc(text).split())
            case _:
                continue
    return docs
