"""The language of the window: how numbers and dates are written, and Qt's own words. Ours are in English."""

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from webrag_desktop.gui.data.appearance import LANGUAGES, SYSTEM


def locale_of(language: str) -> QLocale:
    """How numbers and dates are written in a language; of the system, as that says."""
    return QLocale.system() if language == SYSTEM else QLocale(language)


def use_language(application: QCoreApplication, language: str) -> None:
    """Have numbers, dates and Qt's own words be of a language, before any of the window is made."""
    place = locale_of(language)
    if language != SYSTEM:
        QLocale.setDefault(place)
    translator = QTranslator(application)
    if translator.load(place, "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(translator)


def language_names() -> list[tuple[str, str]]:
    """The languages that can be chosen, by their codes, each by its own name."""
    return [(code, QLocale(code).nativeLanguageName()) for code in LANGUAGES]
