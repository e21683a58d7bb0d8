"""The encoding that fits a file is among those that its error names, with words that a person can judge by."""

import pytest

from treewright.errors import InputError
from treewright.table import load_csv, look
from treewright.table._encodings import likely_encodings


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        ("größe,Fläche\nMüller", "cp1252"),
        ("prénom;âge;n° de séjour", "cp1252"),
        ("Zużycie;Odcięcie", "cp1250"),
        ("Příjmení;Město;Věk", "cp1250"),
        ("yaş;şehir;gelir", "cp1254"),
        ("Возраст;Город", "cp1251"),
        ("Ηλικία;Πόλη", "cp1253"),
        ("גיל;עיר", "cp1255"),
        ("年齢,都道府県", "shift_jis"),
        ("年龄,城市", "gb18030"),
        ("나이,도시", "euc_kr"),
    ],
)
def test_the_right_one_is_named_with_its_words(words, encoding):
    told = dict(likely_encodings(words.encode(encoding)))
    assert encoding in told
    assert told[encoding].split(", ")[0] in words


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        ("Zużycie;Odcięcie", "cp1250"),
        ("Возраст;Город", "cp1251"),
        ("Größe", "cp1252"),
        ("£;naïve", "cp1252"),
        ("Ηλικία;Πόλη", "cp1253"),
    ],
)
def test_signs_between_letters_speak_against_an_encoding(words, encoding):
    assert likely_encodings(words.encode(encoding))[0][0] == encoding


def test_the_name_of_a_column_that_was_asked_for_decides(tmp_path):
    """A guess with other letters has no such column: the error was about its name, and `--fix` wrote the guess."""
    data = "ΤΥΠΟΣ;ΑΠΟΤΕΛΕΣΜΑ\nΑ;1\nΒ;2\n".encode("cp1253")
    assert likely_encodings(data)[0][0] != "cp1253"
    assert likely_encodings(data, ["ΑΠΟΤΕΛΕΣΜΑ"])[0][0] == "cp1253"
    file = tmp_path / "types.csv"
    file.write_bytes(data)
    seen = look(file, target="ΑΠΟΤΕΛΕΣΜΑ")
    assert seen.options().startswith("--encoding cp1253")
    assert "ΤΥΠΟΣ" in str(seen)


def test_the_error_shows_the_words(tmp_path):
    file = tmp_path / "faktury.csv"
    file.write_bytes("Zużycie;y\n1;a\n2;b\n".encode("cp1250"))
    with pytest.raises(InputError, match=r"encoding=\"cp1250\", which reads 'Zużycie' \(.*cp1252.*'Zu¿ycie'"):
        load_csv(file, target="y")
    file.write_bytes(b"\x81\x8d\x8f;y\n1;a\n2;b\n")  # what no list of encodings can read still gets advice
    with pytest.raises(InputError, match=r"encoding=|UTF-8"):
        load_csv(file, target="y")
