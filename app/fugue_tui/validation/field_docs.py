"""Reads the docstrings under fields from the source, as Python drops them at run time.

Each module is read once, and its classes and functions are parsed one at a time: the tree of a whole module takes
megabytes. Without a source, fields have no description.
"""

import ast
import os
import re
import sys
import threading
from functools import cache
from inspect import cleandoc
from itertools import pairwise
from typing import Final

_parsing: Final = threading.Lock()
"""Python 3.11 counts the depth of one tree for all threads, and fails if two of them parse at a time."""
_BLOCK: Final = re.compile(r"^(?:class|def|async def) .*\n(?:(?:[ \t)].*)?\n)*", re.MULTILINE)
"""A class or function of a module: its first line, and the indented and empty lines after it."""


@cache
def field_docs(cls: type) -> dict[str, str]:
    """The docstring of every annotated field of a class and of its bases, by the field's name."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        found |= _module_docs(base.__module__).get(base.__qualname__, {})
    return found


@cache
def _module_docs(module: str) -> dict[str, dict[str, str]]:
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    if not file.endswith(".py") or not os.path.isfile(file):
        return {}
    with open(file, encoding="utf-8") as stream:
        source = stream.read()
    try:
        return _parsed([block[0] for block in _BLOCK.finditer(source)])
    except SyntaxError:  # A text in it has lines without indentation.
        return _parsed([source])


def _parsed(blocks: list[str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for block in blocks:
        with _parsing:
            tree = ast.parse(block)
        _collect(tree.body, "", found)
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
