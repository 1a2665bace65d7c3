"""Questions of people as one text: posts without their markup, and questions of databases with their schema."""

from __future__ import annotations

import html
import json
import re
from typing import Any

_BLOCKS = "p|pre|ul|ol|li|blockquote|br|hr|h[1-6]|div|table|tr"
_MARKUP = re.compile(rf"</?(?P<name>{_BLOCKS}|code|a|em|strong|img|b|i|td|th|sub|sup|kbd)(?:\s[^<>]*)?/?>")
_ENDS_LINE = re.compile(rf"(?:</(?:{_BLOCKS})>|<[bh]r\s*/?>)(?=\S)")


def plain_text(text: str) -> str:
    """A text without the markup of posts, if it has any; code keeps its lines."""
    if not _MARKUP.search(text):
        return text.strip()
    # Paragraphs that stand side by side in the markup would run into each other.
    return html.unescape(_MARKUP.sub("", _ENDS_LINE.sub("\n", text))).strip()


def title_and_body(title: str, body: str) -> str:
    """A post as it is asked: its title, then what it says; a title that the body repeats is told once."""
    parts = [part for part in (plain_text(title), plain_text(body)) if part]
    return parts[-1] if len(parts) == 2 and parts[1].startswith(parts[0]) else "\n\n".join(parts)


def with_schema(question: str, schema: str) -> str:
    """A question of a database, then its schema: what a model cannot read of both is the end of the schema."""
    return "\n\n".join(part for part in (question.strip(), schema.strip()) if part)


def schema_text(value: Any) -> str:
    """A schema as text: statements as they are, names of tables with their columns as `table(a, b)`.

    ValueError where it is neither text, nor a list, nor tables by name.
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return str(value)
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list):
        texts = [one if isinstance(one, str) else schema_text(one) for one in value]
        return "\n".join(texts) if any("\n" in text or "(" in text for text in texts) else ", ".join(texts)
    if isinstance(value, dict):
        return "\n".join(f"{table}({schema_text(columns)})" for table, columns in value.items())
    raise ValueError("is not a text, a list of statements or columns, or tables by name")
