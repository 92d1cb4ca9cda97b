"""Six kinds of reproducible output, in files of any size."""

import random
from collections.abc import Callable
from pathlib import Path

BLOCK = 1 << 20
WORDS = ("the quick brown fox jumps over lazy dogs", "while logs roll by", "and tests", "turn", "green")
WIDE = [
    "漢字仮名交じり文",
    "한국어 텍스트",
    "👩‍👩‍👧‍👦",
    "🇩🇪🇫🇷",
    "👍🏽",
    "e\u0301a\u0308",
    "Ελληνικά",
    "Кириллица",
    "नमस्ते",
    "✔️ ok",
]


def plain(rng: random.Random) -> str:
    """A line of text."""
    return " ".join(rng.choices(WORDS, k=rng.randint(6, 18))) + "\n"


def dense(rng: random.Random) -> str:
    """A line with different colours in every cell."""
    return "".join(_cell(rng) for _ in range(100)) + "\x1b[m\n"


def motion(rng: random.Random) -> str:
    """Words at random positions."""
    goto = f"\x1b[{rng.randint(1, 34)};{rng.randint(1, 110)}H"
    return f"{goto}\x1b[{rng.randint(31, 37)}m{rng.choice(WORDS)}\x1b[m" + rng.choice(["", "", "\x1b[K"])


def scroll(rng: random.Random) -> str:
    """A region that scrolls up and down between fixed lines."""
    top = rng.randint(1, 8)
    up = "".join(plain(rng) for _ in range(8))
    return f"\x1b[{top};{top + 8}r\x1b[{top + 8};1H{up}\x1b[{top};1H" + "\x1bM\x1b[Kback" * 4 + "\x1b[r"


def alternate(rng: random.Random) -> str:
    """A full frame on the alternate screen."""
    rows = "".join(f"\x1b[{y};1H\x1b[{rng.randint(31, 37)}m{plain(rng)[:-1][:100]}" for y in range(1, 34))
    return f"\x1b[?1049h\x1b[2J{rows}\x1b[m\x1b[?1049l"


def unicode(rng: random.Random) -> str:
    """A line of wide characters, emoji and combining marks."""
    return " ".join(rng.choices(WIDE, k=rng.randint(4, 8))) + "\n"


KINDS: dict[str, Callable[[random.Random], str]] = {
    "plain": plain,
    "dense colour": dense,
    "cursor motion": motion,
    "scroll region": scroll,
    "alternate screen": alternate,
    "Unicode": unicode,
}


def write(folder: Path, kind: str, size: int) -> Path:
    """A file of at least `size` bytes of one kind, of complete units; an existing one is reused."""
    file = folder / f"{kind.replace(' ', '-')}-{size}"
    if not file.exists():
        block = _block(kind)
        with file.open("wb") as out:
            for _ in range(-(-size // len(block))):
                out.write(block)
    return file


def _block(kind: str) -> bytes:
    rng, parts, length = random.Random(kind), list[bytes](), 0
    while length < BLOCK:
        parts.append(KINDS[kind](rng).encode())
        length += len(parts[-1])
    return b"".join(parts)


def _cell(rng: random.Random) -> str:
    front, back = rng.randbytes(3), rng.randbytes(3)
    colours = ";".join(["38;2", *map(str, front), "48;2", *map(str, back)])
    return f"\x1b[{colours}m{rng.choice('abcdefgh')}"
