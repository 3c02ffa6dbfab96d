"""``webrag doctor``: whether the library keeps its promises."""

from collections.abc import Sequence

import click

from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.health import embedding_report, say_embedding
from webrag_desktop.cli.output import SHOWN_ID, Output, Styled, json_option, one_line, pass_output
from webrag_desktop.cli.session import open_library
from webrag_desktop.cli.shapes import CheckResult, DoctorReport
from webrag_desktop.cli.stack import say_stack, stack_report
from webrag_desktop.cli.steps import showing_steps
from webrag_desktop.cli.upkeep_shapes import Concerned, RepairItem
from webrag_desktop.config import load_settings
from webrag_desktop.storage.checks.integrity import Finding


@click.command(short_help="Check that the library keeps its promises.")
@click.option("--deep", is_flag=True, help="Look closely at every text, not at some.")
@click.option("--repair", is_flag=True, help="Mend what can be mended, then check.")
@json_option
@pass_output
def doctor(output: Output, deep: bool, repair: bool) -> ExitCode:
    """Check the surroundings, then every promise of the library: it reads all text, so it takes a while.

    With --repair, what was derived is made again from what was kept: chunks, vectors, indexes, figures, lost places in
    the queue. Nothing that you gave is deleted, and nothing is fetched; what cannot be mended is told.

    Exit code 5 tells of damage in the library, 3 of a part of the stack or a model that cannot be used.
    """
    settings = load_settings()
    with open_library(settings) as services, showing_steps() as show:
        repairs = services.checkup.repair(deep=deep, progress=show) if repair else []
        stack = stack_report(settings, services.stack)
        embedding = embedding_report(settings, services)
        findings = services.checkup.check(deep=deep, progress=show)
        older = len(services.library.read_by_older())
    checks = tuple(map(_result, findings))
    sound = all(check.ok for check in checks)
    report = DoctorReport(
        ok=sound and stack.well and embedding.ok,
        stack=stack,
        embedding=embedding,
        deep=deep,
        repairs=tuple(map(RepairItem.of, repairs)),
        checks=checks,
        read_by_older=older,
    )
    if output.as_json:
        output.document(report)
    else:
        _say_doctor(output, report)
    if not sound:
        return ExitCode.DAMAGED
    return ExitCode.OK if report.ok else ExitCode.UNAVAILABLE


def _result(finding: Finding) -> CheckResult:
    return CheckResult(
        check=finding.check,
        promise=finding.promise,
        ok=finding.ok,
        broken=finding.broken,
        examples=finding.examples,
        documents=tuple(map(Concerned.of, finding.documents)),
    )


def _say_doctor(output: Output, report: DoctorReport) -> None:
    say_stack(output, report.stack)
    say_embedding(output, report.embedding)
    output.say()
    for repair in report.repairs:
        _say_repair(output, repair)
    if report.repairs:
        output.say()
    for check in report.checks:
        mark = Styled("holds ", colour="green") if check.ok else Styled("BROKEN", colour="red", bold=True)
        output.say(mark, f"  {check.promise}")
        if not check.ok:
            output.say(" " * 8, _broken(check))
    output.say()
    output.say(_verdict(report.checks, repaired=bool(report.repairs)))
    if report.read_by_older:
        output.say(_told_older(report.read_by_older))


def _say_repair(output: Output, repair: RepairItem) -> None:
    mark = Styled("mended", colour="green") if repair.mended else Styled("left  ", colour="yellow")
    output.say(mark, f"  {repair.told}")
    subject = repair.subject if repair.document is None else _named(repair.document)
    output.say(" " * 8, Styled(f"{repair.check}: {subject}", dim=True))
    if repair.command is not None:
        output.say(" " * 8, f"`{repair.command}` goes on from there.")


def _broken(check: CheckResult) -> str:
    times = "once" if check.broken == 1 else f"{check.broken} times"
    named = [_named(document) for document in check.documents] or check.examples
    if check.documents:
        return f"{check.check}: {times}, in {', '.join(named)}"
    such = ":" if check.broken == len(check.examples) else ", such as"
    return f"{check.check}: {times}{such} {', '.join(named)}"


def _named(document: Concerned) -> str:
    title = one_line(document.title or document.source_url or "what has lost its name")
    return f"{title} ({str(document.id)[:SHOWN_ID]})"


def _told_older(count: int) -> str:
    documents = "1 document was" if count == 1 else f"{count} documents were"
    return (
        f"{documents} read by an older version of the reader. Nothing is wrong with that; "
        "`webrag reextract --older` reads the kept copies again, without the network."
    )


def _verdict(checks: Sequence[CheckResult], *, repaired: bool) -> str:
    broken = sum(not check.ok for check in checks)
    if not broken:
        return f"The library is sound: all {len(checks)} promises hold."
    end = (
        "The rest was mended."
        if repaired
        else "Nothing was changed; `webrag doctor --repair` mends what it can."
    )
    return f"The library is damaged: {broken} of {len(checks)} promises are broken. {end}"
