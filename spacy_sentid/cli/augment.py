"""`spacy-sentid augment`: remove final punctuation and add noun phrases in a treebank."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from ..corpus_augmenter.noun_phrases import MIN_WORDS, STRIPPED_RELATIONS
from .options import Seed
from .terminal.printing import progress, warn

if TYPE_CHECKING:
    from ..corpus_augmenter.survey import TreebankFile

STANDARD = "-"  # standard input or output


def augment(
    files: Annotated[
        list[str], Argument(metavar="IN.conllu...", help="Treebank files; - is standard input.")
    ],
    output: Annotated[str, Argument(metavar="OUT.conllu", help="Output; - is standard output.")],
    remove_punct: Annotated[
        float, Option(metavar="P", help="Share of the units with final punctuation that lose it.")
    ] = 0.0,
    add_np: Annotated[
        float, Option(metavar="N", help="Number of noun phrases to add, as a share of the units.")
    ] = 0.0,
    seed: Seed = 0,
    np_base: Annotated[
        Literal["units", "pool"],
        Option(help="Base of --add-np: the number of units, or of noun phrases (pool)."),
    ] = "units",
    mark: Annotated[
        list[str] | None,
        Option(
            help="Word that counts as final punctuation. Repeatable. Default: . ! ? and their "
            "equivalents in other scripts, but not '!!' or '...'."
        ),
    ] = None,
    np_strip: Annotated[
        str,
        Option(
            metavar="RELATIONS",
            help="Relations of the words to remove from the edges of a noun phrase.",
        ),
    ] = ",".join(sorted(STRIPPED_RELATIONS)),
    np_min_words: Annotated[
        int, Option(min=1, help="Minimum number of words of a noun phrase before --np-strip.")
    ] = MIN_WORDS,
    skip_invalid: Annotated[
        bool, Option("--skip-invalid", help="Exclude invalid units and count them.")
    ] = False,
) -> None:
    """Make a training treebank more like real text.

    Removes the final punctuation of some units (--remove-punct), adds noun phrases as new units
    (--add-np), or both. Augment both train and dev, never test.

    Example: spacy-sentid augment train.conllu more.conllu --remove-punct 0.2 --add-np 0.2
    """
    from ..corpus_augmenter.rewriting import Change
    from ..corpus_augmenter.treebanks import augment_treebanks

    if not remove_punct and not add_np:
        raise ValueError(
            "--remove-punct or --add-np must be above 0, got 0 for both. "
            "For example: --remove-punct 0.2 --add-np 0.2"
        )
    change = Change(
        min_words=np_min_words,
        stripped=frozenset(name.strip() for name in np_strip.split(",") if name.strip()),
    )
    if mark:
        change = change._replace(marks=frozenset(mark))
    with _spool(files) as spooled:
        size = 2 * sum(file.path.stat().st_size for file in spooled)
        with progress(total=size, unit="B", unit_scale=True, desc="augment") as bar:
            report = augment_treebanks(
                spooled,
                sys.stdout.buffer if output == STANDARD else Path(output),
                remove_punct=remove_punct,
                add_np=add_np,
                seed=seed,
                np_base=np_base,
                change=change,
                skip_invalid=skip_invalid,
                on_bytes=bar.update,
            )
    typer.echo(
        f"{report.n_units:,} units: {report.n_removed:,} of {report.n_eligible:,} lost their final "
        f"punctuation; {report.n_added:,} of {report.n_pool:,} noun phrases added.",
        err=True,
    )
    if report.n_cut:
        typer.echo(
            f"{report.n_cut:,} noun phrases are not used, because they begin or end inside a "
            "multiword token.",
            err=True,
        )
    if report.n_dropped:
        warn(f"excluded {report.n_dropped:,} invalid units: {'; '.join(report.reasons)}")


@contextmanager
def _spool(names: list[str]) -> "Iterator[list[TreebankFile]]":
    """Yield the named files. Copy pipes to files first, because each file is read twice."""
    if names.count(STANDARD) > 1:
        raise ValueError("Standard input ('-') must be given only once, got it more often.")
    for name in names:
        if name != STANDARD and (not Path(name).exists() or Path(name).is_dir()):
            raise ValueError(f"Inputs must be .conllu files, got {name}.")
    from ..corpus_augmenter.survey import TreebankFile

    with tempfile.TemporaryDirectory() as folder:
        files = []
        for n, name in enumerate(names):
            path = Path(name)
            is_stdin = name == STANDARD
            if is_stdin or not path.is_file():
                given = nullcontext(sys.stdin.buffer) if is_stdin else path.open("rb")
                path = Path(folder, str(n), "stdin.conllu" if is_stdin else path.name)
                path.parent.mkdir()
                with given as source, path.open("wb") as file:
                    shutil.copyfileobj(source, file)
            files.append(TreebankFile("stdin.conllu" if is_stdin else name, path))
        yield files
