"""Questionnaires: words in an order and several answers in one field are told, ordinary words are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from treewright.table import look
from treewright.table._answers import in_an_order, several_in_one_field


@pytest.mark.parametrize(
    "ordered",
    [
        ["strongly disagree", "Disagree", "Neither agree nor disagree", "AGREE", "Strongly agree"],
        ["<18", "18-24", "25 to 34", "35–44", "45+"],
        ["under 20k", "$20k - $40k", "$40k - $60k", "over 60k"],
        [
            "Extremely dissatisfied",
            "Somewhat dissatisfied",
            "Neither satisfied nor dissatisfied",
            "Somewhat satisfied",
        ],
        [
            "Strongly disagree",
            "Somewhat disagree",
            "Neither agree nor disagree",
            "Somewhat agree",
            "Strongly agree",
        ],
        ["Extremely unlikely", "Somewhat unlikely", "Neither likely nor unlikely", "Extremely likely"],
        ["Never", "Sometimes", "About half the time", "Most of the time", "Always"],
        ["nie", "selten", "oft"],
        ["sehr unzufrieden", "unzufrieden", "neutral", "zufrieden", "sehr zufrieden"],
        ["sehr unzufrieden", "unzufrieden", "weder noch", "zufrieden"],
        ["disagree", "neutral", "agree"],
        ["low", "moderate", "high"],
        ["gering", "mittel", "hoch"],
        ["S", "M", "L", "XL"],
        ["I", "II", "III", "IV"],
        ["1st", "2nd", "3rd"],
        ["★", "★★", "★★★"],
        ["1,000-1,999", "2,000-9,999", "10,000+"],
        ["0.25-0.75", "1.5-2", "2-10", "10-20"],
        ["0,25-0,75", "1,5-2", "2-1000", "1.000-20.000"],
        ["500-900", "900-1k", "1k-2k", "2k-5k"],
        ["<10k", "10-20k", "20-40k", "40k+"],
        ["5 - strongly disagree", "4 - disagree", "3 - neutral", "2 - agree", "1 - strongly agree"],
        ["1. never", "2. rarely", "3. often"],
        ["1=nie", "2=selten", "3=oft"],
    ],
)
def test_words_in_an_order_are_found_however_they_come(ordered: list[str]) -> None:
    assert in_an_order(ordered[::-1]) == ordered
    assert in_an_order([*ordered[::-1], "no answer"]) == ordered


@pytest.mark.parametrize(
    "words",
    [
        ["North", "South", "East"],
        ["agree", "disagree"],
        ["2020-03", "2020-04", "2021-01"],
        ["A-1", "B-2", "C-3"],
        ["0-1", "1-2", "2-3", "5-4"],
        ["0-1", "0-2", "1-4", "1-2"],
        ["1.2.3-1.2.4", "1.5-2", "2-3"],
        ["yes", "no", "often"],
        ["1 - single", "2 - married", "3 - divorced"],
        ["unzufrieden", "neutral", "weder noch", "zufrieden"],
        [f"{k}-{k + 1}" for k in range(100)],
    ],
)
def test_other_words_have_none(words: list[str]) -> None:
    assert in_an_order(words) == []


@pytest.mark.parametrize("mark", [";", ", ", "|"])
def test_several_answers_in_one_field(mark: str) -> None:
    words = ["a", mark.join("ab"), mark.join("bc"), mark.join("abc"), mark.join("ac")]
    assert several_in_one_field(words) == (mark.strip(), ["a", "b", "c"])


@pytest.mark.parametrize(
    "words",
    [["Paris, France", "Lyon, France", "Rome, Italy"], ["Smith, J", "Miller, K", "Meyer, L"], ["a;b"]],
)
def test_names_with_a_comma_are_one_answer(words: list[str]) -> None:
    assert several_in_one_field(words) == ("", [])


def test_a_survey_is_told_what_its_columns_are(tmp_path: Path) -> None:
    path = tmp_path / "survey.csv"
    levels = ["Disagree", "Skipped", "Agree", "Strongly agree", "agree"]
    tools = ["R", "R;SAS", "SAS;SPSS", "R;SAS;SPSS", "R;SPSS"]
    rows = [f"{levels[k % 5]},{tools[k * 3 % 5]},{k % 2}" for k in range(60)]
    path.write_text("\n".join(["fair,tools,left", *rows]) + "\n")
    seen = {
        finding.column: finding for finding in look(path, target="left").findings if "order" in finding.text
    }
    assert "(Disagree < Agree < Strongly agree)" in seen["fair"].text
    told = [finding for finding in look(path, target="left").findings if finding.column == "tools"]
    assert [finding.option for finding in told] == ["--ignore tools"]
    assert "str.get_dummies(';')" in told[0].text


def test_the_order_of_a_common_scale_is_proposed_where_all_words_are_of_it() -> None:
    import pandas as pd

    X = pd.DataFrame({"fair": ["Agree", "Disagree", "agree", "Strongly agree", "Agree"] * 8})
    order, merge = look(X).findings
    assert (order.action, order.order) == ("order", ("Disagree", "Agree", "Strongly agree"))
    for proposed in (merge, order):
        exec(proposed.in_python, {"X": X, "pandas": pd})  # what a person would paste
    assert list(X["fair"].cat.categories) == ["Disagree", "Agree", "Strongly agree"]
    assert X["fair"].cat.codes.tolist()[:4] == [1, 0, 1, 2]
    assert look(X).kinds["ordered words"] == ("fair",)
    assert look(X).findings == ()


def test_an_order_is_told_but_not_proposed_where_a_word_is_of_no_scale() -> None:
    import pandas as pd

    X = pd.DataFrame({"fair": ["Agree", "Disagree", "Strongly agree", "it depends"] * 8})
    (told,) = look(X).findings
    assert "(Disagree < Agree < Strongly agree)" in told.text
    assert "it depends" in told.text
    assert (told.action, told.option, told.in_python) == ("", "", "")


@pytest.mark.parametrize(
    ("first", "second"), [(["new"], "vip"), ([1], 2), ([0.5], 1.5), (["a|b"], "c"), (["a"], 1)]
)
def test_lists_in_a_frame_become_columns_by_the_call_that_is_proposed(first: list[Any], second: Any) -> None:
    import pandas as pd

    X = pd.DataFrame({"tags": [first, [*first, second], []] * 8, "age": range(24)})
    X.loc[23, "tags"] = None
    (fault,) = (finding.text for finding in look(X).findings if "tags" in finding.text)
    call = fault.split("such as ")[1].split(" in pandas")[0]
    made = eval(call, {"X": X, "pandas": pd})
    assert made.loc[:2, [*first, second]].to_numpy().tolist() == [[1, 0], [1, 1], [0, 0]]
    assert made.isna().all(axis=1).tolist() == [False] * 23 + [True]


def test_numbers_with_a_decimal_comma_are_made_numbers_by_the_call_that_is_proposed() -> None:
    import pandas as pd

    X = pd.DataFrame({"basket": ["1.004,98 €", "12,50 €", "3,1 €", "700,00 €"] * 6})
    (told,) = (finding.text for finding in look(X).findings if finding.column == "basket")
    exec(told.split("If they are quantities: ")[1].rstrip("."), {"X": X, "pandas": pd})
    assert X["basket"].tolist()[:4] == [1004.98, 12.5, 3.1, 700.0]


@pytest.mark.parametrize("minus", ["-", "\u2212"])
@pytest.mark.parametrize("mark", [",", "."])
def test_a_minus_sign_is_no_unit(minus: str, mark: str) -> None:
    import pandas as pd

    words = [word.replace(".", mark).replace("-", minus) for word in ("1.5", "2.5", "-3.5")]
    X = pd.DataFrame({"v": words * 20})
    (told,) = (finding.text for finding in look(X).findings if finding.column == "v")
    exec(told.split("If they are quantities: ")[1].rstrip("."), {"X": X, "pandas": pd})
    assert X["v"].tolist()[:3] == [1.5, 2.5, -3.5]


def test_a_minus_sign_behind_numbers_is_left_to_the_reader() -> None:
    import pandas as pd

    (told,) = (
        finding.text for finding in look(pd.DataFrame({"v": ["1.50-", "2.50-", "3.25-"] * 20})).findings
    )
    assert "to_numeric" not in told


def test_combinations_of_two_properties_are_told_and_not_dropped(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    words = [f"{sex}, {state}" for sex in ("male", "female") for state in ("single", "married", "divorced")]
    path.write_text("\n".join(["who;y", *(f"{words[k % 6]};{k % 2}" for k in range(60))]) + "\n")
    (told,) = (finding for finding in look(path, target="y").findings if finding.column == "who")
    assert told.option == ""
    assert "str.get_dummies(', ')" in told.text
    assert told.text.endswith("otherwise keep it as it is.")


def test_bands_with_answers_of_people_who_did_not_say() -> None:
    import pandas as pd

    bands = ["under 20k", "20k-40k", "40k-60k", "60k+"]
    seen = look(pd.DataFrame({"income": [*bands, "don't know", "Refused"] * 8}))
    assert [one.value for one in seen.findings if one.action == "missing"] == ["Refused", "don't know"]
    assert [one.order for one in seen.findings if one.order] == [tuple(bands)]
