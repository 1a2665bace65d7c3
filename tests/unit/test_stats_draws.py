from __future__ import annotations

import hashlib

import numpy as np
import pytest

from hakari.errors import UsageError
from hakari.stats import draws as module
from hakari.stats.draws import WEIGHT_BITS, Draws, Resampling, all_signs, arcsine_table, exponential_table


def joined(draws: Draws, queries: int) -> bytes:
    blocks = list(draws.weights(queries))
    weights = np.concatenate([block.queries for block in blocks])
    unseen = np.concatenate([block.unseen for block in blocks])
    scores = np.concatenate([block.unseen_score for block in blocks])
    signs = np.concatenate([flips for _, flips in draws.signs(queries)])
    return b"".join(part.tobytes() for part in (weights, unseen, scores, signs))


def test_draws_are_the_same_everywhere():
    digest = hashlib.sha256(joined(Draws(7, 300), 50)).hexdigest()
    assert digest == "b507efd0f30d841ce33a30e6f68ccce1bd425b47d6e978d4a9e94eb690d1e94b"


@pytest.mark.parametrize("size", [1, 1000, 1 << 14])
def test_where_blocks_begin_changes_nothing(monkeypatch, size):
    whole = joined(Draws(3, 200), 77)
    monkeypatch.setattr(module, "_BLOCK_VALUES", size)
    assert joined(Draws(3, 200), 77) == whole


def test_a_kept_block_is_the_block_drawn():
    draws = Draws(3, 200)
    assert joined(draws, 77) == joined(draws, 77)
    assert joined(draws, 78) == joined(Draws(3, 200), 78)


@pytest.mark.parametrize(
    ("exact", "bits"),
    [
        (lambda middle: -np.log(middle), 8),
        (lambda middle: np.square(np.sin(np.pi / 2 * middle)), 16),
    ],
)
def test_no_entry_of_a_table_depends_on_the_last_bits_of_a_logarithm_or_sine(exact, bits):
    scaled = np.ldexp(exact((np.arange(1 << 16) + 0.5) / (1 << 16)), bits)
    assert np.min(np.abs(scaled - np.floor(scaled) - 0.5)) > 1e-9


def test_weights_are_exponential_and_fit_their_bits():
    table = exponential_table() / 256
    assert table.mean() == pytest.approx(1, abs=1e-4)
    assert table.var() == pytest.approx(1, abs=1e-3)
    assert exponential_table().max() < 1 << WEIGHT_BITS
    assert np.array_equal(exponential_table(), np.rint(exponential_table()))


def test_unseen_scores_follow_the_arcsine_law():
    table = arcsine_table()
    assert table.mean() == pytest.approx(0.5, abs=1e-4)
    assert table.var() == pytest.approx(1 / 8, abs=1e-4)
    assert 0 <= table.min() < table.max() <= 1


def test_signs_are_fair_and_independent():
    flips = np.concatenate([flips for _, flips in Draws(0, 10_000).signs(70)])
    assert flips.shape == (10_000, 70)
    assert np.abs(flips.mean(axis=0) - 0.5).max() < 0.02
    assert np.abs(np.corrcoef(flips.T) - np.eye(70)).max() < 0.05


def test_seeds_sizes_and_tasks_have_their_own_draws():
    assert joined(Draws(1, 200), 20) != joined(Draws(2, 200), 20)
    draws = Draws(1, 200)
    orders = [draws.shuffle("weights", "a"), draws.shuffle("weights", "b"), draws.shuffle("signs", "a")]
    for order in orders:
        assert np.array_equal(np.sort(order), np.arange(200))
    assert len({order.tobytes() for order in orders}) == 3


def test_all_signs_end_with_the_data_as_observed():
    every = all_signs(4)
    assert len(np.unique(every, axis=0)) == 16
    assert every[-1].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("wrong", [{"seed": -1}, {"resamples": 9}, {"confidence": 1.0}, {"confidence": 0.0}])
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(UsageError):
        Resampling(**wrong)
