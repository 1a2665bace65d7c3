"""How BM25, dense retrieval and their fusion behave: the figures, what they show and what they miss."""

from __future__ import annotations

from hakari.site.blocks import Aside, Bar, Block, Para, Run, Section, Table
from hakari.site.digest import COVERAGE, HEADLINE
from hakari.site.profiles import POOL, ROLES, Profile
from hakari.site.task.overview import best_sentence
from hakari.site.task.view import View
from hakari.site.task.words import PUBLISHED, number, several, share, signed

KEYS = {"nDCG@10": "ndcg_at_10", "hit@10": "hit_at_10", "R@100": "recall_at_100"}
STRONG, WEAK = 0.7, 0.35
"""nDCG@10 from which a profile is called strong, and below which it is called weak."""
FULL = 0.98


def sections(view: View) -> list[Section]:
    """One section a role, and which is best."""
    made = [_section(view, role) for role in ROLES]
    return [section for section in made if section is not None] + [_best(view)]


def _section(view: View, role: str) -> Section | None:
    profile, published = view.profiles.get(role), view.published.get(role)
    if profile is None and published is None:
        return None
    blocks: list[Block] = [_table(view, role)]
    if profile is not None:
        blocks += [Para(sentence) for sentence in _told(view, profile)]
    elif published is not None:
        blocks.append(Para(_told_published(role, view)))
    return Section(f"profile-{role}", f"{ROLES[role]} evaluation profile", blocks)


def _table(view: View, role: str) -> Table:
    profile, published = view.profiles.get(role), view.published.get(role)
    rows: list[tuple[Run, ...]] = []
    for measure in (*KEYS, "R@500"):
        measured: Run = "–"
        if profile is not None and measure in profile.values:
            value = profile.mean(measure)
            measured = Bar(number(value), value)
        told: Run = "–"
        if published is not None and measure in KEYS:
            figure = published[KEYS[measure]]
            told = Bar(number(figure), figure, tone="published")
        if measured != "–" or told != "–":
            rows.append((measure, measured, told))
    rows.append(("Candidates a query", _candidates(profile), _candidates_published(published)))
    if role == "hybrid":
        rows.append(("Queries without a positive in the first 100", _missing(profile),
                     "–" if published is None else str(published.get("safeguard_positive_rows", "–"))))  # fmt: skip
        rows.append(("Rows with 101 candidates", "–" if profile is None else str(profile.rows_with_safeguard),
                     "–" if published is None else str(published.get("rows_with_101_candidates", "–"))))  # fmt: skip
    note = "Published recall is pooled over all positives; R@100 measured here is the mean over queries." if (
        published is not None and view.row.get("positives", 0) != view.row.get("queries", 0)
    ) else ""  # fmt: skip
    here = f"measured with {profile.label}" if profile is not None else "not measured here"
    elsewhere = f"published with {published['config']}" if published is not None else "not published"
    return Table(
        f"{ROLES[role]}: {here}, {elsewhere}",
        ["Figure", "Measured", "Published"],
        rows,
        note=note,
    )


def _missing(profile: Profile | None) -> str:
    return "–" if profile is None or "hit@100" not in profile.values else str(profile.missing)


def _candidates(profile: Profile | None) -> str:
    return (
        "–"
        if profile is None
        else f"top-{profile.depth}" + (", provided with the task" if profile.provided else "")
    )


def _candidates_published(published: object) -> str:
    return "–" if not isinstance(published, dict) else f"top-{published['top_k']}"


def _told(view: View, profile: Profile) -> list[str]:
    value, hit = profile.mean("nDCG@10"), profile.mean("hit@10")
    level = "strong" if value >= STRONG else "weak" if value < WEAK else "of middling strength"
    first = int((profile.values["nDCG@10"] >= 1 - 1e-9).sum())
    queries = len(profile.values["nDCG@10"])
    told = [
        f"{profile.title} is {level} here: nDCG@10 {number(value)}. {several(first, 'query', 'queries')} of {queries} "
        f"({share(first, queries)}) {'is' if first == 1 else 'are'} answered perfectly, and in "
        f"{1 - hit:.1%} nothing relevant is among the first ten."
    ]
    if "R@100" in profile.values:
        told.append(_coverage(view, profile))
    against = {"dense": "bm25", "hybrid": "dense"}.get(profile.role)
    other = view.profiles.get(against or "")
    if other is not None:
        told.append(_against(view, profile, other))
    if profile.role == "hybrid" and "hit@100" in profile.values:
        told.append(
            f"With {POOL} candidates a reranker cannot answer {several(profile.missing, 'query', 'queries')}: none of "
            "their positives is there. The protocol appends one at rank 101, which never counts in recall@100."
        )
    return told


def _coverage(view: View, profile: Profile) -> str:
    recall = profile.mean("R@100")
    missed = int((view.ranks[profile.role] == 0).sum() + (view.ranks[profile.role] > POOL).sum())
    total = len(view.ranks[profile.role])
    told = f"It has {recall:.1%} of the positives of a query among its first 100"
    if recall >= FULL:
        return told + ", so nearly everything is there to be reordered."
    return f"{told}; {missed:,} of {total:,} positives are below that or not found at all."


def _against(view: View, profile: Profile, other: Profile) -> str:
    mine, theirs = profile.values["nDCG@10"], other.values["nDCG@10"]
    wins, losses = int((mine > theirs).sum()), int((mine < theirs).sum())
    return (
        f"Against {other.title} it differs by {signed(float((mine - theirs).mean()))} in nDCG@10: better on "
        f"{several(wins, 'query', 'queries')}, worse on {losses:,}, equal on {len(mine) - wins - losses:,}."
    )


def _told_published(role: str, view: View) -> str:
    figures = view.published[role]
    value = figures["ndcg_at_10"]
    level = "strong" if value >= STRONG else "weak" if value < WEAK else "of middling strength"
    told = (
        f"As published, {ROLES[role]} ({figures['config']}) is {level} here: nDCG@10 {number(value)}, hit@10 "
        f"{number(figures['hit_at_10'])}, recall@100 {number(figures['recall_at_100'])}."
    )
    if role == "hybrid":
        rows = figures.get("safeguard_positive_rows", 0)
        told += f" {several(rows, 'query', 'queries')} had no positive among 100 and got one appended at rank 101."
    return told


def _best(view: View) -> Section:
    blocks: list[Block] = []
    for measure in (HEADLINE, COVERAGE):
        if measure in view.digest.best:
            found = view.digest.best[measure]
            rows: list[tuple[Run, ...]] = [(ROLES[found.role], Bar(number(found.value), found.value), "")]
            for role, (diff, low, high) in found.differences.items():
                value = found.value - diff
                verdict = "not distinguished" if low <= 0 else "behind"
                rows.append(
                    (ROLES[role], Bar(number(value), value), f"{diff:.4f} [{low:.4f}, {high:.4f}], {verdict}")
                )
            columns = ["Profile", measure, "Behind the highest, with the paired 95 % interval"]
            blocks += [
                Para(best_sentence(view, found)),
                Table(f"Best profile by {measure}", columns, rows, texts=(0, 2), marked=(0,)),
            ]
    published = _best_published(view)
    if published:
        blocks.append(Aside(published, "published"))
    return Section("best-profile", "Best profile", blocks or [Para("Fewer than two profiles were measured.")])


def published_best(figures: dict[str, dict[str, float]], key: str) -> str | None:
    """The role with the highest published figure; its uncertainty is not known."""
    among = [role for role in ROLES if role in figures]
    return max(among, key=lambda role: figures[role][key]) if among else None


def _best_published(view: View) -> Run:
    figures = {role: dict(f) for role, f in view.published.items()}
    by_rank, by_coverage = published_best(figures, "ndcg_at_10"), published_best(figures, "recall_at_100")
    if by_rank is None or by_coverage is None:
        return ""
    return (
        PUBLISHED,
        f" {ROLES[by_rank]} is highest by nDCG@10 ({number(figures[by_rank]['ndcg_at_10'])}) and "
        f"{ROLES[by_coverage]} by recall@100 ({number(figures[by_coverage]['recall_at_100'])}); without "
        "per-query figures nothing can be said of their intervals.",
    )
