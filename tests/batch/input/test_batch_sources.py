"""Finding and opening inputs of batch jobs."""

import gzip
import io
import os
import sys
from pathlib import Path

import pytest
import zstandard

from spacy_sentid.batch.input.sources import Source, count_stored, find_sources, open_source

on_posix = pytest.mark.skipif(os.name == "nt", reason="links and file names differ on Windows")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """An empty current folder."""
    path = tmp_path / "here"
    path.mkdir()
    monkeypatch.chdir(path)
    return path


def fill(*names: str) -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"I sleep.\n")


def paths(inputs, **settings) -> list[str]:
    return [source.path.replace(os.sep, "/") for source in find_sources(inputs, **settings)]


def kinds(inputs, **settings) -> list[tuple[str, str]]:
    return [(source.format, source.compression) for source in find_sources(inputs, **settings)]


# Selection of inputs


def test_a_folder_is_searched_for_known_suffixes_in_order(folder):
    fill("d/b.txt", "d/a.jsonl.gz", "d/e/c.csv.zst", "d/B.NDJSON", "d/x.parquet", "d/t.text")
    fill("d/pic.png", "d/README", "d/x.parquet.gz", "d/a.gz")
    assert paths(["d"]) == [
        "d/B.NDJSON", "d/a.jsonl.gz", "d/b.txt", "d/e/c.csv.zst", "d/t.text", "d/x.parquet"
    ]  # fmt: skip


def test_hidden_files_and_folders_are_left_out(folder):
    fill("d/a.txt", "d/.b.txt", "d/_c.txt", "d/.git/d.txt", "d/_temporary/e.txt")
    assert paths(["d"]) == ["d/a.txt"]


def test_a_hidden_folder_that_is_named_is_searched(folder):
    fill("_made/a.txt")
    assert paths(["_made"]) == ["_made/a.txt"]


def test_inputs_keep_their_order(folder):
    fill("b.txt", "a.txt", "d/c.txt")
    assert paths(["b.txt", "d", "a.txt"]) == ["b.txt", "d/c.txt", "a.txt"]


def test_a_glob_gives_its_matches_in_order(folder):
    fill("b.txt", "a.txt", "c.csv", "mail/d.csv", "log")
    assert paths(["*.txt"]) == ["a.txt", "b.txt"]
    assert kinds(["l*"]) == [("text", "")]


def test_a_folder_that_a_glob_matches_is_searched(folder):
    fill("m1/a.txt", "m1/x.png", "m2/e/b.txt")
    assert paths(["m*"]) == ["m1/a.txt", "m2/e/b.txt"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("**/*.txt", ["a.txt", "d/b.txt", "d/e/c.txt"]),
        ("d/**/*.txt", ["d/b.txt", "d/e/c.txt"]),
        ("d/**/e/*.txt", ["d/e/c.txt"]),
        ("**/**/c.txt", ["d/e/c.txt"]),
        ("d/**", ["d/b.txt", "d/e/c.txt"]),
        ("d/?.t[x]t", ["d/b.txt"]),
    ],
)
def test_two_stars_match_any_folders(folder, pattern, expected):
    fill("a.txt", "d/b.txt", "d/e/c.txt")
    assert paths([pattern]) == expected
    absolute = [f"{folder}/{path}" for path in expected]
    assert paths([f"{folder}/{pattern}"]) == absolute


def test_a_file_with_wildcards_in_its_name_is_found(folder):
    fill("a[1].txt", "a1.txt")
    assert paths(["a[1].txt"]) == ["a[1].txt"]


@on_posix
@pytest.mark.skipif(sys.platform == "darwin", reason="file names must be UTF-8")
@pytest.mark.parametrize(
    "name", ["a b.txt", "é 漢.txt", "\udce9.txt", "a:b.txt", "C:mail.txt", "a\nb.txt", "-.txt"]
)
def test_any_name_is_a_name(folder, name):
    fill(f"d/{name}")
    assert paths([f"d/{name}"]) == paths(["d"]) == paths(["d/*"]) == [f"d/{name}"]
    assert open_source(find_sources(["d"])[0]).read() == b"I sleep.\n"


@on_posix
def test_circular_links_are_followed_once(folder):
    fill("d/a.txt", "d/e/b.txt", "far/c.txt")
    for name, target in {
        "d/e/up": "..",
        "d/self": ".",
        "d/out": "../..",
        "d/far": "../far",
    }.items():
        os.symlink(target, name)
    assert paths(["d"]) == ["d/a.txt", "d/e/b.txt", "d/far/c.txt"]
    assert paths(["d/**/*.txt"]) == ["d/a.txt", "d/e/b.txt", "d/far/c.txt"]


@on_posix
def test_many_links_to_each_other_take_no_time(folder):
    for n in range(30):
        Path(f"d{n}").mkdir()
        for name in "ab":
            os.symlink(f"../d{n + 1}", f"d{n}/{name}")
    fill("d30/a.txt")
    assert len(paths(["d0"])) == len(paths(["d0/**/*.txt"])) == 1


@on_posix
def test_a_file_is_read_once(folder):
    fill("a.txt")
    os.symlink("a.txt", "b.txt")
    assert paths(["a.txt", "./a.txt", "b.txt", "*.txt", "."]) == ["a.txt"]
    assert paths(["-", "-"]) == ["-"]


@on_posix
@pytest.mark.parametrize("name", ["none.txt", "none/", "s/none.txt", "link.txt"])
def test_a_missing_file_is_named(folder, name):
    os.symlink("nowhere", "link.txt")
    with pytest.raises(FileNotFoundError, match=name):
        find_sources([name])


@on_posix
def test_a_broken_link_in_a_folder_is_an_error(folder):
    fill("d/a.txt")
    os.symlink("nowhere", "d/b.txt")
    with pytest.raises(FileNotFoundError, match=r"d/b\.txt"):
        find_sources(["d"])


def test_an_unreadable_file_is_named(folder, monkeypatch):
    fill("a.txt")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match=r"a\.txt"):
        find_sources(["a.txt"])


@pytest.mark.parametrize("name", ["empty", "*.txt", "**/x", "pictures"])
def test_an_input_without_anything_to_read_is_an_error(folder, name):
    Path("empty").mkdir()
    fill("pictures/a.png")
    with pytest.raises(ValueError, match="read"):
        find_sources([name])


def test_the_output_in_a_folder_or_glob_is_not_an_input(folder):
    fill("d/a.jsonl", "d/out.jsonl", "d/out.jsonl.job/1.jsonl", "d/z.jsonl")
    left = ["d/out.jsonl", f"{folder}/d/out.jsonl.job"]
    assert paths(["d"], exclude=left) == ["d/a.jsonl", "d/z.jsonl"]
    assert paths(["d/*.jsonl"], exclude=left) == ["d/a.jsonl", "d/z.jsonl"]


@on_posix
def test_the_output_as_a_named_input_is_an_error(folder):
    fill("out.jsonl")
    os.symlink("out.jsonl", "b.jsonl")
    for name in ("./out.jsonl", "b.jsonl"):
        with pytest.raises(ValueError, match="output"):
            find_sources([name], exclude=["out.jsonl"])


# Formats


def test_format_applies_to_named_files(folder):
    fill("a.txt", "b.log", "c.jsonl.gz", "d/e.csv", "d/f.txt")
    assert kinds(["a.txt", "b.log", "c.json*", "-"], format="csv") == [
        ("csv", ""), ("csv", ""), ("csv", "gz"), ("csv", ""),
    ]  # fmt: skip
    assert kinds(["d"], format="jsonl") == [("csv", ""), ("text", "")]
    assert kinds(["d"], format="lines") == [("csv", ""), ("lines", "")]


def test_standard_input_is_a_text():
    assert find_sources(["-"]) == [Source("-", "text", "", 0, 0)]


def test_an_unknown_format_is_an_error():
    with pytest.raises(ValueError, match="'xml'"):
        find_sources(["-"], format="xml")


def test_parquet_cannot_be_streamed(folder):
    fill("a.gz")
    for name in ("-", "a.gz"):
        with pytest.raises(ValueError, match="Parquet"):
            find_sources([name], format="parquet")


@pytest.mark.parametrize(
    ("name", "package"), [("a.txt.zst", "zstandard"), ("a.parquet", "pyarrow")]
)
def test_a_missing_package_is_reported_with_its_extra(folder, monkeypatch, name, package):
    fill(name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ValueError, match=rf"{package}.*spacy-sentid\[batch\]"):
        find_sources([name])


# URLs


@on_posix
def test_a_url_is_a_file_a_folder_or_a_glob(folder):
    fill("d/a b.txt", "d/e/é%.jsonl", "d/_h/x.txt", "d/n.png")
    url = f"file://{folder}"
    found = [f"{url}/d/a%20b.txt", f"{url}/d/e/%C3%A9%25.jsonl"]
    assert paths([f"{url}/d"]) == paths([f"{url}/d/"]) == found
    assert paths([f"{url}/d/**/*.*[tl]"]) == found
    assert paths([f"{url}/d/**"]) == paths([f"{url}/d/*"]) == [*found, f"{url}/d/n.png"]
    assert paths([f"{url}/d/a b.txt"]) == [f"{url}/d/a b.txt"]
    source = find_sources([url])[0]
    assert source[1:4] == ("text", "", 9)
    assert source.modified == os.stat("d/a b.txt").st_mtime_ns
    for source in find_sources([url]):
        assert open_source(source).read() == b"I sleep.\n"


@on_posix
def test_a_file_and_its_url_are_the_same_input(folder):
    fill("a.txt", "b.txt")
    assert paths(["a.txt", f"file://{folder}/a.txt"]) == ["a.txt"]
    assert paths([f"file://{folder}"], exclude=["a.txt"]) == [f"file://{folder}/b.txt"]


def test_a_missing_file_of_a_url_is_named(folder):
    with pytest.raises(FileNotFoundError, match=r"none\.txt"):
        find_sources([f"file://{folder}/none.txt"])


def test_an_unknown_kind_of_url_is_an_error():
    with pytest.raises(ValueError, match="pyarrow"):
        find_sources(["gopher://a/b.txt"])


# Opening


@pytest.mark.parametrize("remote", [False, True])
def test_compressed_files_are_opened_decompressed(folder, remote):
    frames = [b"I sleep.\n" * 9000, b"", b"You sleep.\n"]
    skippable = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
    Path("a.txt.gz").write_bytes(b"".join(map(gzip.compress, frames)) + bytes(5000))
    zst = zstandard.ZstdCompressor().compress
    Path("a.txt.zst").write_bytes(skippable + b"".join(map(zst, frames)) + skippable)
    for source in find_sources([f"file://{folder}" if remote else "."]):
        with open_source(source) as file:
            assert file.read() == b"".join(frames)


@pytest.mark.parametrize("name", ["a.txt.gz", "a.txt.zst"])
@pytest.mark.parametrize("spoil", [
    lambda data: data[:-1], lambda data: data[: len(data) // 2], lambda data: data[:3],
    lambda data: b"", lambda data: b"I sleep.\n", lambda data: data + b"rest",
    lambda data: data[:20] + bytes([data[20] ^ 255]) + data[21:],
])  # fmt: skip
def test_a_broken_compressed_file_is_named(folder, name, spoil):
    data = os.urandom(20_000)
    whole = gzip.compress(data) if name.endswith(".gz") else (
        zstandard.ZstdCompressor(write_checksum=True).compress(data)
    )  # fmt: skip
    Path(name).write_bytes(spoil(whole))
    with (
        open_source(find_sources([name])[0]) as file,
        pytest.raises(ValueError, match=name),
    ):
        file.read()


def test_highly_compressed_zeros_take_little_memory(folder):
    Path("a.txt.zst").write_bytes(zstandard.ZstdCompressor().compress(bytes(300_000_000)))
    with open_source(find_sources(["a.txt.zst"])[0]) as file:
        file.read(1)
        assert count_stored(file) < 4_000


def test_standard_input_is_read_as_bytes(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\r\n\xff")))
    assert open_source(find_sources(["-"])[0]).read() == b"a\r\n\xff"
