"""An optional module is kept out, or most of it, while others are imported, by one thread at a time."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import pytest

from fugue_tui.optional_imports import deferred, replaced, without

NAME = "colorsys"


def test_a_module_cannot_be_imported_within_and_can_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    with without(NAME), without(NAME), pytest.raises(ImportError):
        import_module(NAME)
    assert import_module(NAME).rgb_to_hsv
    with without(NAME):
        assert import_module(NAME) is sys.modules[NAME]


def test_threads_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents that connected at the same time took each other's end for their own, and were dropped."""
    monkeypatch.delitem(sys.modules, NAME, raising=False)

    def enter_often() -> None:
        for _ in range(500):
            with without(NAME):
                time.sleep(0)  # lets another thread run
                assert sys.modules[NAME] is None

    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(enter_often) for _ in range(4)]:
            each.result()
    assert NAME not in sys.modules


def test_a_replaced_module_is_imported_only_for_what_it_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    with replaced(NAME, own="given"):
        little = import_module(NAME)
        assert (little.own, hasattr(little, "__path__")) == ("given", False)
    assert NAME not in sys.modules
    assert little.ONE_THIRD == import_module(NAME).ONE_THIRD
    with replaced(NAME, own="given"):
        assert not hasattr(import_module(NAME), "own")
    monkeypatch.delitem(sys.modules, NAME)
    with replaced(NAME, own="given"):
        from colorsys import ONE_SIXTH
    assert import_module(NAME).ONE_SIXTH == ONE_SIXTH


def test_a_deferred_function_imports_its_module_when_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    call = deferred(NAME, "rgb_to_hsv")
    assert NAME not in sys.modules
    assert call(0, 0, b=1) == (2 / 3, 1, 1)
