"""The commands that learn: a deck from its cards, a lens from the calibration sheet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from device.errors import UserError
from device.options import known_language, stopping

commands = typer.Typer()


@commands.command()
def enroll(
    name: Annotated[Path, typer.Argument(help="The deck's folder, which must not be there yet.")],
    sources: Annotated[
        list[Path] | None, typer.Argument(help="Footage, pictures, or folders of them; the camera otherwise.")
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option("--size", help="Width x height in mm (59x91), or poker, bridge, euro …; again for other pieces."),
    ] = None,
    radius: Annotated[float | None, typer.Option("--radius", help="Radius of the cards' corners, mm.")] = None,
    thickness: Annotated[float, typer.Option("--thickness", help="Of a card, mm.")] = 0.3,
    names: Annotated[
        Path | None, typer.Option("--names", help="List of names; a list to fill in is written where there is none.")
    ] = None,
    title: Annotated[str, typer.Option("--title", help="What the deck is called; the folder's name otherwise.")] = "",
    game: Annotated[
        str, typer.Option("--game", help="carpets, carcassonne or fairplay: what it is to have is checked.")
    ] = "",
    scans: Annotated[bool, typer.Option("--scans", help="Every picture is one whole face, named by its file.")] = False,
    camera: Annotated[str, typer.Option("--camera", help="pi, usb, usb:1, or a video as if it were live.")] = "pi",
    port: Annotated[int, typer.Option("--port", help="Port of the page on which faces are named.")] = 8765,
    language: Annotated[
        str | None, typer.Option("--language", help="Of that page; the browser's own otherwise.")
    ] = None,
) -> None:
    """Learn a deck from its cards: under the camera, in footage, photographs or scans."""
    from device.card_sizes import read_sizes
    from device.deck_check import kinds_of
    from device.enrolling import Wishes, ask_on_screen
    from device.enrolling import enroll as learn

    if not size:
        raise UserError("--size is missing: measure a card, as in --size 59x91 (mm), or name one: poker, bridge, euro")
    kinds = tuple(kinds_of(game)) if game else ()
    if not 0 < thickness <= 10:
        raise UserError(f"--thickness {thickness:g}: of a card, in mm: more than 0, at most 10")
    wishes = Wishes(
        folder=name,
        sources=tuple(sources or ()),
        camera=camera,
        sizes=tuple(read_sizes(size, radius)),
        thickness_mm=thickness,
        names=names,
        title=title,
        scans=scans,
        game=game,
    )

    with stopping() as stop:
        learn(wishes, stop, ask_on_screen(port, known_language(language) if language else "", kinds, stop))


@commands.command()
def calibrate(
    sources: Annotated[
        list[Path] | None, typer.Argument(help="Footage, pictures, or folders of them; the camera otherwise.")
    ] = None,
    square: Annotated[
        float | None, typer.Option("--square", help="Side of a printed square in mm, where it is not 24.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Where the lens is written.")] = Path("lens.toml"),
    camera: Annotated[str, typer.Option("--camera", help="pi, usb, usb:1, or a video as if it were live.")] = "pi",
    language: Annotated[str, typer.Option("--language", help="en, fr or de.")] = "en",
) -> None:
    """Measure a lens with the printed sheet (`kibitz print sheet`). Optional: the cards are the ruler."""
    from device.calibrating import Wishes
    from device.calibrating import calibrate as measure
    from vision.charuco import SQUARE_MM

    if square is not None and not 5 <= square <= 100:
        raise UserError(f"--square {square:g}: a printed square has 5 to 100 mm; measure ten and divide")
    wishes = Wishes(
        sources=tuple(sources or ()),
        camera=camera,
        square_mm=square or SQUARE_MM,
        out=out,
        language=known_language(language),
    )
    with stopping() as stop:
        raise typer.Exit(0 if measure(wishes, stop) else 1)
