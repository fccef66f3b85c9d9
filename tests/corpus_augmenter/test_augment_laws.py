"""Laws of augmented treebanks, tested on random units and on all available treebanks.

The reader and the checks of these tests share no code with the package.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from conllu_rows import row, unit

from spacy_sentid.corpus_augmenter.punctuation import END_MARKS
from spacy_sentid.corpus_augmenter.treebanks import augment_treebanks


class Tree:
    """A unit, parsed for these tests."""

    def __init__(self, block: str) -> None:
        lines = block.split("\n")
        self.comments = dict(
            line[1:].strip().partition(" = ")[::2] for line in lines if line.startswith("#")
        )
        rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
        assert all(len(columns) == 10 and all(columns) for columns in rows)
        self.rows = rows
        self.words = [columns for columns in rows if columns[0].isdigit()]
        self.text = self.comments.get("text") or self.spell()

    def spell(self) -> str:
        """Join the forms into the text of the unit."""
        text, covered = "", 0
        for columns in self.rows:
            if "." in columns[0] or (columns[0].isdigit() and int(columns[0]) <= covered):
                continue
            if "-" in columns[0]:
                covered = int(columns[0].split("-")[1])
            text += columns[1] + ("" if "SpaceAfter=No" in columns[9].split("|") else " ")
        return text.strip()

    def check(self) -> None:
        """Check the rules of the UD validator up to level 2 that the changes could break."""
        ids = [columns[0] for columns in self.rows]
        assert [i for i in ids if i.isdigit()] == [str(n + 1) for n in range(len(self.words))]
        last, sub, covered = 0, 0, 0
        for name in ids:
            if "-" in name:
                first, end = map(int, name.split("-"))
                assert covered < first == last + 1 < end <= len(self.words)
                covered = end
            elif "." in name:
                sub += 1
                assert name == f"{last}.{sub}"
            else:
                last, sub = int(name), 0
        heads = {int(columns[0]): int(columns[6]) for columns in self.words}
        assert [columns[7] for columns in self.words if columns[6] == "0"] == ["root"]
        assert sum(columns[7] == "root" for columns in self.words) == 1
        for word in heads:
            seen = set()
            while word:
                assert word not in seen
                seen.add(word)
                word = heads[word]
        nodes = {columns[0] for columns in self.rows if "-" not in columns[0]}
        if any(columns[8] != "_" for columns in self.rows):
            edges: dict[str, list[str]] = {}
            for columns in self.rows:
                if "-" in columns[0]:
                    continue
                parents = [part.split(":", 1)[0] for part in columns[8].split("|")]
                assert parents == sorted(parents, key=lambda p: [int(x) for x in p.split(".")])
                for parent in parents:
                    assert parent == "0" or parent in nodes
                    edges.setdefault(parent, []).append(columns[0])
            reached, frontier = set(), ["0"]
            while frontier:
                for node in edges.get(frontier.pop(), ()):
                    if node not in reached:
                        reached.add(node)
                        frontier.append(node)
            assert reached == nodes
        assert "".join(self.spell().split()) == "".join(self.text.split())
        assert self.text == self.text.strip()

    def is_eligible(self) -> bool:
        """Check if the end mark can be removed (section 5.1) and no other annotation needs it."""
        last = self.words[-1]
        number = len(self.words)
        used = any(
            columns[6] == last[0]
            or any(part.split(":")[0] == last[0] for part in columns[8].split("|"))
            for columns in self.rows
        )
        others = [columns[0] for columns in self.rows if not columns[0].isdigit()]
        used = used or any(name.split(".")[0] == last[0] for name in others if "." in name)
        for name in others:
            if "-" in name:
                first, end = map(int, name.split("-"))
                used = used or first <= number <= end
        used = used or "Entity=" in last[9]
        return len(self.words) > 1 and last[3] == "PUNCT" and last[1] in END_MARKS and not used


def read_trees(text: str) -> Iterator[Tree]:
    for block in text.split("\n\n"):
        if block.strip("\n"):
            yield Tree(block.strip("\n"))


def check_laws(file: Path, folder: Path) -> None:
    before = file.read_bytes()
    units = list(read_trees(before.decode("utf8")))
    outputs = {}
    for name, options in {
        "none": {},
        "all": {"remove_punct": 1, "add_np": 99},
        "some": {"remove_punct": 0.3, "add_np": 0.2, "seed": 5},
    }.items():
        output = folder / name
        outputs[name] = output, augment_treebanks([file], output, **options)  # type: ignore[arg-type]
    assert outputs["none"][0].read_bytes() == before
    n_eligible = sum(tree.is_eligible() for tree in units)
    for name in ("all", "some"):
        path, report = outputs[name]
        after = list(read_trees(path.read_text(encoding="utf8")))
        originals, phrases = after[: len(units)], after[len(units) :]
        for tree in after:
            tree.check()
        ids = [tree.comments["sent_id"] for tree in after if "sent_id" in tree.comments]
        assert len(ids) == len(set(ids))
        assert report.n_eligible == n_eligible
        p, n = (1, report.n_pool) if name == "all" else (0.3, round(0.2 * len(units)))
        assert report.n_removed == round(p * report.n_eligible)
        assert len(phrases) == report.n_added == min(report.n_pool, n)
        changed = [
            (old, new)
            for old, new in zip(units, originals, strict=True)
            if old.rows != new.rows or old.comments != new.comments
        ]
        assert len(changed) == report.n_removed
        for old, new in changed:
            assert old.text.startswith(new.text)
            assert len(new.words) < len(old.words)
            assert new.comments["sent_id"].endswith("-nopunct")
        if name == "all":
            assert not any(tree.is_eligible() for tree in originals)
        sources = {tree.comments.get("sent_id", f"{file.stem}-{n + 1}"): tree for n, tree in
                   enumerate(units)}  # fmt: skip
        for phrase in phrases:
            origin, _, head = phrase.comments["sent_id"].rpartition("-np")
            assert phrase.text in sources[origin].text
            (root,) = (columns for columns in phrase.words if columns[6] == "0")
            assert root[3] in ("NOUN", "PROPN")
            assert root[1] == sources[origin].words[int(head) - 1][1]
            assert not any(c[6] == root[0] and c[7].split(":")[0] == "cop" for c in phrase.words)
        assert max(Counter(phrase.text for phrase in phrases).values(), default=1) == 1


def test_laws_on_the_sample(tmp_path: Path, sample: Path) -> None:
    check_laws(sample / "train.conllu", tmp_path)


def random_tree(rng: Random, n: int) -> list[int]:
    """Draw the heads of n words, from 1, with 0 for the root. Most trees are projective."""
    heads = [0] * n
    if rng.random() < 0.2:
        order = rng.sample(range(n), n)
        for k, word in enumerate(order[1:], start=1):
            heads[word] = order[rng.randrange(k)] + 1
        return heads

    def hang(first: int, end: int, head: int) -> None:
        top = rng.randrange(first, end)
        heads[top] = head
        for start, stop in ((first, top), (top + 1, end)):
            while start < stop:
                middle = rng.randint(start + 1, stop)
                hang(start, middle, top + 1)
                start = middle

    hang(0, n, 0)
    return heads


def random_unit(rng: Random, sent_id: str) -> str:
    """Draw a valid unit that uses all features of CoNLL-U."""
    n = rng.choice([1, 2, 3, 5, 8, 12])
    heads = random_tree(rng, n)
    forms = [rng.choice(["a", "Bé", "x y", ".", "!", "。", "'s", "1.5", "ab", "#"]) for _ in heads]
    upos = [rng.choice(["NOUN", "PROPN", "VERB", "ADP", "DET", "PUNCT"]) for _ in heads]
    names = ["nmod", "case", "punct", "det", "cop", "case:loc"]
    deprels = ["root" if head == 0 else rng.choice(names) for head in heads]
    for word in range(max(1, n - rng.randrange(4)), n):
        forms[word], upos[word] = rng.choice(".!?"), "PUNCT"
    empty = {k: rng.randint(1, 2) for k in range(n + 1) if rng.random() < 0.1}
    has_deps = rng.random() < 0.6
    nodes = [str(k + 1) for k in range(n)]

    def deps(head: str, deprel: str, own: str) -> str:
        if not has_deps:
            return "_"
        pairs = {head: deprel if rng.random() < 0.5 else f"{deprel}:of"}
        if head != "0" and rng.random() < 0.3:
            pairs.setdefault(rng.choice([node for node in nodes if node != own]), "x")
        return "|".join(f"{h}:{pairs[h]}" for h in sorted(pairs, key=int))

    rows = []

    def add_empty(k: int) -> None:
        for sub in range(1, empty.get(k, 0) + 1):
            head = rng.choice(nodes)
            rows.append(row(f"{k}.{sub}", "e", "X", "_", "_", f"{head}:e" if has_deps else "_"))

    add_empty(0)
    k = 0
    while k < n:
        size = rng.randint(2, 3) if rng.random() < 0.2 and k + 3 <= n else 1
        space = rng.choice(["_", "_", "SpaceAfter=No"])
        if size > 1:
            form = "".join(forms[k : k + size]) if rng.random() < 0.5 else "zum"
            rows.append(row(f"{k + 1}-{k + size}", form, "_", "_", "_", misc=space))
        for word in range(k, k + size):
            head = str(heads[word])
            misc = space if size == 1 else rng.choice(["_", "Gloss=x"])
            rows.append(
                row(word + 1, forms[word], upos[word], head, deprels[word],
                    deps(head, deprels[word], str(word + 1)), misc)
            )  # fmt: skip
            add_empty(word + 1)
        k += size
    text = unit(*rows, sent_id=sent_id)
    if rng.random() < 0.7:
        spelled = Tree(text.strip("\n")).spell()
        text = unit(*rows, sent_id=sent_id, text=spelled)
    return rng.choice(["", "", "# newpar\n", f"# newdoc id = d{sent_id}\n"]) + text


@pytest.mark.parametrize("seed", range(40))
def test_laws_on_random_units(tmp_path: Path, seed: int) -> None:
    rng = Random(seed)
    file = tmp_path / "random.conllu"
    file.write_text("".join(random_unit(rng, f"s{n}") for n in range(12)), encoding="utf8")
    check_laws(file, tmp_path)


def test_laws_on_treebanks(tmp_path: Path, find_corpus: Callable[[str], Path]) -> None:
    """Check small treebanks of all languages and styles. The slow test checks the others."""
    files = [
        file
        for file in sorted(find_corpus("ud").glob("*/*.conllu"))
        if file.stat().st_size < 1_500_000
    ]
    assert len(files) > 10
    for file in files:
        check_laws(file, tmp_path)


@pytest.mark.slow
def test_laws_on_every_treebank(tmp_path: Path, find_corpus: Callable[[str], Path]) -> None:
    files = sorted(find_corpus("ud").glob("*/*.conllu"))
    assert len(files) > 25
    for file in files:
        check_laws(file, tmp_path)
