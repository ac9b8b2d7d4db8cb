"""Whole matches as people play them."""

import asyncio
import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import PHONE, People, Program, Start
from tests.browser.playing import key_one, my_turn, over, press_one, roll_or_confirm, settled, tap_one

if TYPE_CHECKING:
    from playwright.async_api import Page

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(300)]


async def test_a_match_against_the_computer_by_buttons(own_program: Program, people: People, start: Start) -> None:
    """With a reload and a kill -9 of the server in its middle."""
    page = await start(await people(), at=own_program.address)
    presses = 0
    async with asyncio.timeout(280):
        while not await over(page):
            presses += 1 if await press_one(page) else 0
            if presses == 5:
                await page.reload()
                presses += 1
            if presses == 12:
                await _killed_and_back(own_program, people, page)
                presses += 1
            await asyncio.sleep(0.01)
    assert "this game" in await page.locator("#lines").inner_text()
    await page.get_by_role("link", name="tavla").click()
    assert "Computer" in await page.locator(".tally").inner_text()


async def test_a_match_between_two_tabs_by_taps_and_keys(people: People, start: Start) -> None:
    """One browser, two tabs; then both want a rematch and come to it by themselves."""
    person = await people(PHONE)
    ayse = await start(person, opponent="friend")
    link = await ayse.get_by_label("Link").input_value()
    burak = await person.new_page()
    await burak.goto(link)
    await burak.get_by_label("Your name").fill("Burak")
    await burak.get_by_role("button", name="Accept").click()
    for page, seat in ((ayse, 0), (burak, 1)):
        await page.wait_for_url(re.compile(rf"/t/\w+/\?seat={seat}"))
        await page.locator("#spots .spot").first.wait_for()
    async with asyncio.timeout(280):
        while not await over(ayse):
            for page, move in ((ayse, tap_one), (burak, key_one)):
                if await my_turn(page):
                    await page.bring_to_front()  # Chromium hardly paints a tab that nobody sees
                while await my_turn(page) and (await move(page) or await roll_or_confirm(page)):
                    pass
    await _rematch(ayse, burak)


async def _rematch(ayse: "Page", burak: "Page") -> None:
    before = ayse.url.split("/")[4]
    await ayse.bring_to_front()
    await ayse.get_by_role("button", name="Rematch").click()
    await burak.bring_to_front()
    await burak.get_by_text("asks for a rematch").wait_for()
    await burak.get_by_role("button", name="Rematch").click()
    for page, seat in ((ayse, 0), (burak, 1)):
        await page.wait_for_url(re.compile(rf"/t/(?!{before})\w+/\?seat={seat}"))
        await page.locator("#spots .spot").first.wait_for()


async def _killed_and_back(program: Program, people: People, page: "Page") -> None:
    """The open page says that the server is gone, finds it again and shows what it showed."""
    await page.locator(".row button.main:visible, .row .step:visible").first.wait_for()
    await settled(page)
    shown = await page.locator("#lines").inner_text(), await page.locator("#position").text_content()
    people.may_be_lost = True
    await asyncio.to_thread(program.kill)
    await page.get_by_text("Connection lost").wait_for()
    await asyncio.to_thread(program.start)
    await page.get_by_text("Connection lost").wait_for(state="hidden")
    await page.locator(".row button:visible").first.wait_for()
    assert (await page.locator("#lines").inner_text(), await page.locator("#position").text_content()) == shown
    people.may_be_lost = False
