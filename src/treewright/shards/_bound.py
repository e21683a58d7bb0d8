"""The bound for all rows from those of the shards, and why it holds.

**The least of a sum is at least the sum of the leasts.** With F and F_s as in `_question`, F(T) = sum of F_s(T) for
every tree T, because each row is in one shard and the penalties, leaf_penalty * W_s, add up to leaf_penalty * W. So

    F(T) = sum_s F_s(T) >= sum_s min_U F_s(U) >= sum_s b_s,

where b_s is what was proven of shard s and U runs over the trees that shard s may use. What must hold is that for every
allowed tree T of the whole there is an allowed tree U of the shard with F_s(U) <= F_s(T).

**A tree of the whole has such a tree in each shard.** Take T, send the rows of the shard through it, and wherever a
split sends all of them to one side, put the subtree of that side in the place of the split. The result U decides on the
rows of the shard as T does, is no deeper, has no more leaves (and each leaf costs at least 0): F_s(U) <= F_s(T), and
`max_depth` and `max_leaf_nodes` are kept. `min_samples_leaf` need not be, for a leaf of many rows may have a single one
in the shard; so it is 1 there, which only adds trees to the minimum. Each split of U separates rows of the shard. It is
offered to the shard's search, up to an exchange of its sides and to what it does with values that the shard has not:

- A threshold t of a column of numbers, with missing values sent to one side. If it separates known values of the shard,
  t lies in a gap between two neighbouring values there; the shard offers every gap, with the missing rows on either
  side where it has some ("all"), or t itself (given thresholds). If not, it separates the known values from the missing
  ones, which is the split "is the value known?"; every column with both offers it, except one of numbers for which no
  thresholds were given, whose splits the whole does not have either.
- One category c against the rest. If the shard has c and another known value, it offers c with and without the missing
  rows. With two known categories and missing rows, "a or missing" is "b" with the sides exchanged. If the shard has no
  c, or no other known value than c, what is separated are the known values from the missing ones, as above.
- Binary columns are columns of numbers. The kinds of the columns are those of the whole in every shard.

Classes, costs and the factors of the classes are those of the whole; a class that a shard has not costs nothing there.

**Rounding.** A shard's search compares whole numbers. Its leaf penalty is rounded to 2**-32 of a unit of weight
times cost or less (binary columns), or to (1 + 2**(t - 1)) * 2**(b - 58) with b the bits of their total and t those of
the number of leaves (ranked columns), and its answer is a float64 sum. `margin` takes both off b_s. All b_s are added
as fractions, and the sum is rounded downwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from treewright.problem import Problem
from treewright.search import integer_costs
from treewright.shards._deal import Shard
from treewright.shards._question import Question

__all__ = ["Bound", "least_of_any", "margin"]

FLOAT64 = Fraction(1, 2**47)  # relative, of sums and products of float64 numbers
MOST_LEAVES = 2**20


@dataclass(frozen=True)
class Bound:
    """What is proven of a shard, in weight times cost.

    Parameters
    ----------
    shard : Shard
    value : Fraction
        No tree costs less on its rows; the leaf penalties are part of it.
    best : Fraction or None
        Cost of the shard's best tree, where the search ended with a proof; None otherwise.
    lost : str
        Why nothing is proven beyond the penalty of one leaf; empty where something is.
    """

    shard: Shard
    value: Fraction
    best: Fraction | None = None
    lost: str = ""


def least_of_any(question: Question, shard: Shard) -> Fraction:
    """Return what every tree costs on a shard: the right label of each row and the penalty of one leaf.

    Parameters
    ----------
    question : Question
    shard : Shard
    """
    rows = sum((w * c for w, c in zip(shard.class_weight, question.cheapest, strict=True)), Fraction(0))
    return rows + question.leaf_penalty * question.weight_of(shard.class_weight)


def margin(question: Question, shard: Shard, problem: Problem, objective: Fraction) -> Fraction:
    """Return by how much rounding can have raised the bound of a shard, in weight times cost.

    Parameters
    ----------
    question : Question
    shard : Shard
    problem : Problem
        Of the shard, whose integer costs say how large the total is.
    objective : Fraction
        Of the shard's tree, as a share of its weight.
    """
    integers = integer_costs(problem)
    n_rows = len(problem.y)
    most_leaves = min(n_rows, 2 ** min(question.max_depth if question.max_depth is not None else 20, 20))
    if question.max_leaf_nodes is not None:
        most_leaves = min(most_leaves, question.max_leaf_nodes)
    if question.leaf_penalty:  # a tree of more leaves would cost more than the best one
        most_leaves = min(most_leaves, int(objective / question.leaf_penalty) + 2)
    total = int(integers.weight.sum()) * int(integers.costs.max())  # in whole numbers
    a_leaf = max(Fraction(3, 2**32), (3 + n_rows) * Fraction(max(total, 1), 2**56))
    unit = Fraction(integers.unit) * question.weight_of(shard.class_weight)
    scale = Fraction(question.largest_cost) + question.leaf_penalty * most_leaves
    weight = question.weight_of(shard.class_weight)
    return Fraction(most_leaves * a_leaf * unit + FLOAT64 * scale * weight)
