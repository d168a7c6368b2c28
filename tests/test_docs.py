"""The documents say what is there: links lead somewhere, examples are read, names in them exist and none is missing."""

import json
import re
import tomllib
from pathlib import Path

import msgspec
import pytest
from typer.main import get_command

from device.cli import app
from device.deck_folder import DeckSpec
from device.session_file import load_session
from rules import carcassonne, fairplay
from rules.carpets.house_rules import HouseRules
from rules.carpets.text import ENGLISH

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "models" / "README.md", *sorted(DOCS.rglob("*.md"))]


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """Fenced code of a language; also where a list indents it."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```", text, re.S | re.M)
    return [re.sub(rf"^{indent}", "", code, flags=re.M) for indent, code in found]


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (path.parent / target).exists(), target


def test_every_page_is_in_the_list_of_documents():
    listed = {(DOCS / target).resolve() for target in re.findall(r"\]\(([^)]+)\)", page("README.md"))}
    assert listed == {p.resolve() for p in DOCS.rglob("*.md") if p.name != "README.md"}


@pytest.mark.parametrize("name", ["ref/session.md", "guide/playing.md"])
def test_sessions_in_the_documents_are_read(name, tmp_path):
    (example,) = blocks(page(name), "toml")
    (tmp_path / "session.toml").write_text(example, encoding="utf-8")
    session = load_session(tmp_path / "session.toml")
    assert len(session.player) == 3
    HouseRules.of(session.house_rules)


def test_the_deck_in_the_documents_is_read():
    (example,) = blocks(page("ref/deck.md"), "toml")
    assert msgspec.convert(tomllib.loads(example), DeckSpec).face[0].count == 4


def test_house_rules_in_the_guide_are_played_by():
    (example,) = blocks(page("guide/house-rules.md"), "toml")
    told = tomllib.loads(example)["house_rules"]
    assert HouseRules.of(told).changed().keys() == told.keys()


def test_every_house_rule_is_documented_with_its_default():
    rows = re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|", page("ref/house-rules.md"), re.M)
    defaults = {name: default for names, default in rows for name in re.findall(r"`(\w+)`", names)}
    assert set(defaults) == set(HouseRules.__struct_fields__)
    for name, default in defaults.items():
        if default.startswith("`"):
            assert HouseRules.of(tomllib.loads(f"{name} = {default.strip('`')}")).changed() == {}, name
        elif re.fullmatch(r"[\d.]+", default.strip()):
            assert getattr(HouseRules(), name) == float(default), name
        else:
            assert getattr(HouseRules(), name) is None, name


def test_the_readme_counts_the_house_rules():
    counted = re.findall(r"\[(\d+) options\]", PAGES[0].read_text(encoding="utf-8"))
    kinds = (HouseRules, carcassonne.HouseRules, fairplay.HouseRules)
    assert counted == [str(len(kind.__struct_fields__)) for kind in kinds]


def test_every_command_and_option_is_documented():
    text = page("ref/commands.md")
    commands = get_command(app).commands
    for name, command in commands.items():
        assert f"`kibitz {name}" in text, name
        for option in (o for p in command.params for o in p.opts if o.startswith("--") and o != "--help"):
            assert f"`{option}" in text, f"{name} {option}"
    assert set(re.findall(r"`kibitz ([a-z-]+)", text)) == set(commands)


def test_no_option_is_documented_that_there_is_not():
    commands = get_command(app).commands
    known = {o for c in [*commands.values(), *commands["games"].commands.values()] for p in c.params for o in p.opts}
    for path in PAGES:
        for option in re.findall(r"kibitz [^\n`]*?(--[a-z]+)", path.read_text(encoding="utf-8")):
            assert option in known | {"--help"}, f"{path.name}: {option}"


def ids_in_the_code() -> set[str]:
    """Every rule id that the referee may say, by its very words."""
    source = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "rules" / "carpets").glob("*.py"))
    names = dict(re.findall(r'^([A-Z_]+)(?:: Final)? = "(carpets\.[\w.]+)"', source, re.M))
    said = [words.partition("message=")[0] for words in re.findall(r"\brule=(.+)", source)]
    return {i for words in said for i in re.findall(r'"(carpets\.[\w.]+)"', words)} | {
        names[word] for words in said for word in re.findall(r"\b[A-Z_]{2,}\b", words) if word in names
    }


def test_every_rule_id_is_documented_and_no_other():
    documented = set(re.findall(r"`(carpets\.[\w.]+)`", page("ref/rules.md")))
    assert documented == ids_in_the_code()


def test_every_reason_for_getting_nothing_is_documented():
    text = page("ref/rules.md")
    for key in ENGLISH:
        if key.startswith("carpets.no_claim."):
            assert f"`{key.rpartition('.')[2]}`" in text


def test_every_correction_is_documented():
    import rules.carpets.corrections as corrections

    def table(text: str) -> set[str]:
        return {row.split(":")[0] for row in re.findall(r"^\| `(\w+(?::<\w+>)?)` \|", text, re.M)}

    in_code = table(corrections.__doc__ or "")
    assert in_code
    assert in_code <= table(page("ref/rules.md"))


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_named_in_the_documents_exist(path):
    for name in re.findall(r"`((?:vision|rules|device|models|tests)/[\w/.]+)`", path.read_text(encoding="utf-8")):
        assert (ROOT / name).exists(), name


def test_the_players_pages_say_the_same():
    """The same table of points and as many paragraphs in each language."""
    pages = [page(f"guide/players.{language}.md") for language in ("en", "fr", "de")]
    assert len({text.count("\n**") for text in pages}) == 1
    assert len({tuple(re.findall(r"\d+", text[text.index("| --- |") :])) for text in pages}) == 1


def test_the_pages_for_the_board_games_say_the_same():
    pages = [page(f"guide/board-games.{language}.md") for language in ("en", "fr", "de")]
    assert len({(text.count("\n**"), text.count("\n## ")) for text in pages}) == 1


@pytest.mark.parametrize("language", ["en", "fr", "de"])
@pytest.mark.parametrize("name", ["players", "board-games"])
def test_the_players_page_calls_buttons_as_the_screen_does(name, language):
    source = (ROOT / "device" / "screen" / "static" / "words.js").read_text(encoding="utf-8")
    words = json.loads("{" + source.partition("WORDS = {")[2].strip().rstrip(";"))[language]
    quoted = re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", page(f"guide/{name}.{language}.md"))
    assert list(dict.fromkeys(quoted)) == [words["looking.moving"], words["undo"], words["redo"]]
