"""`hakari build`: a nano set from a collection, pairs, dialogues, code or pages; a subcommand a kind of source."""

from __future__ import annotations

import click

from hakari.cli import build_code, build_hub, build_tables, build_talk


@click.group("build")
def command() -> None:
    """Build a nano set from a collection of any size, from pairs, dialogues, questions, code or pages.

    Start with `hakari build code . --name NanoMine`, or
    `hakari build beir path/to/scifact --name NanoSciFact --recipe published`.
    """


for subcommand in (
    *build_tables.COMMANDS,
    *build_hub.COMMANDS,
    *build_talk.COMMANDS,
    build_code.code,
    build_code.docs,
):
    command.add_command(subcommand)
