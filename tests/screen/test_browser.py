"""The screen in a real browser: a whole game seen, answered, taken back, in three languages and on every size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from device.screen.app import make_app
from device.screen.server import Serving, serve
from device.table import Table
from tests.screen import scripted
from tests.screen.conftest import SHOTS
from tests.screen.scripted import DOUBT, make_table, play

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

SIZES = {"television": (1920, 1080), "tablet": (1180, 820), "tablet-upright": (820, 1180), "phone": (390, 844)}
LEGAL = re.compile("^Legal")
FINGER_PX = 44
"""The smallest thing a finger hits at once (WCAG 2.5.5)."""


def serving(table: Table, port: int = 0) -> Serving:
    return serve(make_app(table, words=scripted.Words()), port=port)


@contextmanager
def opened(browser: Browser, url: str, size: str = "tablet", **more: str) -> Iterator[Page]:
    """A page that has shown its first state. At the end: it met no error and asked nothing of any other host."""
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, locale="en-GB", **more)
    page = context.new_page()
    page.set_default_timeout(15_000)
    complaints: list[str] = []
    strangers: list[str] = []
    page.on("pageerror", lambda e: complaints.append(str(e)))
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    page.on("request", lambda r: None if r.url.startswith((url, "blob:", "data:")) else strangers.append(r.url))
    page.goto(url)
    page.wait_for_selector("body[data-ready]")
    yield page
    context.close()
    # What the browser itself says of a service that was away is no error of the page.
    assert [c for c in complaints if "ERR_CONNECTION_REFUSED" not in c and "WebSocket" not in c] == []
    assert strangers == []


def text(page: Page, selector: str) -> str:
    return page.locator(selector).inner_text()


def expect_text(page: Page, selector: str, wanted: str) -> None:
    page.locator(selector).filter(has_text=wanted).first.wait_for()


def test_a_whole_game(browser: Browser) -> None:
    table = make_table()
    with serving(table) as server, opened(browser, server.url, "television") as page:
        expect_text(page, "#message", "Lay the first card")
        assert text(page, "#phase h1") == "Anna lays out"

        play(table, 1)
        expect_text(page, "#message", "Lay a few more cards")
        expect_text(page, "#looking", "Getting its bearings")

        play(table, 5, after=1)
        expect_text(page, "#marks", "6.1 mm apart")
        assert page.locator("#top .label.measure").text_content() == "6.1\u00a0mm"
        assert page.locator("#top .piece.violation").count() == 2
        page.screenshot(path=SHOTS / "violation-television.png")

        page.locator("#log button").first.click()
        expect_text(page, "#detail", "carpets.layout.gap")
        picture = page.locator("#detail figure img")
        assert picture.evaluate("async (image) => { await image.decode(); return image.naturalWidth }") > 100
        gauge = page.locator("#detail .gauge").get_attribute("aria-label")
        assert gauge == "6.1\u00a0mm measured, one sigma 0.3\u00a0mm, limit 10\u00a0mm"
        page.keyboard.press("Escape")
        page.locator("#detail").wait_for(state="hidden")

        play(table, 7, after=5)
        page.locator("#top .piece.violation").first.wait_for(state="detached")

        play(table, 9, after=7)
        page.locator("#ask").wait_for()
        page.screenshot(path=SHOTS / "question-television.png")
        page.get_by_role("button", name=LEGAL).click()
        page.locator("#ask").wait_for(state="hidden")
        expect_text(page, "#log li >> nth=0", "The layout stands.")
        assert table.state().view.questions == ()

        assert "Answer: Legal" in text(page, "#undo")
        page.locator("#undo").click()
        page.locator("#ask").wait_for()
        assert table.state().view.questions == (DOUBT,)
        assert page.locator("#log .dead").count() == 2
        page.keyboard.press("Escape")
        page.locator("#redo").click()
        expect_text(page, "#undo", "Answer: Legal")

        play(table, 12, after=9)
        expect_text(page, "#phase", "Ben throws")
        assert page.locator("#top .label.claimed").text_content() == "Ben"
        assert page.locator("#top .label.contested").text_content() == "Ben / Clara"
        order = page.locator("#top .piece").evaluate_all("all => all.map(one => one.dataset.key)")
        assert order.index("c2") > order.index("p6")
        assert page.locator(".player.active h3").inner_text() == "Ben"

        play(table, 20, after=12)
        expect_text(page, "#result", "Clara wins")
        scores = page.locator("#players .score").all_inner_texts()
        assert scores == ["5", "−5", "11"]
        expect_text(page, "#result", "three adventures")
        page.screenshot(path=SHOTS / "result-television.png")


def test_a_question_by_keyboard_alone(browser: Browser) -> None:
    table = play(make_table(), 9)
    with serving(table) as server, opened(browser, server.url) as page:
        page.locator("#ask").wait_for()
        assert page.evaluate("document.activeElement.textContent").startswith("Legal")
        inside = "document.activeElement.closest('#ask') || document.activeElement === document.body"
        for _ in range(6):
            page.keyboard.press("Tab")
            assert page.evaluate(inside), "the focus stays in the dialog"
        page.keyboard.press("Escape")
        page.locator("#ask").wait_for(state="hidden")
        assert page.evaluate("document.activeElement.id") == "waiting"
        page.keyboard.press("Enter")
        page.locator("#ask").wait_for()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect_text(page, "#log", "The layout must change.")


def test_the_dialog_says_what_it_is(browser: Browser) -> None:
    with serving(play(make_table(), 9)) as server, opened(browser, server.url) as page:
        dialog = page.get_by_role("dialog", name="Are Sindbad and the Roc far enough apart?")
        dialog.wait_for()
        assert [b.inner_text() for b in dialog.locator(".options button span").all()] == ["Legal", "Illegal"]
        assert "looks likelier" in dialog.get_by_role("button", name=LEGAL).inner_text()


def test_language_is_switched_at_once_and_kept(browser: Browser) -> None:
    with serving(play(make_table(), 7)) as server, opened(browser, server.url) as page:
        page.get_by_role("button", name="Français").click()
        expect_text(page, "#log-title", "Ce qui s’est passé")
        expect_text(page, "#log", "il en faut au moins 10")
        assert page.locator("html").get_attribute("lang") == "fr"
        page.get_by_role("button", name="Deutsch").click()
        expect_text(page, "#log", "nötig sind mindestens 10 mm")
        expect_text(page, "#phase", "Anna legt aus")
        page.reload()
        expect_text(page, "#phase", "Anna legt aus")
        assert page.locator("html").get_attribute("lang") == "de"


def test_a_restart_of_the_service_is_survived(browser: Browser) -> None:
    table = play(make_table(), 7)
    server = serving(table)
    with opened(browser, server.url) as page:
        server.stop()
        expect_text(page, "#notice", "Kibitz is away")
        assert "Anna lays out" in text(page, "#phase"), "what was last known stays"
        page.locator("#undo").click()
        expect_text(page, "#toast", "Nothing was changed")
        play(table, 12, after=7)
        with serving(table, server.port):
            page.locator("#ask").wait_for()
            page.locator("#notice").wait_for(state="hidden")
            page.get_by_role("button", name=LEGAL).click()
            expect_text(page, "#phase", "Ben throws")


def test_a_camera_that_is_away_is_shown(browser: Browser) -> None:
    table = play(make_table(), 7)
    with serving(table) as server, opened(browser, server.url) as page:
        table.camera("away")
        expect_text(page, "#notice", "The camera is away")
        table.camera("live")
        page.locator("#notice").wait_for(state="hidden")


def test_the_camera_picture_with_outlines(browser: Browser) -> None:
    with serving(play(make_table(), 7)) as server, opened(browser, server.url) as page:
        page.get_by_role("tab", name="Camera").click()
        page.locator("#camera image[href^='blob:']").wait_for(state="attached")
        assert page.locator("#camera polygon").count() == 8
        page.screenshot(path=SHOTS / "camera-tablet.png")
        page.keyboard.press("ArrowRight")
        expect_text(page, "#result", "No points yet")
        page.get_by_role("tab", name="Table").click()
        page.locator("#top").wait_for()
        assert page.get_by_role("tab", name="Table").get_attribute("aria-selected") == "true"


def test_a_card_taken_for_another_is_put_right(browser: Browser) -> None:
    table = play(make_table(), 3)
    with serving(table) as server, opened(browser, server.url) as page:
        page.locator("#top .piece[data-key=p1]").click()
        expect_text(page, "#piece", "Seen as: Bazaar.spice")
        page.locator("#piece").get_by_role("button", name="Desert").click()
        page.locator("#piece").wait_for(state="hidden")
        page.wait_for_selector("#top .piece[data-key=p1][aria-label=Desert]")
        expect_text(page, "#log", "Face:p1 desert")


def test_players_tell_what_nobody_asked(browser: Browser) -> None:
    table = play(make_table(), 3)
    with serving(table) as server, opened(browser, server.url) as page:
        page.get_by_role("button", name="Tell Kibitz").click()
        page.get_by_role("button", name="Ben +5").click()
        expect_text(page, ".agreed li >> nth=1", "5")
        page.keyboard.press("Enter")  # the button kept the focus
        page.locator("#players .score").get_by_text("10").wait_for()
        page.get_by_role("button", name="The layout is ready").click()
        page.locator("#telling").wait_for(state="hidden")
        expect_text(page, "#log", "Phase ready")


def test_an_earlier_answer_is_changed_and_taken_out(browser: Browser) -> None:
    table = play(make_table(), 9)
    table.answer(DOUBT.id, "legal")
    play(table, 12, after=9)
    with serving(table) as server, opened(browser, server.url) as page:
        page.locator("#log .answer button").click()
        page.get_by_text("Is this wrong?").click()
        page.get_by_role("button", name="Answer instead: Illegal").click()
        expect_text(page, "#log", "Entry 6 corrected: Illegal")
        page.locator("#log .answer button").click()
        page.get_by_text("Is this wrong?").click()
        page.get_by_role("button", name="Take the answer out").click()
        page.locator("#ask").wait_for()  # asked again


def test_cards_lie_to_scale_where_they_were_measured(browser: Browser) -> None:
    with serving(play(make_table(), 12)) as server, opened(browser, server.url) as page:
        page.locator("#top .piece >> nth=14").wait_for()
        corners = page.evaluate(
            """() => [...document.querySelectorAll('#top .piece')].map((one) => {
                 const m = new DOMMatrix(getComputedStyle(one).transform), edge = one.querySelector('.edge');
                 const [w, h] = ['width', 'height'].map((n) => +edge.getAttribute(n));
                 const all = [[0, 0], [w, 0], [w, h], [0, h]].map(([x, y]) => m.transformPoint({x, y}));
                 return [one.dataset.key, all.map((p) => [p.x, p.y])];
               })"""
        )
        scene = table_scene(12)
        for key, drawn in corners:
            outline = next(p.outline_mm for p in scene.pieces if p.id == key)
            for (x, y), (wanted_x, wanted_y) in zip(drawn, outline, strict=True):
                assert abs(x - wanted_x) < 0.15 and abs(y - wanted_y) < 0.15, key


def table_scene(t: float) -> scripted.Scene:
    return next(step.scene for step in scripted.SCRIPT if step.scene.t == t)


@pytest.mark.parametrize("size", SIZES)
def test_every_size(browser: Browser, size: str) -> None:
    table = play(make_table(), 9)
    with serving(table) as server, opened(browser, server.url, size) as page:
        page.locator("#ask").wait_for()
        page.screenshot(path=SHOTS / f"question-{size}.png")
        small = page.locator("#ask button").evaluate_all(f"all => all.filter(b => b.offsetHeight < {FINGER_PX}).length")
        assert small == 0
        page.get_by_role("button", name=LEGAL).click()
        page.locator("#ask").wait_for(state="hidden")
        play(table, 12, after=9)
        expect_text(page, "#phase", "Ben throws")
        page.evaluate("Promise.all(document.getAnimations().map(one => one.finished))")
        page.screenshot(path=SHOTS / f"claims-{size}.png")
        width, height = SIZES[size]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if size != "phone":
            assert page.evaluate("document.documentElement.scrollHeight") <= height, "nobody scrolls a television"
            scores = page.locator("#players .score")
            assert min(box["height"] for s in scores.all() if (box := s.bounding_box())) > height * 0.03
        buttons = page.locator("button:visible").evaluate_all(
            "all => all.filter(b => b.offsetHeight < 40 || b.offsetWidth < 40).map(b => b.textContent)"
        )
        assert buttons == []
        for piece in page.locator("#top .piece").all():
            box = piece.bounding_box()
            assert box and box["x"] >= 0 and box["x"] + box["width"] <= width


def test_nothing_moves_for_those_who_cannot_bear_it(browser: Browser) -> None:
    table = play(make_table(), 3)
    with serving(table) as server, opened(browser, server.url, reduced_motion="reduce") as page:
        box = page.locator("#top").get_attribute("viewBox")
        play(table, 7, after=3)
        page.locator("#top .piece >> nth=7").wait_for()
        assert page.locator("#top").get_attribute("viewBox") != box
        assert page.evaluate("document.getAnimations().length") == 0


def test_what_is_written_can_be_read(browser: Browser) -> None:
    """Contrast of every visible text with what lies behind it, by the formula of WCAG 2.1 (1.4.3)."""
    with serving(play(make_table(), 8)) as server, opened(browser, server.url, "television") as page:
        found = page.evaluate(
            """() => {
              const rgb = (css) => (css.match(/[\\d.]+/g) ?? []).map(Number);
              const solid = (css) => css.startsWith('rgb') && (rgb(css)[3] ?? 1) > 0.9;
              const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
                .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
                .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
              const out = [];
              for (const one of document.querySelectorAll('body *')) {
                const own = [...one.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
                if (!own || !one.checkVisibility() || one.closest('svg, :disabled, .unseen')) continue;
                let back = one;
                while (back && !solid(getComputedStyle(back).backgroundColor)) back = back.parentElement;
                if (!back) continue;
                const [a, b] = [getComputedStyle(one).color, getComputedStyle(back).backgroundColor]
                  .map((c) => light(rgb(c)));
                const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                out.push([one.textContent.trim().slice(0, 30), ratio]);
              }
              return out;
            }"""
        )
        assert len(found) > 12
        assert [(words, round(ratio, 1)) for words, ratio in found if ratio < 4.5] == []


def test_the_page_says_how_it_stands_in_its_title(browser: Browser) -> None:
    with serving(play(make_table(), 7)) as server, opened(browser, server.url) as page:
        assert re.fullmatch(r"Anna lays out · Kibitz", page.title())
