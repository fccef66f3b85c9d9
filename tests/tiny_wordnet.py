"""A folder in WordNet's format with a few words, for tests."""

from pathlib import Path

# offset, words, pointers (symbol, part of speech, offset, source, target)
ROWS: dict[str, list[tuple[str, list[str], list[tuple[str, str, str, int, int]]]]] = {
    "noun": [
        ("00000010", ["animal"], [("~", "n", "00000020", 0, 0), ("~", "n", "00000030", 0, 0)]),
        ("00000020", ["dog", "hound"], [("@", "n", "00000010", 0, 0)]),
        ("00000030", ["cat"], [("@", "n", "00000010", 0, 0)]),
    ],
    "verb": [
        ("00000040", ["rise", "climb"], [("!", "v", "00000050", 1, 1)]),
        ("00000050", ["fall"], [("!", "v", "00000040", 1, 1)]),
        ("00000060", ["purchase", "acquire"], []),
    ],
    "adj": [
        ("00000070", ["open"], [("!", "a", "00000080", 1, 1)]),
        ("00000080", ["closed", "shut"], [("!", "a", "00000070", 1, 1)]),
    ],
    "adv": [("00000090", ["quickly", "rapidly"], [])],
}
LETTERS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


def write_wordnet(folder: Path) -> Path:
    """Write the files into a new folder, and return it."""
    folder.mkdir()
    licence = "  1 This line is the licence.\n"
    for name, rows in ROWS.items():
        letter = LETTERS[name]
        data, senses = [], dict[str, list[str]]()
        for offset, words, pointers in rows:
            spelled = " ".join(f"{word} 0" for word in words)
            related = "".join(
                f" {symbol} {target} {part} {source:02x}{word:02x}"
                for symbol, part, target, source, word in pointers
            )
            data.append(
                f"{offset} 03 {letter} {len(words):02x} {spelled} {len(pointers):03d}"
                f"{related} | a gloss\n"
            )
            for word in words:
                senses.setdefault(word, []).append(offset)
        index = [
            f"{word} {letter} {len(found)} 0 {len(found)} 0 {' '.join(found)}  \n"
            for word, found in sorted(senses.items())
        ]
        (folder / f"data.{name}").write_text(licence + "".join(data), encoding="utf8")
        (folder / f"index.{name}").write_text(licence + "".join(index), encoding="utf8")
    return folder
