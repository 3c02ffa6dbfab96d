"""The query box connected with typed filters, suggestions, the history, saved searches, and results as one types."""

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QInputDialog

from webrag_desktop.gui.data.filters import NO_FILTERS, ChosenFilters, FilterChoices
from webrag_desktop.gui.data.questions import NO_QUESTION, LastQuestion, PastSearch, SavedSearch
from webrag_desktop.gui.data.view_data import SearchResults
from webrag_desktop.gui.research.suggestions import suggestions_for, unknown_words
from webrag_desktop.gui.shell.all_operations import Operations
from webrag_desktop.gui.shell.connections.filtering import FilterConnections
from webrag_desktop.gui.shell.connections.library import COPIED_TIME
from webrag_desktop.gui.shell.connections.research import ResearchConnections
from webrag_desktop.gui.shell.main_window import RESEARCH, MainWindow
from webrag_desktop.text.typed_filters import TypedFilter, typed_filters, without

TYPING_PAUSE = 200  # ms without a key, after which what is typed is searched for
_FEWEST_CHARACTERS = 2  # that are searched for as typed


class QuestionConnections(QObject):
    """What is typed becomes chips, suggestions and results; what is asked becomes history."""

    def __init__(
        self,
        window: MainWindow,
        operations: Operations,
        research: ResearchConnections,
        filtering: FilterConnections,
    ) -> None:
        super().__init__(window)
        self._window, self._do, self._research, self._filtering = window, operations, research, filtering
        self._query = window.query
        self._past: tuple[PastSearch, ...] = ()
        self._shown: SearchResults | None = None
        self._said: set[tuple[str, tuple[str, ...]]] = set()  # values that the library was said not to have
        self._last = NO_QUESTION
        self._is_open = False  # the library was
        self._is_checked = False  # whether the library still has the labels that the last window filtered by
        self.searches_as_typed = True
        self._may_hold = True  # a question until the filters typed in it are known
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(TYPING_PAUSE)
        self._pause.timeout.connect(self._search_as_typed)
        self._connect()

    def _connect(self) -> None:
        query, kept = self._query, self._do.kept
        query.text_edited.connect(self._edited)
        query.committing.connect(self._commit)
        query.search_requested.connect(self._note)
        query.answer_requested.connect(self._note)
        query.last_filter_removed.connect(self._remove_last)
        query.suggestions_wanted.connect(self._suggest_past)
        query.suggestions.question_chosen.connect(lambda past: self.ask(past.question, past.filters))
        kept.history.connect(self._note_history)
        kept.opened.connect(self._open_saved)
        sidebar = self._window.sidebar
        kept.saved.connect(sidebar.show_saved_searches)
        sidebar.search_opened.connect(kept.open)
        sidebar.search_renamed.connect(kept.rename)
        sidebar.search_deleted.connect(kept.remove)
        self._do.filtering.choices.connect(self._note_choices)
        self._do.filtering.failed.connect(lambda _failure: self._resume())
        self._do.searching.results.connect(self._note_results)
        self._do.searching.grown.connect(self._note_grown)
        self._do.session.opened.connect(self._note_opened)
        self._do.documents.figures.connect(self._note_figures)
        self._window.stack.currentChanged.connect(lambda _view: self._leave())

    # -- Typing -----------------------------------------------------------------------------------------------

    def _edited(self, text: str) -> None:
        """Take the filters that are typed to their end, suggest, and search after a pause."""
        if not text.strip():
            self._do.searching.stop_typed()
        if not self._query.has_keyboard:
            return
        unknown = bool(typed_filters(text)) and not self._filtering.knows_choices
        if unknown:
            self._filtering.fetch_choices()  # then it goes on here
        else:
            self._take_typed(lambda one: not one.is_open and one.end < len(self._query.whole_text))
        self._said &= {(one.name, one.values) for one in typed_filters(self._query.whole_text)}
        typed = self._query.typed
        shown = suggestions_for(typed, self._filtering.choices or FilterChoices(), self._past)
        wanted = typed.strip() and not unknown and not self._query.is_about
        self._query.suggestions.show_suggestions(shown if wanted else ())
        self._pause.start()

    def _note_choices(self, _choices: object) -> None:
        self._resume()  # these are as the library was after Enter, or later
        self._edited(self._query.whole_text)

    def _commit(self) -> None:
        """Enter ends the last filter, too, and waits until it is known what an open library has."""
        is_typed = any(one.values for one in typed_filters(self._query.whole_text))
        is_unknown = is_typed and not self._filtering.knows_choices
        if is_unknown and self._may_hold and self._do.session.is_open:
            self._pause.stop()
            self._query.hold()
            self._filtering.fetch_choices()
        else:
            self._finish_typing()

    def _resume(self) -> None:
        self._may_hold = False
        self._query.resume()
        self._may_hold = True

    def _finish_typing(self) -> None:
        self._pause.stop()
        if self._filtering.choices is not None:
            self._take_typed(lambda one: bool(one.values))

    def _take_typed(self, is_finished: Callable[[TypedFilter], bool]) -> None:
        """Make chips of what the library has; the rest stays in the question, and is said to be unknown once."""
        text = self._query.whole_text
        taken = []
        for one in typed_filters(text):
            if not is_finished(one):
                continue
            chosen = self._filtering.with_typed(one)
            if chosen is None:
                self._say_unknown(one)
                continue
            taken.append(one)
            self._filtering.hold(chosen)
        if taken:
            self._query.take_out(taken)
            self._search_again()

    def _say_unknown(self, typed: TypedFilter) -> None:
        if (typed.name, typed.values) not in self._said:
            self._said.add((typed.name, typed.values))
            unknown = unknown_words(typed.field, ", ".join(typed.values))
            self._window.toasts.show_notice(
                self.tr("{0} It stays in the question, as words.").format(unknown)
            )

    def _remove_last(self) -> None:
        self._filtering.hold(self._filtering.without_last())
        if not self._search_again():
            self._pause.start()  # the words typed since are searched for without it

    def _search_again(self) -> bool:
        """Other filters hold: the passages shown are of others where the question is still theirs; whether it is."""
        shown = self._shown.query if self._shown is not None else None
        is_theirs = shown is not None and self._query.text() in {"", shown}
        if self._window.view == RESEARCH and is_theirs:
            self._research.refresh()
        return is_theirs

    def _suggest_past(self) -> None:
        """Down in an empty box: what was asked before, or else on to the view."""
        if self._past and not self._query.is_about:
            self._query.suggestions.show_suggestions(suggestions_for("", FilterChoices(), self._past))
        else:
            self._query.left_downwards.emit()

    # -- As typed ---------------------------------------------------------------------------------------------

    def _search_as_typed(self) -> None:
        """Search for the words so far. An answer that is shown keeps its passages until Enter."""
        text = self._query.whole_text
        question = without(text, [one for one in typed_filters(text) if one.is_open]).strip()
        shown = (self._shown.query, self._shown.filters) if self._shown is not None else None
        is_wanted = (
            self.searches_as_typed
            and self._window.view == RESEARCH
            and self._query.has_keyboard
            and not self._query.is_about
            and self._window.research.answer.isHidden()
            and not self._window.research.is_full
        )
        if is_wanted and len(question) >= _FEWEST_CHARACTERS and (question, self._filtering.chosen) != shown:
            self._do.searching.search_as_typed(question)

    def toggle_as_typed(self) -> None:
        """Search while typing, or with Enter only."""
        self.searches_as_typed = not self.searches_as_typed
        self._pause.stop()

    def _note_results(self, results: SearchResults) -> None:
        self._shown = results
        if not results.as_typed:
            self._pause.start()  # what was typed while Enter's question was searched for

    def _note_grown(self, results: SearchResults) -> None:
        self._shown = results

    # -- The history ------------------------------------------------------------------------------------------

    def _note(self, question: str) -> None:
        self._pause.stop()
        if not self._query.is_about:
            self._do.kept.note(question, self._filtering.chosen)

    def _note_history(self, past: tuple[PastSearch, ...]) -> None:
        self._past = past

    def ask(self, question: str, filters: ChosenFilters = NO_FILTERS) -> None:
        """Search for an earlier question, within what it was restricted to."""
        self._filtering.hold(filters)
        self._say_missing()
        self._query.set_text(question)
        self._query.search()

    def _say_missing(self) -> None:
        """A kept search finds nothing where its collection or tag is no more."""
        labels: tuple[Literal["collections", "tags"], ...] = ("collections", "tags")
        for field in labels:
            if missing := self._filtering.missing(field):
                self._window.toasts.show_notice(unknown_words(field, ", ".join(missing)))

    def clear_history(self) -> None:
        """Forget what was searched for."""
        self._do.kept.clear_history()

    # -- Saved searches ---------------------------------------------------------------------------------------

    def save(self) -> None:
        """Keep the question and its filters under a name, which is asked for."""
        self._finish_typing()
        question = self._query.text() or (self._shown.query if self._shown is not None else "")
        if not question:
            self._window.toasts.show_notice(
                self.tr("Type a question first; then it can be saved."), milliseconds=COPIED_TIME
            )
            self._query.focus()
            return
        filters = self._filtering.chosen
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(self.tr("Save this search"))
        dialog.setLabelText(self.tr("Name"))
        dialog.setTextValue(question)
        dialog.textValueSelected.connect(lambda name: self._do.kept.save(name, question, filters))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _open_saved(self, search: SavedSearch) -> None:
        self.ask(search.question, search.filters)

    # -- Over restarts ----------------------------------------------------------------------------------------

    @property
    def last(self) -> LastQuestion:
        """What the window is asked now, to be remembered."""
        shown = self._shown
        is_asked = shown is not None and shown.query == self._query.text()
        passage = self._window.research.results.list.passage() if is_asked else None
        return LastQuestion(
            self._query.whole_text,
            self._filtering.chosen,
            is_asked or (self._last.asked and self._last.question == self._query.whole_text),
            passage.chunk_id if passage is not None else self._last.passage,
        )

    def restore(self, last: LastQuestion) -> None:
        """Show what the window was asked; it is searched for once the library is open, if it was."""
        self._last = last
        self._query.set_text(last.question)
        self._filtering.hold(last.filters)

    def _note_figures(self, _figures: object) -> None:
        if not self._is_checked:
            self._is_checked = True
            self._say_missing()

    def _leave(self) -> None:
        """Another view is shown: what was asked and waits in the old one is not wanted any more."""
        self._query.drop_held()
        self._go_on()

    def _note_opened(self) -> None:
        self._is_open = True
        self._go_on()

    def _go_on(self) -> None:
        """Search for what the window was asked, once there is a library and its passages are looked at."""
        last = self._last
        if not last.asked or not self._is_open or self._window.view != RESEARCH:
            return
        self._last = NO_QUESTION
        if last.question == self._query.whole_text:
            self._research.resume(last.question, last.passage)
