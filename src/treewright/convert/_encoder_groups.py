"""Which columns scikit-learn's OneHotEncoder made of one column of categories: the groups of a domain.

Exactly one of them is 1 where the encoder refuses unknown categories and drops none, otherwise at most one.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.errors import InputError

__all__ = ["EncoderGroups", "check_named", "encoder_groups"]


@dataclass(frozen=True)
class EncoderGroups:
    """Columns that a fitted transformer returns, and the groups among them."""

    n_columns: int
    one_hot: tuple[tuple[int, ...], ...] = ()
    at_most_one: tuple[tuple[int, ...], ...] = ()

    def shifted(self, by: int) -> EncoderGroups:
        """Return the groups, counted from another column on."""
        one_hot, at_most = (
            tuple(tuple(j + by for j in group) for group in groups)
            for groups in (self.one_hot, self.at_most_one)
        )
        return EncoderGroups(self.n_columns, one_hot, at_most)


def check_named(
    names: Sequence[str],
    others: Iterable[str],
    one_hot: Sequence[Sequence[str]],
    at_most_one: Sequence[Sequence[str]],
) -> None:
    """Refuse columns that do not exist, are in two groups, or are alone in one, by their names.

    Parameters
    ----------
    names : sequence of str
        All columns.
    others : iterable of str
        Columns that are named beside the groups.
    one_hot, at_most_one : sequence of sequence of str
    """
    in_groups = [name for group in (*one_hot, *at_most_one) for name in group]
    for name in (*others, *in_groups):
        if name not in names:
            near = difflib.get_close_matches(str(name), names, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise InputError(
                f"The domain names the column {name!r}.{hint} There are: {', '.join(map(str, names))}."
            )
        if list(names).count(name) > 1:
            raise InputError(
                f"Several columns have the name {name!r}; state the domain by positions, Domain(...)."
            )
    for k, name in enumerate(in_groups):
        if name in in_groups[:k]:
            raise InputError(
                f"The column {name!r} is named twice in groups of the domain; name each column once."
            )
    for group in one_hot:
        if len(group) < 2:
            said = f"The group {group[0]!r} has" if group else "A group has"
            raise InputError(f"{said} fewer than two columns; name all columns of which exactly one is 1.")


def encoder_groups(transformer: Any) -> EncoderGroups:
    """Read the groups of a OneHotEncoder, or of a ColumnTransformer or Pipeline that ends with one.

    Parameters
    ----------
    transformer : fitted transformer
        Of a Pipeline the last step that transforms is read; a model at its end is left out.

    Returns
    -------
    EncoderGroups

    Raises
    ------
    InputError
        It is something else, or not fitted.
    """
    names = [kind.__name__ for kind in type(transformer).__mro__]
    if "Pipeline" in names:
        steps = [step for _, step in transformer.steps if step not in (None, "passthrough")]
        if steps and not hasattr(steps[-1], "transform"):
            steps = steps[:-1]
        if not steps:
            raise InputError("This Pipeline has no step that transforms; give a fitted OneHotEncoder.")
        return encoder_groups(steps[-1])
    if "ColumnTransformer" in names:
        return _of_columns(transformer)
    if "OneHotEncoder" not in names:
        raise InputError(
            f"Groups are read from a fitted OneHotEncoder, or a ColumnTransformer or Pipeline that ends with one; this "
            f"is a {names[0]}. State them with Domain.of(names, one_hot=[[...], ...])."
        )
    if not hasattr(transformer, "categories_"):
        raise InputError("The OneHotEncoder is not fitted; fit it first.")
    return _of_encoder(transformer)


def _of_encoder(encoder: Any) -> EncoderGroups:
    rare = getattr(encoder, "infrequent_categories_", None)
    one_hot, at_most, start = [], [], 0
    for i, categories in enumerate(encoder.categories_):
        width = len(categories)
        own_rare = None if rare is None else rare[i]
        has_rare = own_rare is not None
        if own_rare is not None:
            width += 1 - len(own_rare)
        drops = encoder.drop_idx_ is not None and encoder.drop_idx_[i] is not None
        # What is unknown becomes 0 in all columns, unless it counts as one of the rare ones.
        zeros = encoder.handle_unknown == "ignore" or (encoder.handle_unknown != "error" and not has_rare)
        group = tuple(range(start, start + width - drops))
        start += len(group)
        if drops or zeros:
            at_most += [group] if group else []
        elif len(group) > 1:
            one_hot.append(group)
    return EncoderGroups(start, tuple(one_hot), tuple(at_most))


def _of_columns(transformer: Any) -> EncoderGroups:
    if not hasattr(transformer, "output_indices_"):
        raise InputError("The ColumnTransformer is not fitted; fit it first.")
    n_columns = max((part.stop for part in transformer.output_indices_.values()), default=0)
    one_hot: list[tuple[int, ...]] = []
    at_most: list[tuple[int, ...]] = []
    for name, part in transformer.output_indices_.items():
        inside = transformer.named_transformers_.get(name)
        last = inside.steps[-1][1] if hasattr(inside, "steps") else inside
        if "OneHotEncoder" not in [kind.__name__ for kind in type(last).__mro__]:
            continue
        found = encoder_groups(last)
        weight = (transformer.transformer_weights or {}).get(name, 1)
        if weight != 1:
            raise InputError(
                f"The columns of the encoder {name!r} are multiplied by {weight!r} (transformer_weights), so none of "
                "them is 1. Trees need no such weights: leave them out and fit again."
            )
        if found.n_columns != part.stop - part.start:
            raise InputError(
                f"The encoder {name!r} returns {found.n_columns} columns, not those of its place."
            )
        found = found.shifted(part.start)
        one_hot += found.one_hot
        at_most += found.at_most_one
    if not one_hot and not at_most:
        raise InputError("The ColumnTransformer has no OneHotEncoder; there are no groups to read.")
    return EncoderGroups(n_columns, tuple(one_hot), tuple(at_most))
