"""The command line: one file a command, each loaded only when it is called."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from keyword import iskeyword
from typing import Any

import click

from hakari import __version__
from hakari.errors import EXIT_INTERRUPTED, EXIT_USAGE, HakariError, nearest

EXIT_INTERNAL = 70
"""A fault of hakari itself; never 1, which says that a gate failed."""
EXIT_BROKEN_PIPE = 141
"""Nobody reads on; never 0 or 1, which a gate says only when it was heard."""
COMMANDS = {
    "run": "Weigh retrievers on tasks and keep the results.",
    "compare": "Say which of two or more retrievers is better, and how surely.",
    "gate": "Pass or fail a candidate against a baseline, for CI.",
    "score": "Score TREC runs made by any engine.",
    "candidates": "Make the candidate rankings of a nano set: BM25, a dense model, both fused.",
    "check": "Check a nano set before it is published.",
    "show": "Show a task: statistics, examples, shipped candidates.",
    "tasks": "List tasks.",
    "build": "Build a nano set from a collection, from pairs or from code.",
    "audit": "Find evaluation texts in training data, and clean it of them.",
    "push": "Push a nano set to a hub, with a card that says what it is.",
    "pairs": "Make training pairs from sources that are not evaluation data.",
    "mine": "Find hard negatives for training pairs, by kind.",
    "measures": "List measures.",
    "retrievers": "List retrievers.",
    "cache": "Show the cache of encoded texts, and make room.",
    "export": "Write results for other tools: TREC, CSV, JSON, mteb, model cards.",
    "import": "Keep figures that others measured beside the results.",
    "sql": "Ask the results with SQL.",
    "site": "Build pages of tasks, suites and systems, and the board, as one folder.",
    "board": "Build that folder, serve it to this machine and open it.",
    "demo": "Weigh four retrievers on Python's own standard library.",
    "doctor": "Say what is installed, what is missing and how to add it.",
}


class LazyGroup(click.Group):
    """Lists the commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order that they are told in."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        return import_module(f"hakari.cli.{module}").command  # type: ignore[no-any-return]

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that is called; a misspelt one is told with the nearest."""
        name = args[0]
        if not name.startswith("-") and name not in COMMANDS:
            near = nearest(name, COMMANDS)
            raise HakariError(
                f"unknown command `{name}`",
                f"did you mean `hakari {near[0]}`?" if near else "list the commands with `hakari --help`",
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with one line each, none of them imported."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="hakari %(version)s")
@click.pass_context
def group(context: click.Context) -> int:
    """Weigh retrievers: which search to ship, and whether a new model is really better.

    Start with `hakari demo`, or `hakari run bm25 bm25-code --on path/to/NanoX`.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
    return EXIT_USAGE


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and end the process with its exit code."""
    if sys.stdout is None:  # closed by whoever started us
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  as long-lived as the process
    try:
        code = execute(arguments)
    except Exception as error:
        traceback.print_exc()
        code = _tell_fault(error)
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = EXIT_BROKEN_PIPE if isinstance(error, BrokenPipeError) else EXIT_USAGE
    sys.exit(code)


def _tell_fault(error: Exception) -> int:
    """Whose fault it is, below its traceback, and the exit code: a module of the user's may have raised it."""
    import sysconfig

    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((error.filename, error.lineno))
    known = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    known.append(os.path.dirname(os.path.dirname(__file__)))
    roots = tuple(os.path.join(folder, "") for folder in known)
    own = [place for place in places if os.path.isfile(place[0]) and not place[0].startswith(roots)]
    if not own:
        tell_error("this is a fault of hakari itself", "please report it with the lines above")
        return EXIT_INTERNAL
    path, line = own[-1]
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    tell_error(f"{path}, line {line}: {what}", "this file is no part of hakari; the lines above lead to it")
    return EXIT_USAGE


def execute(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; errors are told on standard error."""
    try:
        code = group.main(args=arguments, prog_name="hakari", standalone_mode=False)
    except HakariError as error:
        tell_error(error.message, error.hint)
        return error.exit_code
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _interrupted()
    except RuntimeError as error:
        if str(error) == "Query interrupted":  # DuckDB turns the user's Ctrl-C into this
            return _interrupted()
        raise
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return EXIT_USAGE
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "hakari"
        tell_error(error.format_message(), f"see `{where} --help`")
        return EXIT_USAGE
    except click.ClickException as error:
        tell_error(error.format_message(), None)
        return EXIT_USAGE
    except SystemExit:  # with code 1: how both click and rich end a process that nobody reads from
        return EXIT_BROKEN_PIPE
    except OSError as error:
        where = f"`{error.filename}`: " if error.filename else ""
        tell_error(f"{where}{error.strerror or error}", "check space and permissions (`df -h`, `ls -ld`)")
        return EXIT_USAGE
    return code if isinstance(code, int) else 0


def _interrupted() -> int:
    click.echo("\ninterrupted; what is finished is kept, the same command goes on from here", err=True)
    return EXIT_INTERRUPTED


def tell_error(message: str, hint: str | None) -> None:
    """Print an error and its hint to standard error, with nothing in them that could steer a terminal."""
    from hakari.display import visible

    click.echo(f"error: {visible(message)}", err=True)
    if hint:
        click.echo(f"hint: {visible(hint)}", err=True)
