"""Where labels stand among known classes."""

import numpy as np
import pytest

from treewright.errors import InputError
from treewright.tree import label_positions


@pytest.mark.parametrize(
    ("labels", "classes", "positions"),
    [
        ([2, 0, 2], [0, 1, 2], [2, 0, 2]),
        (["b", "a"], ["b", "a"], [0, 1]),  # classes in any order
        ([1.0, 0.0], [0, 1], [1, 0]),  # the same number in another type is the same label
        ([], [0, 1], []),
    ],
)
def test_positions(labels, classes, positions):
    found = label_positions(np.array(labels), np.array(classes), "y holds")
    assert found.dtype == np.int64
    assert found.tolist() == positions


def test_unknown_labels_are_named_with_what_is_known():
    with pytest.raises(
        InputError, match=r"^y holds labels that are not known here: '1', '7'\. Known are 0, 1\. Do this\.$"
    ):
        label_positions(np.array(["7", "1", "7"]), np.array([0, 1]), "y holds", "Do this.")
    with pytest.raises(InputError, match=r"Known are 'a'\.$"):
        label_positions(np.array(["b"]), np.array(["a"]), "y holds")
