"""The commands of an appliance, beside those of `device.cli`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from device.options import JournalFile, journal_place, stopping

commands = typer.Typer()
ConfigFile = Annotated[Path, typer.Option("--config", help="Config file.")]
DEFAULT_CONFIG = Path("/etc/kibitz/kibitz.toml")


@commands.command()
def serve(config: ConfigFile = DEFAULT_CONFIG, journal: JournalFile = None) -> None:
    """Referee as the config file says, for ever: what the service of an appliance runs."""
    from device.service import Place, serve_table

    with stopping() as stop:
        serve_table(Place(config=config, journal=journal_place(journal)), stop)


@commands.command("config")
def config_(config: ConfigFile = DEFAULT_CONFIG) -> None:
    """Check the config file, its session, its deck and its lens."""
    from device.config import check_files, load_config
    from device.sitting import open_sitting

    loaded = load_config(config)
    check_files(config, loaded)
    lens = config.parent / loaded.camera.lens if loaded.camera.lens else None
    sitting = open_sitting(config.parent / loaded.table.session, loaded.table.language, lens)
    players = ", ".join(p.name for p in sitting.session.player)
    typer.echo(f"{config}: good; {sitting.session.game} for {players}, camera {loaded.camera.source.split('@')[-1]}")


@commands.command()
def report(
    out: Annotated[Path | None, typer.Option("--out", help="The file; named after game and time otherwise.")] = None,
    seconds: Annotated[int, typer.Option("--seconds", help="How far back, 5 to 600.")] = 60,
    port: Annotated[int, typer.Option("--port", help="Port of the screen of the Kibitz that runs here.")] = 8765,
) -> None:
    """Report a play: the last seconds of the game that runs, in one file without names that `kibitz replay` plays."""
    from device.reporting import fetch_play

    typer.echo(f"{fetch_play(out, seconds, port)}: play it again with `kibitz replay`, or send it to whoever mends it")


@commands.command()
def devices(
    revoke: Annotated[str | None, typer.Option("--revoke", help="Take that device's leave away, by its id.")] = None,
    journal: JournalFile = None,
) -> None:
    """List the devices that were paired with the screen, or take one's leave away."""
    from device.errors import UserError
    from device.furnish import DEVICES
    from device.screen.pairing import Devices

    paired = Devices(journal_place(journal).parent / DEVICES)
    if revoke is not None:
        if not paired.revoke(revoke):
            raise UserError(f"--revoke {revoke}: there is no such device; `kibitz devices` lists them")
        typer.echo("It may watch, but no longer change anything.")
        return
    for device in paired.all():
        typer.echo(f"{device.id}  {device.paired[:10]}  {device.name}")
    if not paired.all():
        typer.echo("No devices yet: the main screen shows a code to pair one.")
