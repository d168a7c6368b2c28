"""The `kibitz` command. What is wrong with what a person gave is one line on stderr and exit code 2."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from device import appliance_cli, learning_cli, stdout
from device.errors import UserError
from device.options import JournalFile, journal_place, known_language, stopping
from rules.session import Language

app = typer.Typer(
    help="A camera above a real table that watches a game, measures it, rules and keeps the score.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
PORT = 8765
SIGPIPE = 128 + 13
"""Exit code of a program whose output nobody reads any more."""

# Modules that load OpenCV, SciPy or the web server are imported by the commands that need them: `kibitz --help` and a
# mistake in a path answer at once.

Session = Annotated[Path | None, typer.Option("--session", help="Session file; a folder of footage has its own.")]
Report = Annotated[Path | None, typer.Option("--report", help="Write report.json there.")]
Screen = Annotated[bool, typer.Option("--screen", help="Serve the screen meanwhile.")]
Host = Annotated[
    str, typer.Option("--host", help="Address the screen listens on; others than this machine must name it.")
]
Port = Annotated[int, typer.Option("--port", help="Port of the screen.")]
LensFile = Annotated[Path | None, typer.Option("--lens", help="What `kibitz calibrate` wrote for this camera.")]
In = Annotated[str | None, typer.Option("--language", help="en, fr or de; the session's own otherwise.")]


@app.command()
def replay(
    footage: Annotated[Path, typer.Argument(help="Folder with clip.mp4 and session.toml, or a video file.")],
    session: Session = None,
    report: Report = None,
    realtime: Annotated[bool, typer.Option("--realtime", help="At the pace of the game.")] = False,
    screen: Screen = False,
    ask: Annotated[bool, typer.Option("--ask", help="Put questions to the screen instead of taking defaults.")] = False,
    host: Host = "127.0.0.1",
    port: Port = PORT,
    language: In = None,
    lens: LensFile = None,
    journal: JournalFile = None,
) -> None:
    """Referee recorded footage."""
    from device.replaying import Wishes, replay_footage

    if ask and not screen:
        raise UserError("--ask puts the questions to the screen; add --screen")
    replay_footage(
        footage,
        Wishes(
            session=session,
            report=report,
            realtime=realtime,
            screen=(host, port) if screen else None,
            ask=ask,
            language=_language(language),
            lens=lens,
            journal=journal_place(journal),
        ),
    )


@app.command()
def demo(
    game: Annotated[str, typer.Argument(help="Which recorded game.")] = "carpets",
    fast: Annotated[
        bool, typer.Option("--fast", help="As fast as the machine can, not at the pace of the game.")
    ] = False,
    host: Host = "127.0.0.1",
    port: Port = PORT,
    language: In = None,
    journal: JournalFile = None,
) -> None:
    """Replay the recorded game that ships with Kibitz, with the screen."""
    from device.replaying import Wishes, replay_footage
    from device.sitting import find_demo

    wishes = Wishes(
        realtime=not fast, screen=(host, port), language=_language(language), journal=journal_place(journal)
    )
    replay_footage(find_demo(game), wishes)


@app.command()
def evaluate(
    footage: Annotated[list[Path], typer.Argument(help="Folders of footage with truth.json.")],
    reports: Annotated[
        Path | None, typer.Option("--reports", help="Folder of reports <clip>.json to judge instead of replaying.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Figures as JSON.")] = False,
) -> None:
    """Compare reports with truth.json: the accuracy table. Exit code 0 when every goal is met, 1 otherwise."""
    from device.evaluating import evaluate_footage

    raise typer.Exit(0 if evaluate_footage(footage, reports, as_json=json) else 1)


@app.command()
def play(
    session: Session = None,
    camera: Annotated[
        str, typer.Option("--camera", help="pi, usb, usb:1, a video as if it were live, or none.")
    ] = "pi",
    resume: Annotated[int | None, typer.Option("--resume", help="Go on with that game of the journal.")] = None,
    host: Host = "127.0.0.1",
    port: Port = PORT,
    ring_mb: Annotated[
        int, typer.Option("--ring-mb", min=0, help="Megabytes for the last minutes as video; 0 keeps none.")
    ] = 300,
    language: In = None,
    lens: LensFile = None,
    journal: JournalFile = None,
) -> None:
    """Referee the live table, with the screen."""
    from device.config import RecordSection, ScreenSection
    from device.playing import play_live

    if (session is None) == (resume is None):
        raise UserError("give either --session FILE for a new game or --resume NUMBER for one of `kibitz games`")
    with stopping() as stop:
        play_live(
            journal_place(journal),
            ScreenSection(host=host, port=port),
            camera,
            stop,
            session=session,
            resume=resume,
            language=_language(language),
            record=RecordSection(ring_mb=ring_mb),
            lens=lens,
        )


@app.command()
def record(
    folder: Annotated[Path, typer.Argument(help="Folder to record into; clip.mp4 is made in it.")],
    camera: Annotated[str, typer.Option("--camera", help="pi, usb, usb:1, or a video as if it were live.")] = "pi",
    seconds: Annotated[float | None, typer.Option("--seconds", help="Stop after so long; otherwise at Ctrl-C.")] = None,
    session: Annotated[Path | None, typer.Option("--session", help="Session file to put beside the clip.")] = None,
) -> None:
    """Record footage for later replay."""
    from device.playing import record_live

    with stopping() as stop:
        record_live(folder, camera, stop, seconds=seconds, session=session)


@app.command("print")
def print_(
    deck: Annotated[
        str, typer.Argument(help="Name of a deck that ships with Kibitz, a deck's folder, or sheet: to calibrate with.")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="The PDF; <deck>.pdf otherwise.")] = None,
    paper: Annotated[str, typer.Option("--paper", help="a4 or letter.")] = "a4",
) -> None:
    """Print a deck, or the calibration sheet, to PDF, true to size."""
    if deck == "sheet":
        from device.calibration_sheet import print_sheet

        to = out or Path("sheet.pdf")
        print_sheet(to, paper)
        typer.echo(f"{to}: 1 sheet; print at 100 %, then measure ten squares")
        return
    from device.deck_folder import find_deck
    from device.printing import print_deck

    folder = find_deck(deck)
    to = out or Path(f"{folder.resolve().name}.pdf")
    sheets = print_deck(folder, to, paper)
    typer.echo(f"{to}: {sheets} sheets; print at 100 %, on both sides, turned on the long edge")


@app.command()
def doctor(
    port: Port = PORT,
    journal: JournalFile = None,
    camera: Annotated[str | None, typer.Option("--camera", help="The camera to look at; the first otherwise.")] = None,
    json: Annotated[bool, typer.Option("--json", help="As JSON, for other programs.")] = False,
) -> None:
    """Check what a game needs on this machine and say what to do."""
    from device.doctor import check_all, tell_checks

    raise typer.Exit(tell_checks(check_all(journal_place(journal), port, camera), as_json=json))


@app.command("read-dice")
def read_dice_(
    photos: Annotated[list[Path], typer.Argument(metavar="PHOTO...", help="Photographs of dice.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the annotated pictures; the working folder otherwise.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Values as one JSON list; pictures only with --out.")] = False,
) -> None:
    """Read the dice on photographs, and draw what was read."""
    from device.read_dice import read_dice

    read_dice(photos, out, as_json=json)


games = typer.Typer(help="List, show, resume and export past games.", invoke_without_command=True)
app.add_typer(games, name="games")
Game = Annotated[int, typer.Argument(help="Number of the game, as `kibitz games` lists them.")]


@games.callback()
def games_(context: typer.Context, journal: JournalFile = None) -> None:
    """List past games."""
    context.obj = journal_place(journal)
    if context.invoked_subcommand is None:
        from device.gaming import list_games

        list_games(context.obj)


@games.command()
def show(context: typer.Context, game: Game, journal: JournalFile = None) -> None:
    """What happened in a game, undone entries included."""
    from device.gaming import show_game

    show_game(journal or context.obj, game)


@games.command()
def export(
    context: typer.Context,
    game: Game,
    out: Annotated[Path | None, typer.Option("--out", help="File to write; standard output otherwise.")] = None,
    journal: JournalFile = None,
) -> None:
    """A game as JSON."""
    from device.gaming import export_game

    export_game(journal or context.obj, game, out)


@games.command()
def resume(
    context: typer.Context,
    game: Game,
    camera: Annotated[
        str, typer.Option("--camera", help="pi, usb, usb:1, a video as if it were live, or none.")
    ] = "pi",
    host: Host = "127.0.0.1",
    port: Port = PORT,
    lens: LensFile = None,
    journal: JournalFile = None,
) -> None:
    """Go on with a game (the same as `kibitz play --resume`)."""
    play(camera=camera, resume=game, host=host, port=port, lens=lens, journal=journal or context.obj)


app.add_typer(learning_cli.commands)
app.add_typer(appliance_cli.commands)


def _language(word: str | None) -> Language | None:
    return None if word is None else known_language(word)


def main() -> None:
    """Entry point of `kibitz` and of `python -m device`."""
    # What OpenCV warns of (a camera that is not there) is said in words.
    os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")
    sys.stdout = stdout.guarded(sys.stdout)
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Runs one command and returns its exit code."""
    try:
        code = int(app(arguments, prog_name="kibitz", standalone_mode=False) or 0)
        stdout.finish()
        return code
    except UserError as e:
        return _complain(str(e))
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except typer.TyperException as e:  # a mistake in the arguments
        text = str(getattr(e, "format_message", e.__str__)()).rstrip(".")
        command = getattr(getattr(e, "ctx", None), "command_path", "kibitz")
        return _complain(f"{text}; see `{command} --help`") if text else 2  # no command at all: the help has been shown
    except stdout.OutputLostError as e:
        return _complain(f"standard output cannot be written: {e.why}; send it elsewhere") if e.why else SIGPIPE


def _complain(text: str) -> int:
    print("kibitz: " + " ".join(text.split()), file=sys.stderr)
    return 2
