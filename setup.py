"""Put folders of the repository into the package, which setup.cfg cannot do.

`spacy_sentid/shipped_files.py` finds them, in an installed package as in a clone.
"""

from setuptools import find_packages, setup

SHIPPED = {
    "spacy_sentid.config_files": "configs",
    "spacy_sentid.everyday": "assets/everyday/train",
}

setup(packages=[*find_packages(include=["spacy_sentid*"]), *SHIPPED], package_dir=SHIPPED)
