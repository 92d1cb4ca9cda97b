"""Who may do what."""

import pytest

from fugue_tui.control.core.command import Door, Effect, Origin
from fugue_tui.control.dispatch.policy import Decision, Policy, policy
from fugue_tui.errors import ConfigError
from fugue_tui.ids import PaneId

_ALLOWED = {
    Door.KEY: set(Effect),
    Door.PALETTE: set(Effect),
    Door.MOUSE: set(Effect),
    Door.CLI: set(Effect),
    Door.MCP: set(Effect),
    Door.SIDEBAND: {Effect.READ, Effect.LAYOUT},
}


@pytest.mark.parametrize("door", Door)
@pytest.mark.parametrize("effect", Effect)
def test_the_default_table(door: Door, effect: Effect) -> None:
    expected = Decision.ALLOW if effect in _ALLOWED[door] else Decision.REFUSE
    assert Policy().decide(Origin(door, PaneId(1)), effect) is expected


@pytest.mark.parametrize("effect", Effect)
def test_what_the_configuration_refuses_is_refused_to_agents_and_to_programs_only(effect: Effect) -> None:
    strict = policy({str(effect): "refuse"})
    for door in Door:
        refused = door in (Door.MCP, Door.SIDEBAND)
        assert (strict.decide(Origin(door), effect) is Decision.REFUSE) is refused
    assert strict.decide(Origin(Door.CLI, inside=True), effect) is Decision.REFUSE
    other = next(each for each in Effect if each is not effect)
    assert strict.decide(Origin(Door.MCP), other) is Decision.ALLOW


@pytest.mark.parametrize(
    ("rules", "said"), [({"kill": "allow"}, "kill: no such effect"), ({"destroy": "no"}, "'no' is not allow or refuse")]
)
def test_a_wrong_rule_is_named(rules: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        policy(rules)
