"""Pages as HTML: templates with autoescape, and every text made harmless to show before that."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from markupsafe import Markup

from hakari import __version__
from hakari.display import visible
from hakari.errors import MissingPrerequisite, install_hint
from hakari.site import inline
from hakari.site.blocks import Page

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent
POLICY = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
POLICY_WITH_SCRIPTS = f"{POLICY}; script-src 'self'"
NAVIGATION = (
    ("Overview", "index.html"),
    ("Board", "board/index.html"),
    ("Tasks", "tasks/index.html"),
    ("Suites", "suites/index.html"),
    ("Systems", "systems/index.html"),
    ("Comparisons", "compare/index.html"),
    ("Published", "published.html"),
)


def require() -> None:
    """Raise where the packages that draw pages are not installed."""
    try:
        import jinja2  # noqa: F401
        import markdown_it  # noqa: F401
    except ImportError:
        raise MissingPrerequisite(
            "the site needs jinja2 and markdown-it-py, which are not installed", install_hint("site")
        ) from None


def render(page: Page, navigation: tuple[tuple[str, str], ...] = NAVIGATION) -> bytes:
    """A page as the bytes of its file."""
    root = "../" * page.path.count("/")
    known: dict[str, str] = {}

    def leading(path: str) -> str:
        if path not in known:
            known[path] = href(path, root)
        return known[path]

    template = environment().get_template("page.html")
    text = template.render(
        page=page,
        root=root,
        policy=POLICY_WITH_SCRIPTS if page.scripts else POLICY,
        navigation=navigation,
        version=__version__,
        href=leading,
        run=lambda parts: inline.run(parts, leading),
        name=lambda text: Markup(inline.name(text)),
        table=lambda it: inline.table(it, leading),
    )
    return text.encode("utf-8", "replace")


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Jinja with autoescape, failing on names that a template misspells."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )


def href(path: str, root: str = "") -> str:
    """A link to a page of the site, or to the web; anything else leads nowhere."""
    if safe_address(path):
        return quote(path, safe=":/?#[]@!$&'()*+,;=%~")
    if ":" in path.partition("/")[0]:
        return "#"
    page, mark, fragment = path.partition("#")
    return root + quote(page, safe="/@+=,()~") + (f"#{quote(fragment)}" if mark else "")


def safe_address(address: str) -> bool:
    """Whether an address is one of the web."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _finalized(value: Any) -> Any:
    """Text of tasks and users, made visible; what templates and drawings mark as HTML is left as it is."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible(value, inline.LONGEST)
    return value
