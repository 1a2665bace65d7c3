"""Which column of a table is the id, the text, the grade: guessed from its name, or told by the user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hakari.errors import UsageError, nearest
from hakari.io.files import shown
from hakari.nano.sources_tables import Table, plain_name


def _words(names: str) -> tuple[str, ...]:
    return tuple(names.split())


_DOCUMENT_IDS = _words(
    "corpus_id corpusid docid doc_id d_id document_id documentid docno did pid p_id passage_id passageid"
)
_QUERY_IDS = _words("query_id queryid qid q_id question_id questionid topic_id topicid query_idx")
_ANY_IDS = _words("id idx task_id key")

NAMES: Mapping[str, tuple[str, ...]] = {
    # The first of these that a table has is the one: a column named for its role before a general one.
    "corpus.id": ("_id", *_DOCUMENT_IDS, *_ANY_IDS),
    "corpus.text": _words(
        "text contents content body passage document doc code snippet function func abstract answer positive"
    ),
    "corpus.title": ("title",),
    "query.id": ("_id", *_QUERY_IDS, *_ANY_IDS),
    "query.text": _words(
        "text query question query_text contents content body title intent problem prompt anchor claim"
    ),
    "qrels.query": (*_QUERY_IDS, "query", "topic", *_ANY_IDS),
    "qrels.corpus": (*_DOCUMENT_IDS, "document", "doc", "passage", "corpus"),
    "qrels.score": _words(
        "score scores relevance relevance_score relevance_label relevancy relevant is_relevant rel rating"
        " grade label labels judgment judgement gain qrel"
    ),
    "pairs.query": _words("query anchor question intent text problem prompt sentence1 title"),
    "pairs.positive": _words("positive pos answer code document passage snippet response sentence2"),
    "chat.messages": _words("messages conversations conversation dialogue dialog chat turns"),
    "sql.positive": _words("sql statement sql_query gold_sql query answer output target positive response"),
    "sql.query": _words(
        "question sql_prompt nl utterance natural_language intent anchor text input instruction prompt query"
    ),
    "sql.schema": _words(
        "schema context create_table create_table_statement ddl sql_context table_schema tables header"
    ),
    "qa.query": _words("title question_title question query anchor problem prompt text"),
    "qa.positive": _words(
        "answers answer responses response solution reply positive output accepted_answer best_answer"
    ),
    "qa.body": _words("body question_body question description selftext"),
    "qa.accepted": _words("accepted_answer_id acceptedanswerid best_answer_id accepted_answer best_answer"),
}
"""What people call the columns, by role."""
OPTIONAL = frozenset({"corpus.title", "qrels.score", "sql.schema", "qa.body", "qa.accepted"})


def header_names(*kinds: str) -> frozenset[str]:
    """The names by which a first line is known to be a header, of these kinds of roles."""
    return frozenset(
        name for role, names in NAMES.items() for name in names if role.partition(".")[0] in kinds
    )


HEADER_NAMES = header_names("corpus", "query", "qrels", "pairs")


@dataclass
class Roles:
    """The columns that the user names, and an account of all that were taken."""

    given: Mapping[str, str] = field(default_factory=dict)
    taken: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for role in self.given:
            if role not in NAMES:
                near = nearest(role, NAMES)
                known = ", ".join(f"`{name}`" for name in (near or NAMES))
                raise UsageError(f"unknown role {shown(role)} of a column", f"the roles are {known}")

    def of(self, table: Table, *roles: str) -> list[str | None]:
        """The columns of a table that play these roles; one that is missing is a fault."""
        if not table.columns:
            return [None] * len(roles)
        found: list[str | None] = []
        for role in roles:
            found.append(self._column(table, role, [name for name in found if name]))
        used = ", ".join(
            f"{role.partition('.')[2]} `{name}`" + ("" if role in self.given else " (guessed)")
            for role, name in zip(roles, found, strict=True)
            if name is not None
        )
        kind = roles[0].partition(".")[0]
        if "qrels.score" in roles and found[-1] is None:
            unread = [f"`{name}`" for name in table.columns if name not in found]
            used += ", no score: every row is relevant" + (
                f", {', '.join(unread)} not read" if unread else ""
            )
        self.taken.append(f"{kind} in {Path(table.name).name}: {used}")
        return found

    def _column(self, table: Table, role: str, taken: list[str]) -> str | None:
        listed = ", ".join(f"`{name}`" for name in table.columns[:20])
        wanted = self.given.get(role)
        if wanted == "" and role in OPTIONAL:
            return None
        if wanted is not None:
            if wanted in table.columns:
                return wanted
            near = nearest(wanted, table.columns, 1)
            hint = f"did you mean `{near[0]}`?" if near else f"it has {listed}"
            table.faults.add(f"has no column {shown(wanted)} for {role}", (table.name, None), hint)
            return None
        plain: dict[str, str] = {}
        for column in table.columns:
            plain.setdefault(plain_name(column), column)
        for name in NAMES[role]:
            if plain.get(name, "") not in ("", *taken):
                return plain[name]
        if not table.headed and role not in OPTIONAL:
            left = [name for name in table.columns if name not in taken]
            if left:
                return left[0]
        if role not in OPTIONAL:
            what = f"no column of it looks like {role} (it has {listed})"
            kind, _, part = role.partition(".")
            option = f"--column {role}=NAME" if kind in ("corpus", "query", "qrels") else f"--{part} NAME"
            hint = f"say which it is with `{option}`"
            table.faults.add(what, (table.name, None), hint)
        return None
