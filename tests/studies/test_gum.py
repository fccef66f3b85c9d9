"""Documents of GUM: the layout and the kinds that its blocks show."""

from pathlib import Path

from spacy_sentid.text.units import NSU, SU
from studies.weights.gum import lay_out_gum

BLOCKS = """# newdoc id = d1
# newpar
# newpar_block = head (1 s)
# text = Prices
1	Prices	price	NOUN	NNS	_	0	root	_	_

# newpar
# newpar_block = list type:::"ordered" (2 s) | item (1 s)
# text = Eggs
1	Eggs	egg	NOUN	NNS	_	0	root	_	_

# newpar
# newpar_block = item (1 s)
# text = Tea
1	Tea	tea	NOUN	NN	_	0	root	_	_

# newpar
# newpar_block = sp who:::"#Bo" (2 s)
# speaker = Bo
# text = I sleep.
1	I	I	PRON	PRP	_	2	nsubj	_	_
2	sleep	sleep	VERB	VBP	_	0	root	_	SpaceAfter=No
3	.	.	PUNCT	.	_	2	punct	_	_

# text = Yes.
1	Yes	yes	INTJ	UH	_	0	root	_	SpaceAfter=No
2	.	.	PUNCT	.	_	1	punct	_	_

"""


def test_blocks_are_laid_out(tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    file.write_text(BLOCKS, encoding="utf8")
    (document,) = lay_out_gum(file)
    assert document.text == "Prices\n\n- Eggs\n- Tea\nBo: I sleep. Yes."
    assert [unit.label for unit in document.units] == [
        "HEADING", "LIST_ITEM", "LIST_ITEM", "METADATA", SU, "FRAGMENT",
    ]  # fmt: skip


def test_kinds_are_unknown_without_blocks(tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    lines = [line for line in BLOCKS.splitlines() if "block" not in line and "speaker" not in line]
    file.write_text("\n".join(lines) + "\n\n", encoding="utf8")
    (document,) = lay_out_gum(file)
    assert {unit.label for unit in document.units} == {SU, NSU}
