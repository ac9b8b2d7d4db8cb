"""Presses that come twice, late, from strangers or for nothing."""

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import PHONE, People, Program, Start
from tests.browser.playing import my_turn, settled

if TYPE_CHECKING:
    from playwright.async_api import Page

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(120)]

STEP = ".row .step:visible"


async def ready_to_step(page: "Page") -> None:
    """It is this player's turn, and his dice lie on the board."""
    await page.locator(".controls .main:visible, .row .step:visible").first.wait_for()
    if not await page.locator(STEP).count():
        await page.locator(".controls .main:visible").click()
        await settled(page)
        await page.locator(STEP).first.wait_for()


async def test_two_quick_presses_of_one_tab_are_one_step(people: People, start: Start) -> None:
    page = await start(await people())
    await ready_to_step(page)
    step = page.locator(STEP).first
    await step.dblclick()
    await settled(page)
    assert await page.locator("#refused").is_hidden()
    assert await page.get_by_role("button", name="Undo").is_visible()


async def test_the_same_press_in_two_tabs_is_one_step_and_one_line(people: People, start: Start) -> None:
    person = await people()
    one = await start(person)
    await ready_to_step(one)
    other = await person.new_page()
    await other.goto(one.url)
    await other.locator(STEP).first.wait_for()
    same = await one.locator(STEP).first.get_attribute("data-action")
    # By name: the other page may have been repainted already, and its first button would be another step.
    press = "same => { const button = document.querySelector('[data-place]'); button.disabled = false; "
    press += "button.dataset.action = same; button.click() }"
    await one.evaluate(press, same)
    await other.evaluate(press, same)
    for page in (one, other):
        await settled(page)
    told = [await page.locator("#refused p").text_content() for page in (one, other)]
    assert sorted(bool(text) for text in told) == [False, True]
    assert "moved on" in "".join(str(text) for text in told)
    assert await one.locator("#position").text_content() == await other.locator("#position").text_content()


async def test_a_press_from_an_old_tab_is_told_and_changes_nothing(people: People, start: Start) -> None:
    page = await start(await people())
    await ready_to_step(page)
    old = await page.locator(STEP).first.get_attribute("data-action")
    await page.locator(STEP).first.click()
    await settled(page)
    shown = await page.locator("#position").text_content()
    await page.evaluate(
        "old => { const button = document.querySelector('.row .step'); button.dataset.action = old; button.click() }",
        old,
    )
    await page.get_by_role("alert").filter(has_text="The board has moved on").wait_for()
    assert await page.locator("#position").text_content() == shown
    await page.get_by_role("button", name="Close").click()
    assert await page.locator("#refused").is_hidden()


async def test_a_stranger_sees_the_board_and_no_buttons(people: People, start: Start) -> None:
    page = await start(await people())
    await page.locator("#spots .spot").first.wait_for()
    stranger = await (await people(PHONE)).new_page()
    await stranger.goto(page.url)
    await stranger.get_by_text("You are watching this match.").wait_for()
    await stranger.locator("#board img").wait_for()
    assert await stranger.locator("main button, .spot").count() == 0
    assert not await my_turn(stranger)


async def test_a_step_that_is_not_possible_is_explained(people: People, start: Start) -> None:
    """On the board, and beside the field for typing."""
    page = await start(await people(), length=5)
    await ready_to_step(page)
    await page.locator(".spot.canMove").first.click()
    await page.locator(".spot:not(.target, .canMove, .picked)").nth(12).click()
    await page.locator("#refused p").filter(has_text=re.compile(r"\w")).wait_for()
    await page.get_by_label("Type a play").fill("hello")
    await page.get_by_role("button", name="Play", exact=True).click()
    await page.locator("#mistyped").filter(has_text="I cannot read “hello”").wait_for()
    assert await page.locator("#refused").is_hidden(), "the older refusal is gone"


async def test_a_checker_that_was_taken_up_can_be_laid_back(people: People, start: Start) -> None:
    page = await start(await people(PHONE))
    await ready_to_step(page)
    checker = page.locator(".spot.canMove").first
    for cancel in ("click", "Escape"):
        await checker.click()
        assert await page.locator(".spot.picked").get_attribute("aria-pressed") == "true"
        assert await page.locator(".spot.target").count() > 0
        await (page.locator(".spot.picked").click() if cancel == "click" else page.keyboard.press(cancel))
        assert await page.locator(".spot.picked, .spot.target").count() == 0


async def test_arrows_walk_over_the_board(people: People, start: Start) -> None:
    page = await start(await people())
    await page.locator("[data-point='13']").focus()
    for key, point in (("ArrowRight", 14), ("ArrowDown", 11), ("ArrowLeft", 12), ("ArrowUp", 13)):
        await page.keyboard.press(key)
        assert await page.evaluate("document.activeElement.dataset.point") == str(point)
    assert await page.locator("#spots [tabindex='0']").count() == 1


async def test_typing_plays(people: People, start: Start) -> None:
    page = await start(await people())
    await ready_to_step(page)
    label = (await page.locator(STEP).first.inner_text()).rstrip("*")
    await page.get_by_label("Type a play").fill(label)
    await page.keyboard.press("Enter")
    await page.locator(".row:not(.controls) .step, .controls .main").first.wait_for()
    await settled(page)
    assert await page.get_by_label("Type a play").input_value() == ""


async def test_a_link_in_a_foreign_page_leads_to_ones_own_seat(program: Program, people: People, start: Start) -> None:
    """ "localhost" and "127.0.0.1" are foreign to each other: strict cookies stay behind on the way in."""
    person = await people()
    page = await start(person)
    seat = page.url
    await page.goto(program.address.replace("127.0.0.1", "localhost"))
    await page.evaluate(
        "to => { const a = document.createElement('a'); a.href = to; document.body.append(a); a.click() }", seat
    )
    await page.wait_for_url(seat)
    await page.locator("#spots .spot").first.wait_for()
