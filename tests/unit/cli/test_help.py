"""The help of a command speaks of options that this command has."""

from __future__ import annotations

import re

import click
import pytest
import typer

from treewright.cli import app

COMMANDS: dict[str, click.Command] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def options_of(command: click.Command) -> set[str]:
    return {name for own in command.params for name in (*own.opts, *own.secondary_opts)} | {"--help"}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_only_options_of_the_command(name: str) -> None:
    """`look --reward` said "--task policy", and `look` has no --task."""
    command = COMMANDS[name]
    texts = [command.help or "", *(getattr(own, "help", None) or "" for own in command.params)]
    foreign = []
    for text in texts:
        said = re.sub(r"\(--[a-z-]+ of \w+\)", "", re.sub(r"treewright \S+ [^\n`]*", "", text))
        for found in OPTION.finditer(said):
            before = said[max(0, found.start() - 40) : found.start()]
            of_another = re.search(rf"\b({'|'.join(COMMANDS)}) $", before)
            known = options_of(COMMANDS[of_another[1]] if of_another else command)
            if found.group() not in known:
                foreign.append(text)
    assert foreign == []


@pytest.mark.parametrize("name", ["query", "choose", "show"])
def test_settings_for_titles_do_not_speak_of_options_that_read_files(name: str) -> None:
    [own] = [option for option in COMMANDS[name].params if option.name == "columns"]
    assert "names for people" in own.help
    assert "options add" not in own.help
