import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.text.code import code_terms, split_identifier
from hakari.text.tokenizers import tokenizer


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("snake_case_name", ["snake", "case", "name"]),
        ("camelCase", ["camel", "Case"]),
        ("PascalCase", ["Pascal", "Case"]),
        ("HTTPServer", ["HTTP", "Server"]),
        ("parseJSON2", ["parse", "JSON", "2"]),
        ("parseHTTPResponse2", ["parse", "HTTP", "Response", "2"]),
        ("getURLs", ["get", "URLs"]),
        ("URLsOfPage", ["URLs", "Of", "Page"]),
        ("MAX_VALUE", ["MAX", "VALUE"]),
        ("__init__", ["init"]),
        ("utf8", ["utf", "8"]),
        ("x", ["x"]),
        ("_", []),
        ("größeÄndern", ["größe", "Ändern"]),
        ("ПолучитьИмя", ["Получить", "Имя"]),
        ("ΑΒΓδοκιμή", ["ΑΒ", "Γδοκιμή"]),
        ("变量2", ["变量", "2"]),
    ],
)
def test_identifiers_split_into_words(identifier: str, parts: list[str]) -> None:
    assert split_identifier(identifier) == parts


def test_names_are_kept_beside_their_words() -> None:
    assert code_terms(["readHTTPFile"]) == [["read", "http", "file", "readhttpfil"]]
    assert code_terms(["os.path.join"]) == [["os", "path", "join", "os.path.join"]]
    assert code_terms(["std::unique_ptr"]) == [["std", "uniqu", "ptr", "uniqueptr", "std.uniqueptr"]]


def test_conventions_of_naming_agree() -> None:
    one, two, three, four = code_terms(
        ["parse_json_files", "parseJsonFiles", "ParseJSONFiles", "PARSE_JSON_FILES"]
    )
    assert one == two == three == four
    assert one[-1:] == code_terms(["parsejsonfiles"])[0]


def test_stop_words_go_but_names_made_of_them_stay() -> None:
    assert code_terms(["the", "python", "a.b"]) == [[], [], ["b", "a.b"]]
    assert code_terms(["is_a"]) == [["isa"]]


def test_underscores_alone_are_no_name() -> None:
    assert code_terms(["_", "self._", "_._"]) == [[], ["self"], []]


@given(st.lists(st.text(max_size=12), max_size=10))
@settings(derandomize=True, deadline=None)
def test_no_letter_or_digit_is_lost_between_parts(words: list[str]) -> None:
    for word in words:
        if all(c.isalnum() or c == "_" for c in word):
            assert "".join(split_identifier(word)) == word.replace("_", "")
    assert all(term for terms in code_terms(words) for term in terms)


def test_the_tokenizer_of_code() -> None:
    tokens = tokenizer("code")(["def readFile(path): return os.path.join(path)", ""])
    assert tokens.of(0) == [
        "def", "read", "file", "readfil", "path", "return", "os", "path", "join", "os.path.join", "path",
    ]  # fmt: skip
    assert tokens.of(1) == []
