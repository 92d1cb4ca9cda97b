"""Which programs are shells, and which argument vectors start an interactive one."""

import pytest

from fugue_tui.shell_names import LINE_SHELLS, SHELLS, is_interactive, program_name


@pytest.mark.parametrize(
    "line", ["bash", "-zsh", "/bin/ksh93 -i", "bash --rcfile x", "bash -o vi -i", "ash +o vi", "nu", "fish -C ls"]
)
def test_a_shell_without_a_script_or_a_command_line_is_interactive(line: str) -> None:
    assert is_interactive(line.split())


@pytest.mark.parametrize("line", ["", "vim", "bash script", "sh -lic ls", "nu --commands ls", "ssh host", "bash - x"])
def test_scripts_command_lines_and_other_programs_are_no_interactive_shell(line: str) -> None:
    assert not is_interactive(line.split())


def test_a_program_is_named_without_its_folder_and_login_dash() -> None:
    assert [program_name(argv) for argv in ((), ("/usr/bin/fish", "-l"), ("-bash",))] == ["", "fish", "bash"]
    assert LINE_SHELLS < SHELLS
