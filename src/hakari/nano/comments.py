"""Doc comments as text: JSDoc, Javadoc, Doxygen, Go and Rust comments without their marks."""

from __future__ import annotations

import html
import re
import textwrap

_OPENING = re.compile(r"\A/\*[*!]*<?|\A//[/!]*<?")
_STAR = re.compile(r"^[ \t]*\*(?!/)[ \t]?", re.M)
_RULE = re.compile(r"^[ \t]*[-=*_#/~+]{3,}[ \t]*$", re.M)
_BRIEF = re.compile(r"\A\s*[@\\](?:brief|short|summary|desc|description|details)\b[ \t]*:?", re.I)
_NAMING_TAG = re.compile(
    r"^[ \t]*[@\\](?:fn|function|method|name|class|struct|def|relates|ingroup|memberof)\b.*\n?", re.M
)
_BLOCK_TAG = re.compile(
    r"(?<=[^\n])\n(?=[ \t]*[@\\](?:params?|t?returns?|throws?|exception|arg|see|since)\b)"
)
_INLINE_TAG = re.compile(r"\{@(?:\w+)\s*([^{}]*)\}")
_DOXYGEN_WORD = re.compile(r"[@\\](?:c|p|a|e|em|b|ref|link|endlink)\b[ \t]*")
_TAG = re.compile(
    r"</?(?:p|br|b|i|em|strong|tt|code|pre|ul|ol|li|dl|dt|dd|a|h[1-6]|table|tr|t[dh]|thead|tbody|caption|blockquote|hr|sup|sub|var)"
    r"(?:\s[^<>]*)?/?>",
    re.I,
)
_PARAGRAPH = re.compile(r"\s*<(?:p|br\s*/?)>[ \t]*\n?", re.I)
_DIRECTIVE = re.compile(r"//(?:go:|nolint|export |line |\+build|lint:)")
_INTERNAL = re.compile(r"^[ \t]*[@\\](?:private|internal|api private)\b", re.M)
_LICENCE = re.compile(r"copyright|licen[cs]e|SPDX-|all rights reserved|emacs|vim:", re.I)


def is_documentation(text: str) -> bool:
    """Whether a comment says by its mark that it documents what follows."""
    if text.startswith("/**"):
        return not text.startswith(("/***", "/**/"))
    return text.startswith(("/*!", "//!")) or (text.startswith("///") and not text.startswith("////"))


def is_internal(text: str) -> bool:
    """Whether documentation says that what it is about is not for users."""
    return _INTERNAL.search(text) is not None


def is_directive(text: str) -> bool:
    """Whether a comment speaks to a tool and not to a reader."""
    return _DIRECTIVE.match(text) is not None


def cleaned(comments: list[str], language: str) -> str:
    """The text of the comments above one definition, without marks, stars and rules."""
    parts = []
    for comment in comments:
        body = _OPENING.sub("", comment).removesuffix("*/").rstrip(" \t*") if comment.strip() else ""
        parts.append(_STAR.sub("", body) if comment.startswith("/*") else body)
    lines = _RULE.sub("", "\n".join(parts)).split("\n")
    # What stands behind the opening mark has no indentation to speak of.
    text = "\n".join([lines[0].strip(), textwrap.dedent("\n".join(lines[1:]))]).strip("\n")
    text = textwrap.dedent(text).strip()
    if _LICENCE.search(text):
        return ""
    return "\n".join(line.rstrip() for line in _marked_up(text, language).split("\n")).strip()


def _marked_up(text: str, language: str) -> str:
    """Text without the marks of documentation tools, where they say nothing to a reader."""
    if language in ("go", "rust"):
        return text
    text = _BRIEF.sub("", _NAMING_TAG.sub("", text))
    text = _INLINE_TAG.sub(lambda found: found[1].strip().lstrip("#"), text)
    if language == "java":
        text = html.unescape(_TAG.sub("", _PARAGRAPH.sub("\n\n", text)))
        text = re.sub(r"\n{3,}", "\n\n", text)
    if language in ("c", "c++"):
        text = _DOXYGEN_WORD.sub("", text)
    return _BLOCK_TAG.sub("\n\n", text, count=1).strip()


def without_name(text: str, name: str) -> str:
    """Text that does not begin with the name of what it documents, as comments of Go and C do."""
    lead = re.match(rf"(?:\w+(?:\.|::))*{re.escape(name)}(?:\(\))?\s*(?:[-:]+\s+|\s)\s*(?=\w)", text)
    if not lead:
        return text
    rest = text[lead.end() :]
    return rest[:1].upper() + rest[1:]
