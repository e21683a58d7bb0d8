"""What is said of the ensemble is in the singular of a single tree, and notes of older model files hold."""

from dataclasses import replace

from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from treewright.bornagain import Ensemble, solve
from treewright.verify import verify_born_again

X, y = load_iris(return_X_y=True)


def reborn(n_trees):
    forest = RandomForestClassifier(n_trees, max_depth=1, random_state=0).fit(X, y)
    ensemble = Ensemble.from_model(forest)
    return ensemble, solve(ensemble)


def test_one_tree_is_no_vote_of_trees():
    _, result = reborn(1)
    assert "the ensemble (1 tree with 2 leaves)" in result.sentence()
    assert result.notes[0].startswith("The ensemble is a single tree, read from ")
    _, result = reborn(2)
    assert "the ensemble (2 trees with 4 leaves)" in result.sentence()
    assert result.notes[0].startswith("The ensemble is a soft vote of 2 trees, read from ")


def test_results_with_the_notes_of_older_versions_verify():
    ensemble, result = reborn(1)
    older = replace(
        result, notes=("The ensemble is a soft vote of 1 trees read from RandomForestClassifier.",)
    )
    assert verify_born_again(ensemble, older).ok
