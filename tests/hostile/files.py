"""Files made to harm: PDF, Word, EPUB, MHTML and web archives, broken, cyclic, bottomless or locked."""

from tests.hostile import file_books, file_mail, file_pdf, file_word
from tests.hostile.cases import Case

CASES: tuple[Case, ...] = (*file_pdf.CASES, *file_word.CASES, *file_books.CASES, *file_mail.CASES)
