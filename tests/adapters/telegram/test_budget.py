"""How often Telegram is called: never more than it takes, at once where it can be, and no chat waits for another."""

import asyncio
import heapq
import itertools
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Coroutine, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from adapters.telegram import budget
from adapters.telegram.budget import ALL, GROUP, PRIVATE, RESERVE, Budget, is_group
from tests.servers.telegram_rules import ALL_CALLS, ALL_SECONDS, GROUP_CALLS, GROUP_SECONDS

CAFE, CLUB, AYSE = "-100", "-200", "77"
CHATS = (CAFE, CLUB, AYSE, "78", "79")
SPANS = {True: (GROUP_CALLS, GROUP_SECONDS), False: (30, 30.0)}
"""What Telegram takes of a group and of a private chat: calls in so many seconds."""
PAUSES = some.sampled_from((0.0, 0.0, 0.0, 0.3, 1.0, 5.0, 20.0, 45.0, 100.0))
TICK = 1e-6
"""A sleep is never shorter: an amount that a float cannot add to the time would be slept forever."""


class Hours:
    """Time that passes only when everybody sleeps, and what was called when."""

    def __init__(self) -> None:
        self.now = 0.0
        self.budget = Budget(lambda: self.now, self.sleep)
        self.calls: dict[str, list[float]] = defaultdict(list)
        self.plenty: list[bool] = []
        self._alarms: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()

    async def sleep(self, seconds: float) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._alarms, (self.now + max(seconds, TICK), next(self._numbers), done))
        await done

    async def call(self, chat: str, times: int = 1) -> None:
        """Calls in a chat, one after the other."""
        for _ in range(times):
            self.plenty.append(await self.budget.take(chat))
            self.calls[chat].append(self.now)

    async def pass_by(self, *doing: Coroutine[Any, Any, None]) -> None:
        """Lets time pass until all this is done."""
        tasks = [asyncio.create_task(work) for work in doing]
        while await self._settled(tasks):
            self.now, _, done = heapq.heappop(self._alarms)
            done.set_result(None)
        await asyncio.gather(*tasks)

    async def _settled(self, tasks: "Sequence[asyncio.Task[None]]") -> bool:
        """Whether somebody sleeps still, after everybody has done what there is to do now."""
        for _ in range(3):
            await asyncio.sleep(0)
        return not all(task.done() for task in tasks)


def most_in(times: Sequence[float], span: float) -> int:
    """The most calls in any `span` seconds; `times` in their order."""
    return max(bisect_left(times, begin + span) - number for number, begin in enumerate(times))


@pytest.fixture
def hours() -> Hours:
    return Hours()


def test_a_group_is_told_from_a_person_by_its_number() -> None:
    assert [is_group(chat) for chat in (CAFE, "-1001234567890", AYSE)] == [True, True, False]


@pytest.mark.parametrize("chat", [CAFE, AYSE])
async def test_a_busy_chat_gets_what_telegram_takes_and_not_much_less(hours: Hours, chat: str) -> None:
    await hours.pass_by(*(hours.call(chat) for _ in range(200)))
    times, (most, span) = hours.calls[chat], SPANS[is_group(chat)]
    assert len(times) == 200
    assert most - 1 <= most_in(times, span) <= most
    assert times[-1] < 200 / most * span * 1.1


@pytest.mark.parametrize(("chat", "burst"), [(CAFE, GROUP.burst), (AYSE, PRIVATE.burst)])
async def test_a_burst_comes_at_once_and_the_rest_is_spread(hours: Hours, chat: str, burst: int) -> None:
    most, span = SPANS[is_group(chat)]
    await hours.pass_by(hours.call(chat, most))
    times = hours.calls[chat]
    assert burst > most / 2
    assert times[:burst] == [0.0] * burst
    pauses = [later - earlier for earlier, later in itertools.pairwise(times[burst - 1 :])]
    even = span / (most - burst + 1)
    assert all(0.7 * even < pause < 1.3 * even for pause in pauses), pauses


@pytest.mark.parametrize("chat", [CAFE, AYSE])
async def test_a_burst_comes_again_after_a_rest(hours: Hours, chat: str) -> None:
    await hours.pass_by(hours.call(chat, 50))
    hours.now += 70
    rested = hours.now
    await hours.pass_by(hours.call(chat, 15))
    assert hours.calls[chat][50:] == [rested] * 15


async def test_all_chats_together_get_what_telegram_takes(hours: Hours) -> None:
    people = [str(number) for number in range(1, 301)]
    await hours.pass_by(*(hours.call(person) for person in people))
    times = sorted(time for person in people for time in hours.calls[person])
    assert len(times) == 300
    assert times.count(0.0) == ALL.burst
    assert 0.9 * ALL_CALLS <= most_in(times, ALL_SECONDS) <= ALL_CALLS
    assert times[-1] < 300 / ALL_CALLS * ALL_SECONDS * 1.3


@settings(deadline=None, max_examples=50)
@given(plan=some.lists(some.tuples(some.sampled_from(CHATS), some.integers(1, 32), PAUSES), min_size=1, max_size=8))
def test_no_time_sees_more_calls_than_telegram_takes(plan: list[tuple[str, int, float]]) -> None:
    asyncio.run(_counted(plan))


async def _counted(plan: list[tuple[str, int, float]]) -> None:
    """Bursts in many chats, some of them side by side; then every window of time is looked at."""
    hours, doing = Hours(), []
    for chat, times, pause in plan:
        doing += [hours.call(chat) for _ in range(times)]
        if pause:
            await hours.pass_by(*doing)
            hours.now, doing = hours.now + pause, []
    await hours.pass_by(*doing)
    for chat, calls in hours.calls.items():
        most, span = SPANS[is_group(chat)]
        assert most_in(calls, span) <= most
    assert most_in(sorted(itertools.chain(*hours.calls.values())), ALL_SECONDS) <= ALL_CALLS


@pytest.mark.parametrize("chat", [CAFE, AYSE])
async def test_a_chat_that_is_held_is_called_afterwards_and_not_before(hours: Hours, chat: str) -> None:
    hours.budget.hold(chat, 17)
    await hours.pass_by(hours.call(chat, 3))
    assert hours.calls[chat] == [17.0] * 3


async def test_a_chat_that_is_held_keeps_no_other_one_waiting(hours: Hours) -> None:
    hours.budget.hold(CAFE, 40)
    others = [chat for chat in CHATS if chat != CAFE]
    await hours.pass_by(*(hours.call(chat, 3) for chat in CHATS))
    assert hours.calls[CAFE] == [40.0] * 3
    assert all(hours.calls[chat] == [0.0] * 3 for chat in others)


async def test_a_chat_that_has_used_up_its_calls_keeps_no_other_one_waiting(hours: Hours) -> None:
    await hours.pass_by(hours.call(CAFE, GROUP.burst))
    now = hours.now
    await hours.pass_by(hours.call(CAFE), hours.call(CLUB), hours.call(AYSE))
    assert hours.calls[CAFE][-1] > now
    assert hours.calls[CLUB] == hours.calls[AYSE] == [now]


async def test_whoever_gives_up_waiting_takes_no_call(hours: Hours) -> None:
    hours.budget.hold(CAFE, 5)
    waiting = asyncio.create_task(hours.call(CAFE))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert waiting.cancelled()
    hours.now = 5.0
    await hours.pass_by(hours.call(CAFE, GROUP.burst))
    assert hours.calls[CAFE] == [5.0] * GROUP.burst


async def test_a_group_spares_its_last_calls_for_buttons(hours: Hours) -> None:
    await hours.pass_by(hours.call(CAFE, GROUP.most - 1))
    with_pictures = GROUP.most - RESERVE
    assert hours.plenty == [number < with_pictures for number in range(GROUP.most - 1)]
    assert 0 < with_pictures < GROUP.burst, "a burst is told to be sparing before it ends"
    hours.now += 70
    await hours.pass_by(hours.call(CAFE))
    assert hours.plenty[-1]


async def test_a_private_chat_has_plenty_always(hours: Hours) -> None:
    await hours.pass_by(hours.call(AYSE, 60))
    assert all(hours.plenty)


async def test_idle_chats_are_forgotten_and_busy_ones_are_not(hours: Hours, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "KEPT", 10)
    await hours.pass_by(*(hours.call(str(person)) for person in range(1, 11)))
    hours.now += PRIVATE.span - 1
    hours.budget.hold("5", 3600)
    await hours.pass_by(hours.call(CAFE, GROUP.burst))
    assert len(hours.budget._chats) == 11, "nobody is idle yet"
    hours.now += 2
    await hours.pass_by(hours.call(CLUB))
    assert set(hours.budget._chats) == {"5", CAFE, CLUB}
    now = hours.now
    await hours.pass_by(hours.call(CAFE, 2), hours.call("5"), hours.call("1"))
    assert hours.calls[CAFE][GROUP.burst] > now, "its calls are remembered"
    assert hours.calls["5"][-1] > now + 3500, "and that it is held"
    assert hours.calls["1"][-1] == now
