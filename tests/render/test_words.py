"""Words: every refusal has its sentence, every sentence its translation, every name can be shown."""

import ast
import io
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po
from hypothesis import given
from hypothesis import strategies as some

from bot import variants
from bot.engine.dice import ROLLS
from bot.engine.errors import Ambiguous, Illegal, NotYours, Refusal, Stale, Unreadable
from bot.service.table import LEVELS, Seat
from render.words import LOCALE, LONGEST_NAME, REFUSALS, TO_PLAYERS, clean_name, languages, preferred, words

ROOT = Path(__file__).parents[2]
TRANSLATED = [language for language in languages() if language != "en"]
KEYWORDS = {"say": None, "count": (1, 2), "N_": None}
PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]|%%")
ROLL = re.compile(r"roll [1-6]-[1-6]")

type_of = {refusal.__name__: refusal for refusal in (Refusal, Unreadable, Illegal, Ambiguous, NotYours, Stale)}
REASON_GIVERS = ("obstacle", "_bearing_off", "forbids", "why_not")
"""Functions whose text answers are reasons."""


# The catalogues.


@cache
def messages() -> dict[str, tuple[str, ...]]:
    """Every sentence of the program, by its key: itself, or its singular and plural."""
    found: dict[str, tuple[str, ...]] = {}
    for path in sorted([*(ROOT / "render").rglob("*.py"), *(ROOT / "adapters").rglob("*.py")]):
        found |= _extracted("python", path)
    for path in sorted((ROOT / "adapters").rglob("*.html")):
        found |= _extracted("jinja2.ext:babel_extract", path)
    return found


def _extracted(method: str, path: Path) -> dict[str, tuple[str, ...]]:
    each = extract_from_file(method, path, KEYWORDS)
    forms = [message if isinstance(message, tuple) else (message,) for _, message, _, _ in each]
    return {form[0]: form for form in forms}


@cache
def catalogue(language: str) -> Catalog:
    with (LOCALE / language / "LC_MESSAGES" / "tavla.po").open("rb") as file:
        return read_po(file, locale=language)


def entries(language: str) -> Iterator[Message]:
    return (message for message in catalogue(language) if message.id)


def forms(text: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    """A message of a catalogue in each of its forms."""
    return (text,) if isinstance(text, str) else tuple(text or ())


def placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text)) - {""}


def test_the_sentences_are_found() -> None:
    """In code, across lines, at their declaration, in templates."""
    assert {"Confirm", "%(name)s asks for a rematch.", "This checker is pinned.", "House rules"} <= messages().keys()
    assert messages()["%(number)d point"] == ("%(number)d point", "%(number)d points")


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_sentence_is_translated(language: str) -> None:
    known = {forms(message.id)[0]: forms(message.id) for message in entries(language) if all(forms(message.string))}
    missing = Catalog(locale=language)
    for key, form in messages().items():
        if known.get(key) != form:
            missing.add(form[0] if len(form) == 1 else form)
    text = io.BytesIO()
    write_po(text, missing, omit_header=True)
    assert not len(missing), f"not in the catalogue of {language}:\n{text.getvalue().decode()}"


@pytest.mark.parametrize("language", TRANSLATED)
def test_nothing_else_is_in_the_catalogue_but_the_names_of_rolls(language: str) -> None:
    keys = {forms(message.id)[0] for message in entries(language)}
    assert {key for key in keys - messages().keys() if not ROLL.fullmatch(key)} == set()


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_hold_the_same_places_to_fill(language: str) -> None:
    for message in entries(language):
        wanted = placeholders(forms(message.id)[-1])
        for form in forms(message.string):
            assert placeholders(form) == wanted, form
            assert not set(PLACEHOLDER.sub("", form)) & {"%"}, form
        assert [text.endswith((".", "!", "?", "…", ":")) for text in forms(message.string)[:1]] == [
            text.endswith((".", "!", "?", "…", ":")) for text in forms(message.id)[:1]
        ], message.id


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogues_are_finished(language: str) -> None:
    found = catalogue(language)
    assert not [message.id for message in found if message.id and message.fuzzy]
    assert not found.obsolete
    assert all(len(forms(message.string)) == found.num_plurals for message in entries(language) if message.pluralizable)


def test_every_sentence_can_be_filled() -> None:
    """A stray per cent sign would break the sentence when it is said."""
    for form in messages().values():
        for text in form:
            assert "%" not in PLACEHOLDER.sub("", text), text


# Refusals.


@cache
def sources() -> dict[Path, ast.Module]:
    folders = [ROOT / name for name in ("bot", "adapters", "storage")]
    return {path: ast.parse(path.read_text()) for folder in folders for path in sorted(folder.rglob("*.py"))}


def raised() -> Iterator[tuple[str, set[str]]]:
    """Every reason in the source with the names of the values given there."""
    for module in sources().values():
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in type_of and node.args:
                given = {str(keyword.arg) for keyword in node.keywords}
                yield from ((reason, given) for reason in texts(node.args[0]))
            if isinstance(node, ast.FunctionDef) and node.name in REASON_GIVERS:
                answers = [each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value]
                yield from ((reason, {"start", "end", "die"}) for each in answers for reason in texts(each))


def texts(node: ast.expr) -> Iterator[str]:
    """The text that an expression is, or that each branch of it is."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*texts(node.body), *texts(node.orelse))


def test_the_reasons_are_found() -> None:
    found = {reason for reason, _ in raised()}
    assert {"bar_first", "hit_and_run", "both_dice", "bad_die", "not_playing", "offer_pending", "too_fast"} <= found
    assert len(found) > 60


def test_every_reason_has_a_sentence_that_its_values_fill() -> None:
    for reason, given_there in raised():
        assert reason in REFUSALS, reason
        assert placeholders(REFUSALS[reason]) <= given_there, reason


def test_every_sentence_has_a_reason() -> None:
    written = "".join(path.read_text() for path in [*sources(), *(ROOT / "storage").rglob("*.sql")])
    assert [reason for reason in REFUSALS if f'"{reason}"' not in written and f"'{reason}'" not in written] == []


@pytest.mark.parametrize("language", languages())
def test_refusals_are_sentences(language: str) -> None:
    values = {name: "x" for text in REFUSALS.values() for name in placeholders(text)} | {"possible": ("a", 7, True)}
    for reason in REFUSALS:
        told = words(language).refusal(Illegal(reason, **(values | {"start": 25, "end": 0, "die": 6})))
        assert told != reason
        assert "%" not in told
        assert reason not in TO_PLAYERS or told.endswith((".", "?"))


def test_refusals_name_points_as_they_are_written() -> None:
    say = words("en").refusal
    assert say(Illegal("no_such_die", start=25, end=0)) == "bar/off cannot be played with these dice."
    assert say(Illegal("blocked", start=24, end=18, die=6)) == "Point 18 is held by your opponent."
    assert say(Unreadable("bad_die", die=7)) == "dice: 7 is not 1..6"
    assert say(Ambiguous("ambiguous", choices=("13/8*/4", "13/9/4"))).count("13/8*/4, 13/9/4") == 1
    assert say(Unreadable("bad_notation", text="100% %(x)s")).startswith("I cannot read “100% %(x)s”")


def test_a_reason_without_a_sentence_is_told_as_it_is() -> None:
    assert words("en").refusal(Refusal("brand_new", depth=3)) == "brand_new (depth=3)"


# Names, rolls, languages.


@pytest.mark.parametrize("language", languages())
def test_games_levels_and_wins_have_names(language: str) -> None:
    say = words(language)
    for game, variant in variants.games().items():
        assert say.game(game) != game
        assert say.win(variant.gammon)
    assert {say.level(level) for level in LEVELS}.isdisjoint(LEVELS) or language == "en"
    assert say.win("single") == ""


def test_rolls_have_their_turkish_names() -> None:
    names = [words("tr").roll(roll) for roll, _ in ROLLS]
    assert len(set(names)) == 21
    assert all(re.fullmatch(r"[1-6]-[1-6] \([\w -]+\)", name) for name in names), names
    assert words("tr").roll(ROLLS[-1][0]) == "6-6 (düşeş)"
    assert {words("tr").roll(roll) for roll in [ROLLS[-2][0], ROLLS[-2][0]._replace(first=5, second=6)]} == {
        "6-5 (şeşbeş)"
    }
    assert [words("en").roll(roll) for roll, _ in ROLLS][:3] == ["1-1", "2-1", "2-2"]


@pytest.mark.parametrize(
    ("seats", "names"),
    [
        ((Seat(1, "Ayşe"), Seat(2, "Mehmet")), ("Ayşe", "Mehmet")),
        ((Seat(1, "Ayşe"), Seat(2, "")), ("Ayşe", "Player")),
        ((Seat(1, ""), Seat(2, "")), ("Player 1", "Player 2")),
        ((Seat(1, "Ali"), Seat(2, "ALI")), ("Ali (light)", "ALI (dark)")),
        ((Seat(1, ""), Seat(2, "player")), ("Player (light)", "player (dark)")),
        ((Seat(None, level="easy"), Seat(2, "")), ("Computer (easy)", "Player")),
        ((Seat(1, "Computer (hard)"), Seat(None, level="hard")), ("Computer (hard) (light)", "Computer (hard) (dark)")),
    ],
)
def test_two_players_can_be_told_apart(seats: tuple[Seat, Seat], names: tuple[str, str]) -> None:
    assert words("en").names(seats) == names
    for language in languages():
        assert len(set(words(language).names(seats))) == 2


@given(name=some.text(max_size=80))
def test_names_are_short_visible_and_one_line(name: str) -> None:
    clean = clean_name(name)
    assert len(clean) <= LONGEST_NAME
    assert clean == clean.strip() == clean_name(clean)
    assert not any(unicodedata.category(letter)[0] == "C" or letter in "\n\r\u2028\u2029" for letter in clean)


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("  Ayşe\n\tYılmaz ", "Ayşe Yılmaz"),
        ("A\u200by\u202eşe\u00ad", "Ayşe"),
        ("\u3164\u2800\u200b", ""),
        ("e\u0301", "é"),
        ("👩\u200d💻", "👩💻"),
        ("x" * 50, "x" * 32),
        ("x" * 31 + " y", "x" * 31),
        ("", ""),
    ],
)
def test_names_are_cleaned(name: str, clean: str) -> None:
    assert clean_name(name) == clean


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("tr-TR,tr;q=0.9,en;q=0.8", "tr"),
        ("en-GB,en;q=0.9,tr;q=0.8", "en"),
        ("TR", "tr"),
        ("xx,tr;q=0.5", "tr"),
        ("en;q=0.3, tr;q=0.7", "tr"),
        ("tr;q=0", "en"),
        ("tr;q=lots", "en"),
        ("*", "en"),
        ("", "en"),
        (",;=,", "en"),
    ],
)
def test_the_browsers_wish_is_followed(header: str, language: str) -> None:
    assert preferred(header) == language


@given(header=some.text(max_size=50))
def test_any_header_gives_a_language(header: str) -> None:
    assert preferred(header) in languages()


def test_an_unknown_language_is_the_source() -> None:
    assert words("xx").say("Roll") == "Roll"
    assert words("tr").language == "tr"
    assert languages()[0] == "en"


@pytest.mark.parametrize("language", languages())
def test_numbers_are_counted(language: str) -> None:
    told = {words(language).worth(points, "mars" if points > 1 else "single") for points in (1, 2)}
    assert len(told) == 2
    assert {"1", "2"} == {text[0] for text in told}
    assert words(language).length(1) != words(language).length(5)
