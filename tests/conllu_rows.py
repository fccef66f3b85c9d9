"""Rows and units of CoNLL-U for tests."""


def row(
    number: int | str,
    form: str,
    upos: str = "X",
    head: int | str = 0,
    deprel: str = "dep",
    deps: str = "_",
    misc: str = "_",
) -> str:
    return "\t".join([str(number), form, "_", upos, "_", "_", str(head), deprel, deps, misc])


def unit(*rows: str, sent_id: str | None = "s1", text: str | None = None) -> str:
    comments = [f"# sent_id = {sent_id}"] if sent_id else []
    comments += [f"# text = {text}"] if text else []
    return "\n".join([*comments, *rows, "", ""])
