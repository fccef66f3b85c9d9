"""Show the units of the paper's examples (Tables 1, 10 and 11)."""

import argparse

import spacy

EXAMPLES = {
    "Table 1": (
        "Thank you. - TEXT.htm << File: TEXT.htm >> I was thinking of converting it to a hover "
        "vehicle. I might just sell the car and get you to drive me around all winter."
    ),
    "Table 10": (
        "06/04/2001 05:54 PM Can you pass this along to Elizabeth to ensure Sanders is on board "
        "as well?"
    ),
    "Table 11": (
        "with my breakfast I like bacon and sausage when I having a big breakfast like a grand "
        "slam with pancakes and the works."
    ),
}


def main() -> None:
    """Print each example unit by unit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a pipeline; default: the bundled weights")
    args = parser.parse_args()
    if args.model:
        nlp = spacy.load(args.model)
    else:
        nlp = spacy.blank("en")
        nlp.add_pipe("sentence_identifier")
    for name, text in EXAMPLES.items():
        doc = nlp(text)
        print(f"{name}\n")
        rows = [
            (span.start, span.label_, score, span.text)
            for key in ("su", "nsu")
            for span, score in zip(doc.spans[key], doc.spans[key].attrs["scores"], strict=True)
        ]
        for _, label, score, words in sorted(rows):
            print(f"    {label:>3} {score:.2f}  {words}")
        print()


if __name__ == "__main__":
    main()
