"""How the pages look and read: on phones and desks, in light and dark, by ear."""

import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import DESK, NARROW, PHONE, People, Start
from tests.browser.playing import settled
from tests.browser.test_presses import ready_to_step

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(120)]

NAMELESS = """
[...document.querySelectorAll('button, a, input, select, summary, img, textarea')]
  .filter(it => it.checkVisibility({ visibilityProperty: true }) && it.type !== 'hidden')
  .filter(it => !(it.getAttribute('aria-label') || it.innerText?.trim() || it.hasAttribute('alt')
    || [...it.labels ?? []].some(label => label.innerText.trim())))
  .map(it => it.outerHTML)
"""
LOW = """
[...document.querySelectorAll('main button:not(.spot), main a.button, main input:not([type=radio]), main select')]
  .filter(it => it.offsetParent && it.getBoundingClientRect().height < 44).map(it => it.outerHTML)
"""
FAINT = """
(() => {
  const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => numbers(colour).slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
  const ground = it => {
    for (; it; it = it.parentElement) {
      const colour = getComputedStyle(it).backgroundColor;
      if ((numbers(colour)[3] ?? 1) === 1) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const contrast = it => {
    const [low, high] = [light(getComputedStyle(it).color), light(ground(it))].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  return [...document.querySelectorAll('h1, h2, p, a, button, label, legend, summary, small, strong, li, input')]
    .filter(it => it.offsetParent && it.textContent.trim() && !it.matches('.spot'))
    .filter(it => contrast(it) < 4.5).map(it => `${contrast(it)} ${it.outerHTML}`);
})()
"""
TOO_WIDE = """
[...document.querySelectorAll('html, .row button')]
  .filter(it => it.scrollWidth > it.clientWidth + 1 || it.matches('button') && it.scrollHeight > it.clientHeight + 1)
  .map(it => `${it.scrollWidth} x ${it.scrollHeight}: ${it.innerText}`)
"""


async def every_page(person: "BrowserContext", start: Start) -> AsyncIterator["Page"]:
    """Every kind of page, one after the other."""
    name = "W" * 32
    page = await start(person, name)
    await ready_to_step(page)
    yield page
    await page.locator("[data-place='23']").click()
    await page.locator(".controls .danger").first.wait_for()
    yield page
    page = await start(person, name, "friend", 25)
    yield page
    link = await page.locator("#link").input_value()
    await page.goto(link)
    yield page
    await page.goto(re.sub(r"/c/.*", "/", link))
    await page.locator("summary").first.click()
    yield page


@pytest.mark.parametrize(
    ("size", "scheme", "locale"),
    [(NARROW, "dark", "en-US"), (NARROW, "light", "tr-TR"), (DESK, "light", "en-US"), (DESK, "dark", "tr-TR")],
)
async def test_every_control_has_a_name_and_room_and_can_be_read(
    people: People, start: Start, size: tuple[int, int], scheme: str, locale: str
) -> None:
    person = await people(size, scheme, locale)
    async for page in every_page(person, start):
        assert await page.evaluate(NAMELESS) == []
        assert await page.evaluate(LOW) == []
        assert await page.evaluate(FAINT) == []
        assert await page.evaluate(TOO_WIDE) == []
        assert await page.locator("h1").count() == 1


async def test_controls_keep_their_place_on_the_screen(people: People, start: Start) -> None:
    """Whatever is shown, the row of controls lies where it lay, and steps lie below it."""
    for size in (PHONE, DESK):
        page = await start(await people(size))
        await page.locator("#spots .spot").first.wait_for()
        places = [await _controls(page)]
        await ready_to_step(page)
        places.append(await _controls(page))
        await page.get_by_role("button", name="Hint").click()
        await page.get_by_text("Hint 1").wait_for()
        places.append(await _controls(page))
        await page.get_by_role("button", name="Concede…").click()
        await page.get_by_role("button", name="Back").wait_for()
        places.append(await _controls(page))
        assert len({str(place) for place in places}) == 1
        await page.get_by_role("button", name="Back").click()
        await settled(page)
        step = await page.locator(".row .step").first.bounding_box()
        assert step is not None
        assert step["y"] >= places[0]["bottom"]


async def test_the_board_fills_a_phone(people: People, start: Start) -> None:
    page = await start(await people(PHONE))
    box = await page.locator("#board img").bounding_box()
    assert box is not None
    assert box["width"] == PHONE[0]


async def test_the_picture_and_the_words_tell_the_same_position(people: People, start: Start) -> None:
    page = await start(await people())
    await ready_to_step(page)
    before = await page.locator("#board img").get_attribute("src")
    await page.locator(".row .step").first.click()
    await settled(page)
    await page.wait_for_timeout(500)
    after = await page.locator("#board img").get_attribute("src")
    assert before != after
    assert await page.locator("#board img").evaluate("it => it.complete && it.naturalWidth") == 1280
    await page.get_by_text("Position in words").click()
    assert await page.locator("#board img").get_attribute("alt") == await page.locator("#position").inner_text()
    assert await page.locator("#lines").get_attribute("aria-live") == "polite"


async def test_the_title_says_whose_turn_it_is(people: People, start: Start) -> None:
    page = await start(await people())
    await ready_to_step(page)
    assert (await page.title()).startswith("● Your turn")


async def test_the_link_can_be_copied(people: People, start: Start) -> None:
    person = await people()
    await person.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await start(person, opponent="friend")
    await page.get_by_role("button", name="Copy").click()
    await page.get_by_role("button", name="Copied").wait_for()
    assert await page.evaluate("navigator.clipboard.readText()") == await page.get_by_label("Link").input_value()


async def _controls(page: "Page") -> dict[str, float]:
    """Where the row of controls lies."""
    box = await page.locator(".row.controls").bounding_box()
    assert box is not None
    return {"left": box["x"], "top": box["y"], "right": box["x"] + box["width"], "bottom": box["y"] + box["height"]}
