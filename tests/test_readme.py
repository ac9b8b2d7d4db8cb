"""What the README says about the dice is a program that says the same as ours."""

import re
from pathlib import Path
from typing import Any

from bot.service.fairness import dice_of

README = Path(__file__).parents[1] / "README.md"


def test_the_script_of_the_readme_gives_the_rolls() -> None:
    script = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert script is not None
    written: dict[str, Any] = {}
    exec(script[1], written)  # noqa: S102 -- our own README
    seed, match = bytes(range(32)), "abcdefghjk"
    assert [written["roll"](seed.hex(), match, index) for index in range(300)] == [
        tuple(dice_of(seed, match)(index)) for index in range(300)
    ]
