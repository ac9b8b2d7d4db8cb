"""People play on Telegram: the real library against a Telegram of our own, by what they can press and type."""

from tests.adapters.telegram.room import Room, now, said


async def test_a_new_user_plays_the_computer_by_buttons_alone(room: Room) -> None:
    chat = room.ayse.private
    await room.ayse.start()
    welcome = await room.live(chat, label="Play the computer")
    await room.ayse.press(welcome, "Play the computer")
    invitation = await room.live(chat, label="Easy")
    await room.ayse.press(invitation, "Length…")
    await room.server.until(lambda: "1" in invitation.labels)
    await room.ayse.press(invitation, "1")
    await room.server.until(lambda: "· 1 ·" in invitation.labels)
    await room.ayse.press(invitation, "Back")
    await room.server.until(lambda: "Easy" in invitation.labels)
    await room.ayse.press(invitation, "Easy")
    await room.server.until(lambda: chat.boards)
    end = await room.whole_match([room.ayse], chat)
    assert "win" in said(end)
    assert [message for message in chat.messages if message.buttons] == [welcome, end]


async def test_two_people_in_a_group_play_a_whole_match(room: Room) -> None:
    board = await room.begun()
    shown = [board.photo]
    while "Rematch" not in (await room.live()).labels:
        await room.step()
        if shown[-1] != board.photo:
            shown.append(board.photo)
    assert now(room.group) is board
    assert room.group.boards == [board]
    assert len(shown) > 50
