"""The user's directories are those of platformdirs."""

import os

import platformdirs
import pytest

from fugue_tui.user_dirs import user_dir


@pytest.mark.parametrize("home", ["/home/someone", "/home/someone/", "relative", "", None])
@pytest.mark.parametrize("base", ["/elsewhere", "relative", "", None])
def test_the_directories_are_those_of_platformdirs(
    monkeypatch: pytest.MonkeyPatch, home: str | None, base: str | None
) -> None:
    for names, value in ((("HOME",), home), (("XDG_CONFIG_HOME", "XDG_STATE_HOME"), base)):
        for name in names:
            if value is None:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, value)
    known = platformdirs.user_config_dir, platformdirs.user_state_dir
    expected = [os.path.normpath(each("fugue-tui", appauthor=False)) for each in known]
    assert [os.path.normpath(user_dir(kind)) for kind in ("config", "state")] == expected
