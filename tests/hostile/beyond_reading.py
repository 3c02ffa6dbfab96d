"""What hostile texts and models can do once a page is read, what comes of it, and the test that shows it."""

from collections.abc import Sequence
from typing import NamedTuple

from webrag_desktop.answering.chat.client import MOST_STREAM_BYTES
from webrag_desktop.answering.claims.reading import MOST_CLAIM_CHARS, MOST_CLAIMS, MOST_REPLY_CHARS
from webrag_desktop.answering.images import MOST_BYTES, MOST_IMAGES
from webrag_desktop.gui.kit.mathematics import child, outlines
from webrag_desktop.retrieval.quotes.passages import LONGEST_QUOTE
from webrag_desktop.text.mathematics import LONGEST_FORMULA
from webrag_desktop.text.quotation_marks import LONGEST, MOST_WITHIN

_GIGABYTE = 1 << 30
_MEGABYTE = 1 << 20


class Shown(NamedTuple):
    """Something hostile, what comes of it, and ``file::name`` of the test below ``tests/`` that shows it."""

    what: str
    outcome: str
    test: str


_DRAWING = "gui/test_formula_drawings.py::"
_WIDTH, _HEIGHT = outlines.WIDEST // outlines.PIXELS, outlines.TALLEST // outlines.PIXELS
FORMULAS = (
    Shown(
        f"a formula of more than {LONGEST_FORMULA:,} characters (MathML: {4 * LONGEST_FORMULA:,})",
        "it stays text",
        "unit/text/test_mathematics.py::test_what_is_longer_than_any_formula_stays_text",
    ),
    Shown(
        "signs of formulas without end",
        "they are looked through in linear time",
        "unit/text/test_mathematics.py::test_hostile_text_takes_linear_time",
    ),
    Shown(
        f"LaTeX of more than {outlines.DEEPEST} levels, macros that define themselves, braces that never close, widths "
        f"beyond {_WIDTH} sizes of the font (heights: {_HEIGHT})",
        "its source is shown",
        f"{_DRAWING}test_latex_that_cannot_be_drawn",
    ),
    Shown(
        f"MathML of more than {outlines.DEEPEST} levels, with entities or not closed",
        "its source is shown",
        f"{_DRAWING}test_mathml_that_cannot_be_drawn",
    ),
    Shown(
        "rows in rows, each of which would double the time",
        "they are drawn",
        f"{_DRAWING}test_rows_in_each_other_take_no_time_that_doubles",
    ),
    Shown(
        f"a formula that takes longer than {child._MOST_SECONDS:g} s, or ends what draws it",
        "its source is shown; the next formula gets a process of its own",
        f"{_DRAWING}test_process_that_a_formula_ends_is_replaced",
    ),
    Shown(
        f"a formula that takes more than {child._MOST_MEMORY // _GIGABYTE} GB (Windows bounds nothing)",
        "its source is shown, the process goes on",
        f"{_DRAWING}test_formula_that_takes_too_much_memory_fails_alone",
    ),
    Shown(
        "a text whose formulas end process after process",
        "the rest of them is left as it is written",
        f"{_DRAWING}test_text_that_ends_process_after_process_is_left_as_it_is",
    ),
)

QUOTATIONS = (
    Shown(
        f"a quotation of more than {LONGEST_QUOTE:,} characters",
        "it is refused in words",
        "unit/retrieval/quotes/test_wording.py::test_the_longest_that_is_looked_for",
    ),
    Shown(
        "a quotation that repeats itself, in a text that does",
        "it is looked for in steps in proportion to their length",
        "unit/citations/test_matching_anything.py::test_repetition_takes_steps_in_proportion_to_the_length",
    ),
    Shown(
        "U+0000 and halves of characters, which no text can hold",
        "they are read over, and offsets stay",
        "unit/retrieval/quotes/test_wording.py::test_what_no_text_can_hold_leaves_offsets_as_they_are",
    ),
    Shown(
        "a quotation with one word, digit, sign or letter changed, or the letter of another alphabet",
        "it is not verified",
        "unit/citations/test_matching.py::test_no_word_digit_sign_or_letter_may_differ",
    ),
    Shown(
        "a quotation of nothing but marks and spaces",
        "it is found nowhere",
        "unit/citations/test_matching.py::test_nothing_is_found_of_nothing",
    ),
)

MANUSCRIPTS = (
    Shown(
        "a damaged Word file, a web page, a folder",
        "it is refused in words",
        "unit/retrieval/quotes/test_manuscripts.py::test_what_is_no_manuscript_is_refused",
    ),
    Shown(
        "standard input that is no text",
        "it is refused in words",
        "unit/cli/test_verifying.py::test_input_that_is_no_text_is_refused",
    ),
    Shown(
        f"quotation marks that pair over more than {LONGEST:,} characters or {MOST_WITHIN} marks",
        "they are reported as marks without a partner",
        "unit/text/test_quotations.py::test_a_quotation_does_not_reach_without_end",
    ),
    Shown(
        f"a quotation of more than {LONGEST_QUOTE:,} characters",
        "it is listed, not looked for, and the check fails",
        "unit/retrieval/quotes/test_manuscripts.py::test_what_is_too_long_is_listed_and_not_verified",
    ),
    Shown(
        "any signs in any order",
        "every place that is reported is a line of the text",
        "unit/text/test_quotations.py::test_whatever_is_written_every_place_is_a_line_of_it",
    ),
)

_ANSWERS = "integration/answering/test_answers.py::"
_IDS = "unit/answering/test_sentence_ids.py::"
ANSWERS = (
    Shown(
        "a page that holds ids, source marks or orders to the model",
        "they change neither ids nor citations nor what the program does",
        f"{_ANSWERS}test_a_page_that_gives_orders_changes_nothing",
    ),
    Shown(
        "ids in look-alike letters, or with invisible characters within",
        "they get round brackets, so that only ours are square",
        f"{_IDS}test_no_letter_of_unicode_that_looks_like_an_s_hides_an_id",
    ),
    Shown(
        "a text that makes another id out of one of ours",
        "it does not",
        f"{_IDS}test_a_text_around_an_id_makes_no_other_of_it",
    ),
    Shown(
        "quotations that stand nowhere, in any quotation marks",
        "their marks are taken off, and the claim is not called supported",
        f"{_ANSWERS}test_what_stands_nowhere_is_no_quotation",
    ),
    Shown(
        "ids that do not exist",
        "they point nowhere",
        f"{_ANSWERS}test_foreign_ids_point_nowhere",
    ),
    Shown(
        "all ids at once",
        "they point nowhere",
        f"{_ANSWERS}test_who_points_at_everything_points_at_nothing",
    ),
    Shown(
        "anything that a model writes instead of JSON",
        "it is read as far as it goes, and names no id that there is not",
        "unit/answering/claims/test_reading.py::test_nothing_that_a_model_writes_breaks_the_reading",
    ),
    Shown(
        f"claims without end: more than {MOST_CLAIMS}, of more than {MOST_CLAIM_CHARS:,} characters each, "
        f"{MOST_REPLY_CHARS:,} in all",
        "the rest is not read",
        "unit/answering/claims/test_reading.py::test_claims_have_an_end",
    ),
    Shown(
        f"a stream of more than {MOST_STREAM_BYTES // _MEGABYTE} MB",
        "it is refused in words",
        "integration/answering/chat/test_streaming.py::test_a_stream_without_end_is_refused",
    ),
    Shown(
        "a stream that breaks off",
        "what was written stays, as an answer that failed",
        f"{_ANSWERS}test_a_stream_that_breaks_off_keeps_what_was_written",
    ),
    Shown(
        "markup in what a model writes",
        "the window shows it as characters",
        "gui/test_answer_view.py::test_markup_in_a_claim_is_shown_as_it_is",
    ),
    Shown(
        "characters that turn the reading direction",
        "they are taken out",
        "gui/test_answer_view.py::test_a_claim_cannot_turn_the_reading_direction",
    ),
    Shown(
        "pictures inside the network on a page of the internet",
        "they are not asked for",
        "integration/answering/test_images.py::test_a_public_page_leads_to_no_picture_inside",
    ),
    Shown(
        f"pictures of more than {MOST_BYTES // 1_000_000} MB",
        "they are left, and the answer does not use them",
        "integration/answering/test_images.py::test_too_large_a_picture_is_not_read_to_its_end",
    ),
    Shown(
        "pictures that are none",
        "they are not sent, whatever the server calls them",
        "integration/answering/test_images.py::test_what_is_no_picture_by_its_content_is_not_sent",
    ),
    Shown(
        "a page full of pictures",
        f"{MOST_IMAGES} are sent, the others not asked for",
        "integration/answering/test_images.py::test_only_a_few_pictures_are_sent",
    ),
)

SECTIONS: dict[str, Sequence[Shown]] = {
    "Formulas, drawn in a process of their own": FORMULAS,
    "Quotations, pasted, typed or written by a model": QUOTATIONS,
    "Manuscripts whose quotations are checked": MANUSCRIPTS,
    "Answers: what pages tell a model, and what it writes": ANSWERS,
}
