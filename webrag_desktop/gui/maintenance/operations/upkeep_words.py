"""What looking after the library tells the user: outcomes of backups, restores, checks and repairs, in words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.data.upkeep import BackupContents, Outcome, OutcomeLine
from webrag_desktop.gui.kit.quantities import documents, file_size, long_time, number
from webrag_desktop.text.printable import title_line

if TYPE_CHECKING:
    from webrag_desktop.maintenance.backup import RestoredLibrary, SavedLibrary
    from webrag_desktop.maintenance.repairing import Repair
    from webrag_desktop.storage.backups.backup_manifest import Manifest
    from webrag_desktop.storage.checks.concerned import ConcernedDocument
    from webrag_desktop.storage.checks.integrity import Finding


def saved_outcome(saved: "SavedLibrary") -> Outcome:
    """A backup that was made."""
    held = documents(saved.manifest.rows("documents"))
    text = _tr("{0} and everything kept about them are in {1} ({2}). Keys and passwords are not in it.")
    return Outcome(
        _tr("Your library is saved"),
        text.format(held, saved.path.name, file_size(saved.size)),
        action=_tr("Show in folder"),
        path=str(saved.path),
    )


def backup_contents(path: str, manifest: "Manifest") -> BackupContents:
    """What a backup holds."""
    held = manifest.rows("documents")
    without_text = manifest.rows("sources") - held
    return BackupContents(path, manifest.made_at, held, without_text, manifest.rows("citations"))


def restored_outcome(restored: "RestoredLibrary", contents: BackupContents) -> Outcome:
    """A library that was put in the place of another."""
    lines = []
    if restored.former is not None:
        text = _tr("What was here before is kept in {0}.").format(restored.former.path.name)
        lines.append(OutcomeLine(True, text, str(restored.former.path.parent)))
    if restored.intake:
        text = _tr("{0} that waited to be added are added now.").format(number(restored.intake))
        lines.append(OutcomeLine(True, text))
    former = restored.former
    return Outcome(
        _tr("Your library is that of {0}").format(long_time(contents.made_at)),
        _tr("{0} are back, with what you cited.").format(documents(contents.documents)),
        lines=tuple(lines),
        action=_tr("Show in folder") if former is not None else "",
        path=str(former.path) if former is not None else "",
    )


def checked_outcome(findings: "Sequence[Finding]", repairs: "Sequence[Repair] | None" = None) -> Outcome:
    """How the promises of the library fare; what is broken comes first, after what was done about it."""
    broken = [finding for finding in findings if not finding.ok]
    told = [OutcomeLine(one.mended, one.told, _about(one)) for one in repairs or ()]
    told += [
        OutcomeLine(
            False,
            finding.promise,
            _broken_words(finding),
        )
        for finding in broken
    ]
    told += [OutcomeLine(True, finding.promise) for finding in findings if finding.ok]
    if broken:
        return _damaged(len(broken), len(findings), tuple(told), repaired=repairs is not None)
    mended = sum(one.mended for one in repairs or ())
    text = _tr("All {0} promises that the program makes hold.").format(number(len(findings)))
    headline = _tr("Your library is sound again") if mended else _tr("Your library is sound")
    return Outcome(headline, text, lines=tuple(told))


def _about(repair: "Repair") -> str:
    subject = repair.subject if repair.document is None else _named(repair.document)
    return f"{repair.check}, {subject}"


def _named(document: "ConcernedDocument") -> str:
    return title_line(document.title or document.address or str(document.id))


def _broken_words(finding: "Finding") -> str:
    examples = ", ".join(map(_named, finding.documents) if finding.documents else finding.examples)
    if finding.broken == 1:
        return _tr("Broken once: {0}").format(examples)
    return _tr("Broken {0} times, such as {1}").format(number(finding.broken), examples)


def _damaged(broken: int, all_: int, lines: tuple[OutcomeLine, ...], *, repaired: bool) -> Outcome:
    if repaired:
        text = _tr("What could be mended was. What you gave is untouched; a backup may have the rest.")
        return Outcome(_tr("Not everything could be mended"), text, well=False, lines=lines)
    text = _tr(
        "{0} of {1} promises do not hold. Nothing was changed. Mending makes anew what was derived; what you gave is "
        "never deleted."
    )
    return Outcome(
        _tr("Your library is damaged"),
        text.format(number(broken), number(all_)),
        well=False,
        lines=lines,
        action=_tr("Mend"),
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("Upkeep", text)
