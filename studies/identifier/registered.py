"""The registered functions of the study, for `spacy train --code`."""

from studies.identifier import baselines, unidirectional  # noqa: F401
