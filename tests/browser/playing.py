"""How a person at the local table plays: by buttons, by taps on the board, by keyboard."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Page

SHORT = ".row :is(.step, .shortcut):visible:not(:has-text('*'))"
ANY_STEP = ".row .step:visible"
"""Running past one another ends a match soonest: with shortcuts, and without hitting where there is a choice."""


async def settled(page: "Page") -> None:
    """The last press has been answered."""
    await page.locator("#table:not(.busy)").wait_for()


async def my_turn(page: "Page") -> bool:
    return (await page.title()).startswith("●")


async def over(page: "Page") -> bool:
    return await page.get_by_role("button", name="Rematch").is_visible()


async def press_one(page: "Page") -> bool:
    """Presses a button that leads on, if there is one."""
    if await over(page):
        return False
    for wanted in (".controls .main:visible", SHORT, ANY_STEP):
        if await page.locator(wanted).count():
            await page.locator(wanted).last.click()
            await settled(page)
            return True
    return False


async def roll_or_confirm(page: "Page") -> bool:
    main = page.locator(".controls button.main:visible")
    if not await main.count() or await over(page):
        return False
    await main.click()
    await settled(page)
    return True


async def tap_one(page: "Page") -> bool:
    """Taps the rearmost checker that can move and the farthest place where it can go."""
    movable = page.locator(".spot.canMove")
    if not await movable.count():
        return False
    await movable.first.click()
    await page.locator(".spot.target").last.click()
    await settled(page)
    return True


async def key_one(page: "Page") -> bool:
    """The same by keyboard alone: the board is one stop of the Tab key, Enter takes up and lays down."""
    movable = page.locator(".spot.canMove")
    if not await movable.count():
        return False
    await movable.first.focus()
    await page.keyboard.press("Enter")
    await page.locator(".spot.target").last.focus()
    await page.keyboard.press("Space")
    await settled(page)
    return True
