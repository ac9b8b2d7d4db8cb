"""How a person at the local table plays: by buttons, by taps on the board, by keyboard."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Page

PRESSABLE = ".row button.main:visible, .row button.step:visible"


async def settled(page: "Page") -> None:
    """The last press has been answered."""
    await page.locator("#table:not(.busy)").wait_for()


async def my_turn(page: "Page") -> bool:
    return (await page.title()).startswith("●")


async def over(page: "Page") -> bool:
    return await page.get_by_role("button", name="Rematch").is_visible()


async def press_one(page: "Page") -> bool:
    """Presses the first button that leads on, if there is one."""
    if not await page.locator(PRESSABLE).count() or await over(page):
        return False
    await page.locator(PRESSABLE).first.click()
    await settled(page)
    return True


async def roll_or_confirm(page: "Page") -> bool:
    main = page.locator(".controls button.main:visible")
    if not await main.count() or await over(page):
        return False
    await main.click()
    await settled(page)
    return True


async def tap_one(page: "Page") -> bool:
    """Taps the first checker that can move and the first place where it can go."""
    movable = page.locator(".spot.canMove")
    if not await movable.count():
        return False
    await movable.first.click()
    await page.locator(".spot.target").first.click()
    await settled(page)
    return True


async def key_one(page: "Page") -> bool:
    """The same by keyboard alone: the board is one stop of the Tab key, Enter takes up and lays down."""
    movable = page.locator(".spot.canMove")
    if not await movable.count():
        return False
    await movable.last.focus()
    await page.keyboard.press("Enter")
    await page.locator(".spot.target").first.focus()
    await page.keyboard.press("Space")
    await settled(page)
    return True
