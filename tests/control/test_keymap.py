"""What keys do."""

from types import MappingProxyType

import pytest

from fugue_tui.config.model import KeySettings
from fugue_tui.control.commands.layouts import SelectLayout
from fugue_tui.control.commands.panes import ClosePane, FocusPane, SplitPane
from fugue_tui.control.core.command import registry
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.keymap import DEFAULTS, DIRECT, Action, binding, canonical, is_harmless, keymap, steps
from fugue_tui.control.schema.command_line import sequence
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
    assert press not in keymap(KeySettings(focus_with_alt_arrows=False))[0].always


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


def test_one_key_runs_several_commands_in_order() -> None:
    several = ("split-pane", "select-layout next ; help")
    keys, faults = keymap(KeySettings(bindings=MappingProxyType({"K": several})))
    assert not faults
    found = [step.command or step.action for step in steps(keys.prefixed[KeyPress("K")])]
    assert found == [SplitPane(), SelectLayout(preset="next"), Action.HELP]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("a b ; c", ["a b", "c"]),
        ("a ';' b", ["a ';' b"]),
        ('a "x ; y" ; b \\; c', ['a "x ; y"', "b \\; c"]),
        ("; a ;; b ;", ["a", "b"]),
        ("a 'open ; b", ["a 'open", "b"]),
        ("a;b", ["a;b"]),
    ],
)
def test_a_semicolon_between_commands_separates_them_unless_it_is_quoted(line: str, parts: list[str]) -> None:
    assert sequence(line) == parts


def test_a_key_without_the_prefix_is_bound_and_released() -> None:
    mine = MappingProxyType({"alt+h": "focus-pane left", "f5": ("split-pane", "help"), "alt+left": ""})
    keys, faults = keymap(KeySettings(direct=mine))
    assert not faults
    assert keys.always[KeyPress("h", Modifiers.ALT)].command == FocusPane(pane="left")
    assert keys.always[KeyPress("f5")].following is not None
    assert KeyPress("left", Modifiers.ALT) not in keys.always


@pytest.mark.parametrize(
    ("direct", "said"),
    [
        ({"x": "help"}, "keys.direct.x: is typed into programs; bind it after the prefix in [keys.bindings]"),
        ({"enter": "help"}, "is typed into programs"),
        ({"ctrl+b": "help"}, "keys.direct.ctrl+b: is the prefix"),
        ({"ctrl+q": "help"}, "is the nested_prefix"),
        ({"alt+H": "help", "alt+shift+h": "detach"}, "keys.direct.alt+shift+h: is the same key as alt+H"),
        ({"alt+x": "halp"}, "no command halp; did you mean help?"),
        ({"alt+x": ("split-pane", "close-pan")}, "no command close-pan; did you mean close-pane?"),
        ({"alt+x": ";"}, "no command was given"),
    ],
)
def test_a_key_that_cannot_do_without_the_prefix_drops_only_itself(direct: dict[str, str], said: str) -> None:
    settings = KeySettings(nested_prefix="ctrl+q", direct=MappingProxyType({"alt+z": "zoom-pane", **direct}))
    keys, (fault,) = keymap(settings)
    assert said in fault
    assert keys.always[KeyPress("z", Modifiers.ALT)].words == "zoom-pane"


def test_a_sequence_is_harmless_only_if_all_of_it_is() -> None:
    assert is_harmless(("focus-pane left", "zoom-pane"))
    assert not is_harmless("focus-pane left ; close-pane")


def test_a_key_is_what_it_types_with_shift_and_what_it_doubles_on_the_keypad() -> None:
    percent = KeyPress("5", Modifiers.ALT | Modifiers.SHIFT, shifted="%")
    assert canonical(percent) == canonical(parse_key("M-%"))
    assert canonical(KeyPress("kp_enter")) == canonical(parse_key("enter"))
    assert canonical(KeyPress("a", Modifiers.CTRL, locks=Modifiers.CAPS_LOCK)) == canonical(parse_key("C-a"))
