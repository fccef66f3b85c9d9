"""Scores that the five papers print, each with its table: the one place where they are recorded.

The figures and word lists of the paper of 1994 are in `studies/strategies/paper_figures.py`.
"""

from typing import NamedTuple


class Figure(NamedTuple):
    """A score in percent, with its deviation over the training seeds if the paper has one."""

    mean: float
    sd: float | None = None


# Udagawa, Kanayama, Yoshida (2023), Table 5: EWT test, word level, RoBERTa-base, 5 seeds. By p_CC:
# macro and weighted F1 of the BIO labels of the systems that were trained on EWT.
IDENTIFICATION = {
    "BOS&EOS": {
        0.5: (Figure(93.0, 1.4), Figure(97.3, 0.6)),
        0.0: (Figure(91.0, 1.8), Figure(96.4, 0.7)),
    },
    "EOS-Only": {
        0.5: (Figure(83.2, 1.5), Figure(93.9, 0.6)),
        0.0: (Figure(59.7, 0.2), Figure(86.4, 0.1)),
    },
}

# Kanayama and others (2024), Table 7: English, section titles of Wikipedia, Stanza, 10 runs of the
# first row. By percent of noun phrases added (N, with P = 0): phrases with a NOUN as root, LAS.
NOUN_PHRASES = {0: 91.6, 10: 93.9, 20: 94.6, 50: 95.3, 100: 95.3}
TREEBANK_LAS = {0: 83.84, 10: 84.09, 20: 83.91, 50: 83.88, 100: 84.00}

# Wang and others (2022), Tables 4 to 6: agreement with people, by task.
AGREEMENT = {
    "ROUGE-1 (paper)": {
        "SummEval COH": 0.167, "SummEval FAC": 0.160, "SummEval FLU": 0.115,
        "SummEval INFO": 0.326, "REALSumm COV": 0.498, "Rank19 FAC": 0.568, "Q-CNN FAC": 0.338,
        "BAGEL INFO": 0.234, "SFRES INFO": 0.115, "SFHOT INFO": 0.118, "Q-XSUM FAC": -0.008,
    },
    "BERTScore (paper)": {
        "SummEval COH": 0.284, "SummEval FAC": 0.110, "SummEval FLU": 0.193,
        "SummEval INFO": 0.312, "REALSumm COV": 0.440, "Rank19 FAC": 0.713, "Q-CNN FAC": 0.576,
        "BAGEL INFO": 0.289, "SFRES INFO": 0.156, "WMT19 kk-en": 0.351, "WMT19 lt-en": 0.381,
    },
    "ParaTag (paper)": {
        "SummEval COH": 0.253, "SummEval FAC": 0.472, "SummEval FLU": 0.357,
        "SummEval INFO": 0.219, "REALSumm COV": 0.504, "Rank19 FAC": 0.853, "Q-CNN FAC": 0.694,
        "BAGEL INFO": 0.318, "SFRES INFO": 0.206, "WMT19 kk-en": 0.380, "WMT19 lt-en": 0.382,
        "SFHOT INFO": 0.264, "Q-XSUM FAC": 0.342, "WMT19 gu-en": 0.305, "WMT19 ru-en": 0.231,
    },
}  # fmt: skip

# Wang and others (2024), Table 3 (BERT, CTB5 as source, their own speech): precision, recall and F1
# of words, by system and test set.
PAUSES = {
    "base": {"zx-test": (0.9316, 0.9382, 0.9349), "aishell2-dev": (0.8908, 0.9010, 0.8958)},
    "p0.5": {"zx-test": (0.9359, 0.9422, 0.9390), "aishell2-dev": (0.9082, 0.9084, 0.9083)},
}
