"""``webrag doctor``: checks the parts that the library needs, and the library itself."""

from collections.abc import Sequence

import click

from webrag_desktop import DataFolder
from webrag_desktop.cli.commands.stack import say_stack, stack_report
from webrag_desktop.cli.commands.status import embedding_report, say_embedding
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import SHOWN_ID, Output, Styled, json_option, one_line, pass_output
from webrag_desktop.cli.session import open_library, showing_steps
from webrag_desktop.cli.shapes.upkeep import CheckResult, DoctorReport, RepairItem, next_step, refreshing
from webrag_desktop.errors import DatabaseRefusalError, StackError
from webrag_desktop.models.checks import TABLES_CHECK, TABLES_REMEDY, AffectedDocument, Finding, Repair

_GOES_ON = "goes on from there"
_CANNOT_BE_CHECKED = (
    "The library is damaged so that it cannot be checked; {changed}. `webrag restore` puts a backup in its "
    "place."
)


@click.command()
@click.option("--deep", is_flag=True, help="Check every text, not a sample.")
@click.option("--repair", is_flag=True, help="Mend what can be mended, then check.")
@json_option
@pass_output
def doctor(output: Output, deep: bool, repair: bool) -> ExitCode:
    """Check the database and the models, then the library. All text is read, so it takes a while.

    With --repair, derived data is made again from stored data: chunks, vectors, indexes, figures and lost jobs. Nothing
    that you added is deleted, and nothing is fetched; damage that cannot be mended is reported.

    Exit code 5 means damage in the library, 3 that a part of the stack or a model cannot be used.
    """
    try:
        return _examined(output, deep=deep, repair=repair)
    except DatabaseRefusalError as error:  # its hint is to come here
        changed = "what was mended before stays mended" if repair else "nothing was changed"
        raise StackError(error.message, _CANNOT_BE_CHECKED.format(changed=changed)) from error


def _examined(output: Output, *, deep: bool, repair: bool) -> ExitCode:
    folder = DataFolder.at()
    with open_library(folder) as library, showing_steps() as show:
        if repair and folder.close_to_others():
            output.note(f"The data folder {folder.path} is closed to other users now (mode 0700).")
        repairs = library.doctor.repair(deep=deep, progress=show) if repair else []
        stack = stack_report(folder, library.stack_status())
        findings = library.doctor.check(deep=deep, progress=show)
        whole = not any(one.check == TABLES_CHECK and one.broken for one in findings)
        embedding = embedding_report(folder, library if whole else None)
        older = len(library.documents.read_by_older()) if whole else 0
    sound = all(one.ok for one in findings)
    report = DoctorReport(
        ok=sound and stack.well and embedding.ok is True,
        stack=stack,
        embedding=embedding,
        deep=deep,
        repairs=tuple(map(RepairItem.about, repairs)),
        checks=tuple(map(CheckResult.about, findings)),
        read_by_older=older,
    )
    if output.as_json:
        output.document(report)
    else:
        say_stack(output, stack)
        say_embedding(output, embedding)
        _say_library(output, findings, repairs if repair else None)
        if older:
            output.say(_older_words(older))
    if not sound:
        return ExitCode.DAMAGED
    return ExitCode.OK if report.ok else ExitCode.UNAVAILABLE


def _say_library(output: Output, checks: Sequence[Finding], repairs: Sequence[Repair] | None) -> None:
    output.say()
    for repair in repairs or ():
        _say_repair(output, repair)
    if repairs:
        output.say()
    for check in checks:
        mark = Styled("holds ", colour="green") if check.ok else Styled("BROKEN", colour="red", bold=True)
        output.say(mark, f"  {check.promise}")
        if not check.ok:
            output.say(" " * 8, _broken(check))
        for command in refreshing(check):
            output.say(" " * 8, f"`{command}` {_GOES_ON}.")
    output.say()
    output.say(_verdict(checks, repairs))


def _say_repair(output: Output, repair: Repair) -> None:
    mark = Styled("mended", colour="green") if repair.mended else Styled("left  ", colour="yellow")
    output.say(mark, f"  {repair.message}")
    subject = repair.subject if repair.document is None else _named(repair.document)
    output.say(" " * 8, Styled(f"{repair.check}: {subject}", dim=True))
    if (command := next_step(repair)) is not None:
        ends = repair.remedy == "remove"
        output.say(" " * 8, f"`{command}` {'takes it out of the library' if ends else _GOES_ON}.")


def _broken(check: Finding) -> str:
    times = "once" if check.broken == 1 else f"{check.broken} times"
    named = [_named(document) for document in check.documents] or check.examples
    if check.documents:
        return f"{check.check}: {times}, in {', '.join(named)}"
    such = ":" if check.broken == len(check.examples) else ", such as"
    return f"{check.check}: {times}{such} {', '.join(named)}"


def _named(document: AffectedDocument) -> str:
    title = one_line(document.title or document.source_url or "a document without a name")
    return f"{title} ({str(document.id)[:SHOWN_ID]})"


def _older_words(count: int) -> str:
    documents = "1 document was" if count == 1 else f"{count} documents were"
    return (
        f"{documents} read by an older version of the reader. Nothing is wrong with that; "
        "`webrag reextract --older` reads the kept copies again, without the network."
    )


def _verdict(checks: Sequence[Finding], repairs: Sequence[Repair] | None) -> str:
    """How the library is; ``repairs`` are None where none were asked for."""
    broken = [check for check in checks if not check.ok]
    if not broken:
        return f"The library is sound: all {len(checks)} checks passed."
    damage = f"The library is damaged: {len(broken)} of {len(checks)} checks failed."
    return f"{damage} {_way_on(broken, repairs)}"


def _all_named(check: Finding) -> bool:
    """Whether the commands mend all that is broken, and not only what was taken as an example."""
    return check.broken <= len(check.examples) and len(check.to_refresh) == len(check.documents)


def _way_on(broken: Sequence[Finding], repairs: Sequence[Repair] | None) -> str:
    if any(check.check == TABLES_CHECK for check in broken):
        return f"What needs the missing tables was not checked and cannot be mended. {TABLES_REMEDY}"
    if repairs is not None:
        mended = any(repair.mended for repair in repairs)
        return "The rest was mended." if mended else "Nothing of it could be mended."
    if all(check.to_refresh and _all_named(check) for check in broken):
        return "Nothing was changed; what is named above mends it."
    return "Nothing was changed; `webrag doctor --repair` mends what it can."
