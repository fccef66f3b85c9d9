"""`python -m spacy_sentid` is the command `spacy-sentid`."""

from .cli import main

if __name__ == "__main__":
    main()
