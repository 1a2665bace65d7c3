"""`hakari check`: everything to verify before a nano set is published."""

from __future__ import annotations

from pathlib import Path

import click

from hakari.cli import options, output
from hakari.errors import EXIT_GATE_FAILED, EXIT_OK


@click.command("check")
@click.argument("sets", metavar="SET...", nargs=-1, required=True)
@options.tasks_dir
@options.as_json
def command(sets: tuple[str, ...], tasks_dir: Path | None, as_json: bool) -> int:
    """Check nano sets before they are published: files, texts, judgements, candidates and ids.

    Every finding has a severity. An error: a tool cannot read the set, or some score is certainly wrong. A
    warning: scores may mislead. A note: worth knowing. Exit code 1 says that there are errors, 0 that there are
    none, 2 that the sets could not be found.

    Examples:

      hakari check path/to/NanoX

      hakari check path/to/NanoX/Task --json
    """
    import hakari.api  # noqa: F401  (it tells the registry of the sets that are built here)
    from hakari.bench import Step
    from hakari.candidates.check import check_sets
    from hakari.candidates.check_facts import told as told_facts
    from hakari.cli.progress import telling
    from hakari.nano.findings import ERROR, SEVERITIES

    with telling() as teller:
        checked = check_sets(sets, tasks_dir, lambda task, *at: teller.step(Step(task, "check", *at)))
    names, found = checked.tasks, checked.findings
    counts = {severity: sum(f.severity == severity for f in found) for severity in SEVERITIES}
    found.sort(key=lambda f: SEVERITIES.index(f.severity))
    if as_json:
        listed = [one.to_json() for one in found]
        output.print_json({"tasks": names, "counts": counts, "findings": listed, "facts": checked.facts})
    else:
        for one in found:
            click.echo(_line(f"{one.severity:<7}  {one.check}  {one.where}: {one.what}"))
            shown = "; ".join(
                " ".join(map(str, e)) if isinstance(e, list) else str(e) for e in one.examples[:3]
            )
            if shown:
                click.echo(_line(f"         such as {shown}" + (" ..." if one.count > 3 else "")))
            if one.hint:
                click.echo(_line(f"         {one.hint}"))
        for name, facts in checked.facts.items():
            click.echo(_line(told_facts(name, facts)))
        told = ", ".join(
            f"{count} {severity}{'' if count == 1 else 's'}" for severity, count in counts.items()
        )
        click.echo(f"{len(names)} task{'' if len(names) == 1 else 's'} checked: {told}")
    return EXIT_GATE_FAILED if counts[ERROR] else EXIT_OK


def _line(text: str) -> str:
    from hakari.display import visible

    return visible(text)
