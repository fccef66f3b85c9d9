"""Marks that end sentences, signs that close quotes and brackets, and line ends.

These are the only lists; where another one must differ, it is made from these, and says why.
"""

# Marks that end sentences before white space.
ENDS = ".!?…"
# Chinese and Japanese marks, which no white space follows.
WIDE_ENDS = "。！？｡"
# The above, then the full-width full stop and marks of Devanagari, Arabic and Urdu, Armenian,
# Ethiopic, Myanmar, Khmer and Tibetan.
END_MARKS = ENDS + WIDE_ENDS + "．।॥؟۔։՜՞።፧፨၊။។៕།༎"
# Signs that close quotes and brackets.
CLOSERS = "\"'”’»›)]}）】」』》〉"
# The characters at which `str.splitlines` splits. "\r\n" is one line end.
LINE_ENDS = "\n\r\u2028\u2029\x85\v\f\x1c\x1d\x1e"
