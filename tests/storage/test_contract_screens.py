"""What every store promises of screens: the messages in chats that show a match or a challenge."""

from dataclasses import replace

import pytest

from bot.engine.errors import Unreadable
from bot.service.ports import Store
from bot.service.table import Seat, Shown, Table
from tests.storage.playing import BEGAN, challenge_of, next_of, seating


async def test_a_screen_gets_an_id_and_is_changed_by_it(store: Store, table: Table) -> None:
    player = table.seats[0].player
    shown = Shown(table.id, "telegram", "-100", "5", "77", player, True, False, "tr", "text", 1, 1, "abc", BEGAN)
    first = await store.put_screen(shown)
    second = await store.put_screen(replace(shown, platform="discord", player=None, shared=False, by_press=True))
    assert first == replace(shown, id=first.id)
    assert first.id is not None
    assert second.id not in (None, first.id)
    assert await store.screens(table.id) == [first, second]
    changed = replace(first, message="78", shown_revision=2, shown_hash="def", form="picture", posted_at=BEGAN + 1)
    assert await store.put_screen(changed) == changed
    assert await store.screens(table.id) == [changed, second]


async def test_a_screen_that_was_removed_stays_removed(store: Store, table: Table) -> None:
    screen = await store.put_screen(Shown(table.id, "telegram", "-100"))
    assert screen.id is not None
    await store.remove_screen(screen.id)
    await store.remove_screen(screen.id)
    await store.put_screen(screen)
    assert await store.screens(table.id) == []
    other = await store.put_screen(Shown(table.id, "telegram", "-200"))
    assert other.id != screen.id


async def test_screens_behind_are_those_that_show_an_older_board(store: Store, table: Table) -> None:
    new, old = Shown(table.id, "telegram", "1", shown_revision=1), Shown(table.id, "telegram", "2", shown_revision=0)
    new, old = await store.put_screen(new), await store.put_screen(old)
    elsewhere = await store.put_screen(Shown(table.id, "discord", "3"))
    assert await store.behind("telegram") == [old]
    await store.save(next_of(table))
    assert await store.behind("telegram") == [new, old]
    assert await store.behind("telegram", 1) == [new]
    assert await store.behind("discord") == [elsewhere]
    await store.put_screen(replace(new, shown_revision=2))
    assert await store.behind("telegram") == [old]
    await store.put_screen(replace(old, shown_revision=2))
    assert await store.behind("telegram") == []


async def test_a_screen_that_only_a_press_changes_is_never_looked_for(store: Store, table: Table) -> None:
    pressed = await store.put_screen(Shown(table.id, "discord", "1", by_press=True))
    await store.save(next_of(table))
    assert await store.behind("discord") == []
    assert await store.screens(table.id) == [pressed]
    free = replace(pressed, by_press=False)
    await store.put_screen(free)
    assert await store.behind("discord") == [free]
    await store.put_screen(pressed)
    assert await store.behind("discord") == []


async def test_a_screen_shows_a_match_or_a_challenge_that_there_is(
    store: Store, people: tuple[Seat, Seat], table: Table
) -> None:
    challenge = challenge_of(people[0])
    await store.put_challenge(challenge)
    shown = [await store.put_screen(Shown(watched, "telegram", "1")) for watched in (table.id, challenge.id)]
    assert [await store.screens(screen.watched) for screen in shown] == [[screen] for screen in shown]
    assert await store.screens("nobody") == []
    with pytest.raises(Unreadable, match="unknown_match"):
        await store.put_screen(Shown("nobody", "telegram", "1"))


async def test_screens_in_a_chat_come_the_newest_message_first(store: Store, table: Table) -> None:
    await store.seat(seating(2, table.seats))
    other = seating(2, table.seats).commit.table
    first = await store.put_screen(Shown(table.id, "telegram", "-100", posted_at=BEGAN + 1))
    second = await store.put_screen(Shown(other.id, "telegram", "-100", "5", posted_at=BEGAN + 2))
    for platform, chat in (("discord", "-100"), ("telegram", "-200")):
        await store.put_screen(Shown(table.id, platform, chat, posted_at=BEGAN + 9))
    assert await store.screens_in("telegram", "-100") == [second, first]
    newer = replace(first, posted_at=BEGAN + 3)
    await store.put_screen(newer)
    assert await store.screens_in("telegram", "-100") == [newer, second]
    assert await store.screens_in("telegram", "-100", 1) == [newer]
    assert await store.screens_in("telegram", "-300") == []


async def test_of_screens_posted_at_once_the_later_one_is_the_newer(store: Store, table: Table) -> None:
    both = [await store.put_screen(Shown(table.id, "telegram", "-100", thread)) for thread in ("1", "2")]
    assert await store.screens_in("telegram", "-100") == [*reversed(both)]


async def test_a_chat_that_is_left_has_no_screens_and_others_keep_theirs(store: Store, table: Table) -> None:
    for thread in ("", "5"):
        await store.put_screen(Shown(table.id, "telegram", "-100", thread))
    kept = [
        await store.put_screen(Shown(table.id, platform, chat))
        for platform, chat in (("telegram", "-200"), ("discord", "-100"))
    ]
    await store.leave_chat("telegram", "-100")
    assert await store.screens_in("telegram", "-100") == []
    assert await store.screens(table.id) == kept
    await store.leave_chat("telegram", "-100")


async def test_one_thread_of_a_chat_is_left_alone(store: Store, table: Table) -> None:
    for thread in ("", "5", "6"):
        await store.put_screen(Shown(table.id, "telegram", "-100", thread))
    await store.leave_chat("telegram", "-100", "5")
    assert {screen.thread for screen in await store.screens_in("telegram", "-100")} == {"", "6"}
    await store.leave_chat("telegram", "-100", "")
    assert {screen.thread for screen in await store.screens_in("telegram", "-100")} == {"6"}


async def test_the_screens_of_a_chat_with_another_number_go_along(store: Store, table: Table) -> None:
    moved = await store.put_screen(Shown(table.id, "telegram", "-100", "5", "77", shown_revision=1))
    await store.put_screen(Shown(table.id, "telegram", "-100", "6"))
    arrived = await store.put_screen(Shown(table.id, "telegram", "-100200", "6", shown_revision=9))
    stays = await store.put_screen(Shown(table.id, "discord", "-100", shown_revision=1))
    await store.move_chat("telegram", "-100", "-100200")
    assert await store.screens_in("telegram", "-100") == []
    assert set(await store.screens_in("telegram", "-100200")) == {replace(moved, chat="-100200"), arrived}
    assert await store.screens_in("discord", "-100") == [stays]
    await store.save(next_of(table))
    assert await store.behind("telegram") == [replace(moved, chat="-100200")]
