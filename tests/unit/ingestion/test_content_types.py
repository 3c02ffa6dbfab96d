import multiprocessing

from webrag_desktop.ingestion.content_types import detect_doc_type


def test_pages_behind_many_comments_are_recognised() -> None:
    assert detect_doc_type(b"<?xml version='1.0'?>\n" + b"<!-- a -- b --> " * 40 + b"<P>x") == "html"
    assert detect_doc_type(b"<!-- never closed <p>x") == "text"


def test_comments_without_a_page_are_told_apart_in_linear_time() -> None:
    body = b"<!---->" * 500 + b"x"
    sniffing = multiprocessing.get_context("spawn").Process(target=detect_doc_type, args=(body,), daemon=True)
    sniffing.start()
    sniffing.join(60)  # a doubling per comment would take ages
    finished = sniffing.exitcode
    sniffing.kill()
    assert finished == 0
