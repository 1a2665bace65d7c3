"""`hakari audit`: what of the tasks stands in training data, and training data without it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hakari.cli import options, output
from hakari.errors import EXIT_GATE_FAILED, EXIT_OK

if TYPE_CHECKING:
    from hakari.audit.report import Report
    from hakari.audit.shards import Shard
    from hakari.audit.similar_scan import Asked

FILE = click.Path(path_type=Path)


class _Default(click.Group):
    """A group whose own arguments are those of `scan` where no subcommand is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self.with_subcommand(args))

    def with_subcommand(self, args: list[str]) -> list[str]:
        """The arguments with the subcommand that they mean."""
        if "--self" in args:
            return ["self", *(argument for argument in args if argument != "--self")]
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            return ["scan", *args]
        return args


def _columns(function: Any) -> Any:
    helps = {
        "query": "Column of queries, anchors, instructions.",
        "positive": "Column of what answers them.",
        "negatives": "Column of negatives.",
        "messages": "Column of dialogues.",
        "text": "Column of other text.",
    }
    made = [
        click.option(f"--{role}", metavar="COLUMN", multiple=True, help=text) for role, text in helps.items()
    ]
    return options.together(*made)(function)


_scan_options = options.together(
    click.argument("train", metavar="TRAIN...", nargs=-1, required=True),
    options.on,
    options.tasks_dir,
    _columns,
    click.option(
        "--shingle",
        metavar="UNIT:N",
        default="words:8",
        show_default=True,
        help="What a shingle is: `words:13`, `words:8`, `chars:50`, `tokens:10`.",
    ),
    click.option(
        "--containment",
        type=click.FloatRange(0, 1, min_open=True),
        default=0.5,
        show_default=True,
        help="Share of a text's shingles from which a row holds it.",
    ),
    click.option(
        "--normalise",
        type=click.Choice(["text", "code"]),
        default="code",
        show_default=True,
        help="What does not count: `text` is Unicode NFKC, case, white space, punctuation; `code` is that, and for "
        "code also comments, formatting and names.",
    ),
    click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Where shards are scanned: on all cores, or as tasks of a Ray cluster.",
    ),
    click.option(
        "--similar",
        metavar="MODEL",
        help="Also look for paraphrases with a dense retriever, such as `bge_small_en` or `static:wordllama`.",
    ),
    click.option(
        "--cosine",
        type=click.FloatRange(0.5, 1),
        help="With --similar: from which cosine on a text is reworded; default: found for the model.",
    ),
    click.option(
        "--similar-rows",
        type=click.Choice(["all", "unflagged"]),
        default="all",
        show_default=True,
        help="With --similar: all rows, or only those not flagged as `direct` or `near`, which is quicker.",
    ),
    click.option("--skip-corrupt", is_flag=True, help="Leave out shards that cannot be read, and say so."),
    click.option("--fresh", is_flag=True, help="Scan again what an earlier scan has kept."),
)

_replace = click.option("--replace", is_flag=True, help="Write over what is there.")


@click.group("audit", cls=_Default, context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Find evaluation texts in training data.

    Examples:

      hakari audit train.parquet --on NanoCoIR

      hakari audit train/ --on NanoCoIR,NanoRTEB --json

      hakari audit train.parquet --on NanoCoIR --similar bge_small_en

      hakari audit verify cleaned/ --on NanoCoIR

      hakari audit --self path/to/NanoX
    """


@command.command("scan")
@_scan_options
@click.option(
    "--examples", type=click.IntRange(0), default=3, show_default=True, help="Matches to show side by side."
)
@click.option("--clean", type=FILE, metavar="OUT", help="Write the training data without the flagged rows.")
@click.option(
    "--manifest", type=FILE, metavar="FILE", help="Write the flagged rows and the reasons, as JSONL."
)
@click.option("--statement", type=FILE, metavar="FILE", help="Write a paragraph for the card of a model.")
@click.option(
    "--remove",
    metavar="RISKS",
    default="direct,near,partial",
    show_default=True,
    help="Which rows `--clean` leaves out and `--manifest` lists: add `similar` for what --similar finds.",
)
@click.option(
    "--record", is_flag=True, help="Write counts and definitions into the metadata and card of the sets."
)
@click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Also keep counts and definitions in this folder of results, as for sets that are not yours to write in.",
)
@click.option(
    "--name", metavar="NAME", help="What the training data are called on record; default: the files' name."
)
@_replace
@options.as_json
def scan(train: tuple[str, ...], as_json: bool, examples: int, **chosen: Any) -> int:
    """Count what of the tasks stands in training data: `hakari audit TRAIN... --on TASKS` is short for it."""
    from hakari.audit import output as written
    from hakari.audit.places import shards_of

    given = {name: chosen[name] for name in ("clean", "manifest", "statement", "remove", "replace")}
    targets = written.Targets(**given, similar=chosen["similar"] is not None)
    shards = shards_of(train)
    targets.check(shards)
    report = _scanned(shards, chosen)
    _tell(report, as_json, examples)
    for line in targets.write(report):
        output.note(line)
    name = chosen["name"] or ", ".join(Path(place).name for place in train)
    if chosen["record"]:
        _record(report, name, chosen)
    if chosen["results"] is not None:
        _keep(report, name, chosen["results"])
    return EXIT_OK


@command.command("verify")
@_scan_options
@options.as_json
def verify(train: tuple[str, ...], as_json: bool, **chosen: Any) -> int:
    """Prove that training data holds nothing of the tasks: exit code 0 if so, 1 if not."""
    report = _scanned(train, chosen)
    _tell(report, as_json, 3)
    whole = not any(one.fault for one in report.scanned)
    output.note(
        f"verified: {report.risk}" if whole else f"not verified, for shards were left out: {report.risk}"
    )
    return EXIT_OK if whole and report.risk == "none found" else EXIT_GATE_FAILED


@command.command("self")
@click.argument("tasks", metavar="SET...", nargs=-1, required=True)
@options.tasks_dir
@options.as_json
def inside(tasks: tuple[str, ...], tasks_dir: Path | None, as_json: bool) -> None:
    """Find leaks inside a benchmark: `hakari audit --self SET` is short for it.

    Queries that stand in documents, near-duplicates that are judged differently, queries and positives that tasks
    share: give several sets to compare them with each other.
    """
    import hakari.api  # noqa: F401  (it tells the registry of the sets that are built here)
    from hakari.audit.inside import inside as look
    from hakari.audit.run import references
    from hakari.cli.audit_tell import inside_tables

    refs = references(tasks, tasks_dir)
    findings = look(ref.load() for ref in refs.values())
    if as_json:
        output.print_json([finding.to_json() for finding in findings])
    else:
        output.print_tables(*inside_tables(findings, len(refs)))


@command.command("apply")
@click.argument("manifest", metavar="MANIFEST", type=FILE)
@click.argument("train", metavar="TRAIN...", nargs=-1, required=True, type=FILE)
@click.option("--clean", type=FILE, metavar="OUT", required=True, help="Where the training data go.")
@_replace
def apply(manifest: Path, train: tuple[Path, ...], clean: Path, replace: bool) -> None:
    """Leave out the rows that somebody's manifest lists; gives the bytes that `--clean` gave there."""
    from hakari.audit import clean as cleaning
    from hakari.audit.manifest import read
    from hakari.audit.shards import find
    from hakari.display import counted

    removals, shards = read(manifest), find(train)
    places = cleaning.targets(shards, clean)
    cleaning.check_free(places, replace)
    removed = cleaning.clean(shards, removals, places)
    left_out = counted(sum(removed.values()), "row")
    output.note(f"`{clean}`: {left_out} left out of {counted(len(shards), 'file')}")


def _keep(report: Report, name: str, results: Path) -> None:
    from hakari.audit.record import entries_of
    from hakari.store.audits import keep_audit

    output.note(
        f"`{keep_audit(results, name, entries_of(report, name))}`: for `hakari sql` and `hakari show`"
    )


def _record(report: Report, name: str, chosen: dict[str, Any]) -> None:
    from hakari.audit.record import record
    from hakari.audit.run import references

    refs = references(chosen["tasks"], chosen["tasks_dir"])
    places = {name: ref.folder for name, ref in refs.items() if ref.layout.name == "nano"}
    for line in record(report, places, name):
        output.note(line)


def _scanned(train: Sequence[str | Shard], chosen: dict[str, Any]) -> Report:
    from dataclasses import replace

    import hakari.api  # noqa: F401  (it tells the registry of the sets that are built here)
    from hakari.audit import run
    from hakari.cli.audit_progress import telling

    given = {role: chosen[role] for role in ("query", "positive", "negatives", "messages", "text")}
    settings = run.Settings(
        chosen["shingle"], chosen["containment"], given, chosen["skip_corrupt"], chosen["fresh"]
    )
    settings = replace(settings, code=chosen["normalise"] == "code", similar=_similar(chosen))
    if chosen["engine"] == "ray":
        from hakari.engines.audit_ray import scan_on_ray

        settings = replace(settings, engine=scan_on_ray)
    with telling() as progress:
        return run.audit(train, chosen["tasks"], chosen["tasks_dir"], settings, progress)


def _similar(chosen: dict[str, Any]) -> Asked | None:
    """What looks for paraphrases, where that was asked for."""
    from hakari.errors import UsageError

    if chosen["similar"] is None:
        if chosen["cosine"] is not None or chosen["similar_rows"] != "all":
            option = "--cosine" if chosen["cosine"] is not None else "--similar-rows"
            raise UsageError(f"`{option}` says how to look for paraphrases", "add `--similar MODEL`")
        return None
    from hakari.audit.similar_scan import Asked
    from hakari.retrievers.text_vectors import TextVectors

    model = TextVectors(chosen["similar"])
    return Asked(model, chosen["cosine"], chosen["similar_rows"] == "unflagged")


def _tell(report: Report, as_json: bool, examples: int) -> None:
    from hakari.cli.audit_tell import columns_told, faults_told, tables

    for line in columns_told(report):
        output.note(line)
    for line in faults_told(report):
        output.note(line)
    if as_json:
        output.print_json([count.to_json() for count in report.counts])
        return
    output.print_tables(*tables(report))
    if examples:
        from hakari.cli.audit_tell import print_examples

        print_examples(report, examples)
