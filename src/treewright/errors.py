"""Exceptions and warnings of treewright. Messages say what was given, what is accepted, and what to do next."""

__all__ = [
    "InputError",
    "InputTypeError",
    "LabelSpellingsWarning",
    "MissingDependencyError",
    "MissingLettersWarning",
    "ModelFileError",
    "NoGainWarning",
    "NumbersAsTextWarning",
    "OverlapWarning",
    "PoorGuessWarning",
    "QuantityTargetWarning",
    "RefutedProofWarning",
    "RowOrderWarning",
    "SolverError",
    "TreewrightError",
]


class TreewrightError(Exception):
    """Base class of all errors that treewright raises by itself.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.errors import TreewrightError
    >>> try:
    ...     OptimalTreeClassifier(max_depth=-1).fit([[1], [2]], [0, 1])
    ... except TreewrightError as error:
    ...     print(type(error).__name__)
    InputError
    """


class InputError(TreewrightError, ValueError):
    """The method cannot use a table, a label, a weight or a parameter.

    Examples
    --------
    >>> from treewright import OptimalTreeClassifier
    >>> try:
    ...     OptimalTreeClassifier().fit([[1], [2]], [0, 1, 1])
    ... except ValueError as error:  # which an InputError is
    ...     print(type(error).__name__)
    InputError
    """


class InputTypeError(InputError, TypeError):
    """A cell or an argument is of a Python type that no column can hold (a dictionary, a list, bytes).

    Examples
    --------
    >>> from treewright.table import table_from
    >>> try:
    ...     table_from([[{"age": 3}]])
    ... except TypeError as error:
    ...     print(type(error).__name__)
    InputTypeError
    """


class OverlapWarning(UserWarning):
    """Some rows had an action that similar rows hardly ever have, so its estimated reward is little more than a guess.

    Examples
    --------
    >>> import warnings
    >>> from treewright.errors import OverlapWarning
    >>> from treewright.policy import doubly_robust_scores
    >>> with warnings.catch_warnings(record=True, action="always", category=OverlapWarning) as caught:
    ...     scores = doubly_robust_scores(
    ...         [[1], [2], [3], [4]], [0, 1, 0, 1], [1, 2, 1, 2], method="ipw", propensities=[0.995, 0.005], cv=2
    ...     )
    >>> len(caught), scores.n_clipped
    (1, 2)
    """


class MissingLettersWarning(UserWarning):
    """A picture has letters that no font installed for matplotlib has.

    Examples
    --------
    >>> import warnings
    >>> from matplotlib.figure import Figure
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.errors import MissingLettersWarning
    >>> from treewright.show import plot_tree
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", MissingLettersWarning)
    ...     _ = plot_tree(OptimalTreeClassifier().fit([[20], [40]], [0, 1]), Figure().subplots())
    """


class NoGainWarning(UserWarning):
    """A hybrid tree is not better than one of its parts alone.

    Examples
    --------
    >>> import warnings
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.errors import NoGainWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", NoGainWarning)
    ...     _ = OptimalTreeClassifier().fit([[20], [40]], [0, 1])
    """


class LabelSpellingsWarning(UserWarning):
    """Labels differ only in capitals and blanks, such as "Yes" and "yes ", and each spelling is a class of its own.

    Examples
    --------
    >>> import warnings
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.errors import LabelSpellingsWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", LabelSpellingsWarning)
    ...     _ = OptimalTreeClassifier().fit([[20], [30], [40]], ["no", "Yes", "yes"])
    """


class NumbersAsTextWarning(UserWarning):
    """A column of a table holds numbers as text, so each of them is a category of its own, without order.

    Examples
    --------
    >>> import warnings
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.errors import NumbersAsTextWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", NumbersAsTextWarning)
    ...     _ = OptimalTreeClassifier().fit([[20], [40]], [0, 1])
    """


class PoorGuessWarning(UserWarning):
    """The reference model that a guess relies on is too poor for it.

    Examples
    --------
    >>> import warnings
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.errors import PoorGuessWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", PoorGuessWarning)
    ...     _ = OptimalTreeClassifier().fit([[20], [40]], [0, 1])
    """


class QuantityTargetWarning(UserWarning):
    """A classifier was given more than 30 different numbers that look like a quantity (`treewright.table.is_no_class`).

    Examples
    --------
    >>> import warnings
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.errors import QuantityTargetWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", QuantityTargetWarning)
    ...     _ = OptimalTreeClassifier().fit([[20], [40]], [0, 1])
    """


class RowOrderWarning(UserWarning):
    """The labels of the rows of `X` and of `y` are the same in another order; rows are matched by position.

    Examples
    --------
    >>> import warnings
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.errors import RowOrderWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", RowOrderWarning)
    ...     _ = OptimalTreeClassifier().fit([[20], [40]], [0, 1])
    """


class RefutedProofWarning(UserWarning):
    """A search claimed a proof that its own tree refutes: a defect of treewright. The result claims no proof.

    Examples
    --------
    >>> import warnings
    >>> from treewright import OptimalTreeClassifier
    >>> from treewright.errors import RefutedProofWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", RefutedProofWarning)
    ...     _ = OptimalTreeClassifier().fit([[20], [40]], [0, 1])
    """


class ModelFileError(TreewrightError, ValueError):
    """A model file is damaged, hostile, or of a schema version that this release does not know.

    Examples
    --------
    >>> from treewright.convert import from_json
    >>> from treewright.errors import ModelFileError
    >>> try:
    ...     from_json("{}")
    ... except ModelFileError:
    ...     print("no model")
    no model
    """


class MissingDependencyError(TreewrightError, ImportError):
    """An optional package is needed; the message names the extra that installs it.

    Examples
    --------
    >>> from treewright.errors import MissingDependencyError
    >>> issubclass(MissingDependencyError, ImportError)
    True
    """


class SolverError(TreewrightError, RuntimeError):
    """A method could not produce any tree (for example no tree meets all constraints).

    Examples
    --------
    >>> from treewright.errors import SolverError, TreewrightError
    >>> issubclass(SolverError, TreewrightError) and issubclass(SolverError, RuntimeError)
    True
    """
