"""Extraction of text from HTML and mail, with skipped items and errors of broken files."""

import gzip
import html
import re
import time

import pytest
from batch_reads import read_file, read_texts
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.batch.input.html_text import decode_html, extract_html
from spacy_sentid.batch.input.mail import extract_mail
from spacy_sentid.files.records import BadLine

SOUP = st.lists(
    st.sampled_from(
        ["<p>", "</p>", "<b>", "<br/>", "<pre>", "</pre>", "<script>", "</script>", "<template>",
         "<", "<!--", "-->", "<!", "<a b='", "'", '"', ">", "&amp;", "&#32;", "&", "a", " ", "\n",
         "\ufeff"]
    ),
    max_size=20,
).map("".join)  # fmt: skip


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("", ""),
        ("a  b\n c", "a b c"),
        ("<p>a</p>\n<p>b", "a\n\nb"),
        ("a<br>b<br><br>c", "a\nb\n\nc"),
        ("<ul><li>a</li><li>b</li></ul>c", "a\nb\n\nc"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "a\tb\nc"),
        ("<b>I</b> <i>like</i> it<sub>2</sub>", "I like it2"),
        ("<pre> a\n  b</pre>c", " a\n  b\n\nc"),
        ("a<pre>\r\n b</pre><textarea>\nc</textarea>", "a\n\n b\n\nc"),
        ("<template><pre></template>a  b", "a b"),
        ("<title>A &amp; B</title><h1>C</h1>", "A & B\n\nC"),
        ("&lt;p&gt; &nbsp;&#32;&copy &unknown; AT&T", "<p> \xa0 © &unknown; AT&T"),
        ("a<script>if (a<b) {x='</p>'}</script>b<style>", "ab"),
        ("a<noscript><p>x</noscript>b<template>c", "ab"),
        ("a<noscript><script></script></noscript>b<script/>c", "abc"),
        ("a<SCRIPT a='b'>x</Script >b<template\n>c<p>d</template>e", "abe"),
        ("<video src=a>no video</video>a<iframe>no frame</iframe><canvas />b", "a\n\nb"),
        ("<a t='>' u=\">\">k</a> <a t=it's>l</a>", "k l"),
        ("<!DOCTYPE html><!-- <p>a --><![if x]>b<?php x ?>", "b"),
        ("\ufeff<p>a", "a"),
        ("a < b, x <3 and <", "a < b, x <3 and <"),
        ("a <!-- b", "a"),
        ("a <b c='", "a <b c='"),
        ("a <b c='> d", "a d"),
    ],
)
def test_text_of_html_is_what_a_browser_shows(page, text):
    assert extract_html(page)[0] == text


@given(SOUP)
def test_any_html_is_read(page):
    text, left_out = extract_html(page)
    assert len(text) <= 2 * len(page)
    assert sum(left_out.values()) <= page.count("<")


@given(st.text("<>&;'\" ab\n\ufeffé"))
def test_escaped_text_is_read_back(text):
    words = re.split("[ \n]+", text)
    assert (
        extract_html(html.escape(f".{text}"))[0].split()
        == " ".join([f".{words[0]}", *words[1:]]).split()
    )


@pytest.mark.parametrize(
    "piece",
    [
        "<!--",
        "<a ",
        "<a b='",
        "<a b='x' ",
        "</",
        "&",
        "<![x[",
        "a=  ",
        "<a",
        "<script",
        "<script>",
        "<template >",
        "<a =\"<a ='",
    ],
)
def test_broken_html_takes_time_in_proportion_to_its_length(piece):
    start = time.process_time()
    extract_html(piece * 50_000)
    assert time.process_time() - start < 2


def test_skipped_items_of_html_are_counted():
    page = "<p>a<img><script>x</script><style>x</style><!-- x --><template><img></template><audio/>"
    assert extract_html(page)[1] == {
        "comments": 1, "images": 1, "scripts": 1, "styles": 1, "tags": 2, "templates": 1
    }  # fmt: skip


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("é".encode(), "é"),
        ("<meta charset=utf8>é".encode(), "<meta charset=utf8>é"),
        (b'<meta charset="ISO-8859-1">\x93\xe9', '<meta charset="ISO-8859-1">\u201cé'),
        (b"<META http-equiv=x content='text/html; charset=koi8-r'>\xc1",
         "<META http-equiv=x content='text/html; charset=koi8-r'>а"),
        (b"<meta charset=latin1>\x81\xe9", "<meta charset=latin1>\x81é"),
        (b"<?xml encoding='latin1'?>\xe9", "<?xml encoding='latin1'?>é"),
        (b"<meta charset=utf-16>a", "<meta charset=utf-16>a"),
        ("\ufeffé".encode("utf-16-le"), "\ufeffé"),
    ],
)  # fmt: skip
def test_html_is_decoded_by_its_charset(data, text):
    assert decode_html(data) == text


ALTERNATIVES = b"""Subject: Hi
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: multipart/alternative; boundary=c

--c
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

The caf=E9 is =
open.
--c
Content-Type: text/html

<p>The x
--c--
--b
Content-Type: application/pdf
Content-Transfer-Encoding: base64

AAAA
--b
Content-Type: text/plain

Sent from a ship.
--b
Content-Type: message/rfc822

Subject: Another

I sleep.
--b--
"""


@pytest.mark.parametrize(
    ("data", "text", "left_out"),
    [
        (b"Subject: Hi\r\n\r\nI sleep.\r\nYou\r\n", "Subject: Hi\n\nI sleep.\nYou", {}),
        (b"subject: a\n  b\nX-Id: 3\n\n", "subject: a b", {"headers": 1}),
        (b"From: =?utf8?b?w6k=?= <a@b>\n\n\xc3\xa9", "From: é <a@b>\n\né", {}),
        (b"Subject: =?x?q?a?= \xc3\xa9 \xff\n\na", "Subject: =?x?q?a?= é \ufffd\n\na", {}),
        (b"Subject: =?utf\xff-8?q?a?=\n\na", "Subject: =?utf\ufffd-8?q?a?=\n\na", {}),
        (b'To: "=?utf8?q?=C3=A9?=" <a@b>, a=?utf8?q?b?=c\n\n', 'To: "é" <a@b>, abc', {}),
        (b"Subject: =?utf8?b?w?=\n x =?utf8?b?w6k=?= =?utf8?q?=C3?= =?utf8?q?=A9?=\n\n",
         "Subject: =?utf8?b?w?= x éé", {}),
        (b"Subject: =?utf8?q?a=0D=0AFrom:_x?=\n\n", "Subject: a From: x", {}),
        (b"\xef\xbb\xbfSubject: a\n\n\xef\xbb\xbfb", "Subject: a\n\nb", {}),
        (b"Content-Type: text/plain; charset=\n\na", "a", {"headers": 1}),
        (b"Content-Type: text/plain; charset=latin1\n\n\x93a\x94", "\u201ca\u201d", {"headers": 1}),
        (b"Content-Type: text/html\n\n<meta charset=latin1>\xe9", "é", {"headers": 1, "tags": 1}),
        (b"Content-Type: text/html\n\n<p>a<p>b", "a\n\nb", {"headers": 1, "tags": 2}),
        (b"Content-Type: multipart/mixed\n\nI sleep.", "I sleep.", {"headers": 1}),
        (b"Content-Type: image/png\n\nAAAA", "", {"attachments": 1, "headers": 1}),
        (ALTERNATIVES, "Subject: Hi\n\nThe café is open.\n\nSent from a ship.",
         {"attachments": 2, "headers": 1, "other versions": 1}),
    ],
)  # fmt: skip
def test_text_of_a_mail_is_decoded(data, text, left_out):
    assert extract_mail(data) == (text, left_out)


@pytest.mark.parametrize(
    ("versions", "text"),
    [
        (["plain\n\na", "html\n\n<p>b"], "a"),
        (["plain\n\n\n", "html\n\n<p>b"], "b"),
        (["html\n\n<p>b", "calendar\n\nBEGIN:VCALENDAR"], "b"),
        (["plain\n\n\n", "calendar\n\nBEGIN:VCALENDAR"], ""),
        (["calendar\n\nBEGIN:VCALENDAR"], ""),
        ([], ""),
    ],
)
def test_the_best_version_with_text_is_used(versions, text):
    parts = "".join(f"--b\nContent-Type: text/{version}\n" for version in versions)
    mail = f"Content-Type: multipart/alternative; boundary=b\n\n{parts}--b--\n"
    assert extract_mail(mail.encode())[0] == text


@pytest.mark.parametrize("piece", [b"=?a?q?x ", b"=?utf8?q?x?= "])
def test_a_header_takes_time_in_proportion_to_its_length(piece):
    start = time.process_time()
    extract_mail(b"Subject: " + piece * 100_000 + b"\n\na")
    assert time.process_time() - start < 4  # email.header would take up to minutes


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.eml", b"", "must be a mail"),
        ("a.eml", b"I sleep.\n", "must be a mail, .* got 'I sleep"),
        ("a.eml", b"Subject: a\n\n\xff", "must be UTF-8"),
        ("a.eml", b'Content-Type: text/plain; a="' + b";" * 1_000_000, "at most 4,000 .* got 1,0"),
        ("a.eml", b"Content-Type: text/plain; charset=x-no\n\na", "got 'x-no'"),
        ("a.eml", b"Content-Type: text/plain; charset=hex\n\na", "got 'hex'"),
        ("a.eml", b"Content-Type: message/rfc822\n\n" * 20_000, r"cannot parse .*RecursionError"),
        ("a.html", b"\xff", "must be UTF-8"),
        ("a.html", b"<meta charset=x-no>", "got 'x-no'"),
        ("a.html", b"<meta charset=gb2312>\xff\xff", "got 'gb2312'"),
    ],
)
def test_errors_of_a_file_are_reported(tmp_path, name, data, reason):
    path = tmp_path / name
    path.write_bytes(data)
    [found] = read_file(path)
    assert isinstance(found, BadLine)
    assert found.place == str(path)
    assert re.search(reason, found.reason)


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("a.md", b"# A *b*\n", "# A *b*\n"),
        (
            "a.srt",
            b"1\n00:00:01,000 --> 00:00:02,000\nHi.\n",
            "1\n00:00:01,000 --> 00:00:02,000\nHi.\n",
        ),
        ("a.VTT", b"WEBVTT\n", "WEBVTT\n"),
        ("a.htm.gz", gzip.compress(b"<p>a<p>b", mtime=0), "a\n\nb"),
        ("a.eml.gz", gzip.compress(b"Subject: a\n\nb", mtime=0), "Subject: a\n\nb"),
    ],
)
def test_files_are_read_by_their_suffix_also_in_folders(tmp_path, name, data, text):
    (tmp_path / name).write_bytes(data)
    (tmp_path / "a.png").write_bytes(b"no text")
    assert read_texts(tmp_path) == [text]
