"""`hakari board`: the site of what was weighed, built, served on this machine and opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hakari.cli import options, output


@click.command("board")
@options.on_optional
@options.places
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the site; default: in the cache."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="Port; 0 takes a free one."
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address; any but loopback shows it to others."
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
def command(
    tasks: tuple[str, ...], out: Path | None, port: int, host: str, no_open: bool, **places: Any
) -> None:
    """Build the site, serve it to this machine only and open the board; Ctrl-C ends it.

    Example:

      hakari board --on path/to/NanoX
    """
    import threading
    import webbrowser

    from hakari.cli.site_shared import built
    from hakari.site import serve
    from hakari.store.keys import digest
    from hakari.tasks.refs import cache_folder

    where = options.where(**places)
    folder = out or cache_folder() / "site" / digest(str(where.results.resolve()))[:16]
    folder.parent.mkdir(parents=True, exist_ok=True)
    built(tasks, folder, True, where)
    with serve.server(folder, port, host) as server:
        start = "board/" if (folder / "board" / "index.html").is_file() else ""
        address = f"http://{host}:{server.server_address[1]}/{start}"
        output.note(f"{address} serves `{folder}`; Ctrl-C ends it")
        if not no_open:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            output.note("ended")
