"""What keys do."""

from types import MappingProxyType

import pytest

from fugue_tui.config.model import KeySettings
from fugue_tui.control.commands.panes import ClosePane, FocusPane, SplitPane
from fugue_tui.control.core.command import registry
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.keymap import DEFAULTS, DIRECT, Action, binding, canonical, keymap
from fugue_tui.terminal.input.keys import KeyPress, Modifiers, parse_key, spell


@pytest.mark.parametrize("line", [*DEFAULTS.values(), *DIRECT.values()])
def test_every_default_binding_is_something_that_can_be_done(line: str) -> None:
    bound = binding(line)
    assert (bound.action is None) != (bound.command is None)


def test_no_two_default_keys_are_the_same_key() -> None:
    assert len({canonical(parse_key(key)) for key in DEFAULTS}) == len(DEFAULTS)


def test_actions_and_commands_share_no_name() -> None:
    assert not set(registry()) & {str(action) for action in Action}


def test_tmux_keys_do_what_they_do_in_tmux() -> None:
    keys = keymap(KeySettings())[0]
    assert keys.prefix == KeyPress("b", Modifiers.CTRL)
    assert keys.prefixed[KeyPress("%")].command == SplitPane(direction=Direction.HORIZONTAL)
    assert keys.prefixed[KeyPress("left")].command == FocusPane(pane="left")
    assert keys.prefixed[KeyPress("x")].command == ClosePane()


def test_only_arrows_that_move_the_focus_and_keys_that_resize_repeat() -> None:
    mine = MappingProxyType({"h": "focus-pane left", "H": "resize-pane --side left", "up": "swap-pane previous"})
    keys = keymap(KeySettings(bindings=mine))[0].prefixed
    sides = ("left", "right", "up", "down")
    wanted = {*sides, *(f"{held}+{side}" for held in ("ctrl", "alt") for side in sides), "H"} - {"up"}
    assert {spell(press) for press, bound in keys.items() if bound.repeats} == wanted


def test_a_shifted_letter_is_a_key_of_its_own() -> None:
    keys = keymap(KeySettings())[0]
    pressed = canonical(KeyPress("u", Modifiers.SHIFT, "U"))
    assert keys.prefixed[pressed].words == "redo-change"
    assert keys.prefixed[canonical(KeyPress("u", Modifiers.NONE, "u"))].words == "undo-change"
    assert keys.prefixed[canonical(KeyPress("space", Modifiers.NONE, " "))].words == "select-layout next"


def test_alt_arrows_need_no_prefix_unless_they_are_turned_off() -> None:
    press = KeyPress("left", Modifiers.ALT)
    assert keymap(KeySettings())[0].always[press].command == FocusPane(pane="left")
    assert not keymap(KeySettings(focus_with_alt_arrows=False))[0].always


def test_the_configuration_adds_changes_and_removes_keys() -> None:
    mine = MappingProxyType({"|": "split-pane --ratio 0.7", "x": "close-pane", "z": "", "ctrl+t": "help"})
    keys, faults = keymap(KeySettings(prefix="ctrl+a", bindings=mine))
    assert not faults
    assert keys.prefix == KeyPress("a", Modifiers.CTRL)
    assert keys.prefixed[KeyPress("|")].command == SplitPane(ratio=0.7)
    assert keys.prefixed[KeyPress("x")].words == "close-pane"
    assert KeyPress("z") not in keys.prefixed
    assert keys.prefixed[KeyPress("t", Modifiers.CTRL)].action is Action.HELP


@pytest.mark.parametrize(
    ("key", "line", "said"),
    [
        ("x", "close-pan", "keys.bindings.x: no command close-pan; did you mean close-pane?"),
        ("x", "close-pane --pan %1", "did you mean --pane?"),
        ("x", "split-pane --ratio 2", "ratio: 2 is not a number from 0.1 to 0.9"),
        ("x", "rename-pane", "name: is missing"),
        ("ctrl+b", "help", "is the prefix"),
        ("hyper+x", "help", "keys.bindings.hyper+x: no key"),
    ],
)
def test_a_wrong_binding_is_named_and_the_rest_applies(key: str, line: str, said: str) -> None:
    keys, faults = keymap(KeySettings(bindings=MappingProxyType({key: line, "|": "zoom-pane"})))
    assert len(faults) == 1
    assert said in faults[0]
    assert keys.prefixed[KeyPress("x")].command == ClosePane()
    assert keys.prefixed[KeyPress("|")].words == "zoom-pane"


def test_a_key_is_what_it_types_with_shift_and_what_it_doubles_on_the_keypad() -> None:
    percent = KeyPress("5", Modifiers.ALT | Modifiers.SHIFT, shifted="%")
    assert canonical(percent) == canonical(parse_key("M-%"))
    assert canonical(KeyPress("kp_enter")) == canonical(parse_key("enter"))
    assert canonical(KeyPress("a", Modifiers.CTRL, locks=Modifiers.CAPS_LOCK)) == canonical(parse_key("C-a"))
