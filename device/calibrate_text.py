"""What `kibitz calibrate` says of a lens, in the three languages."""

from __future__ import annotations

from rules.session import Language
from vision.lens import LensFit

BAD_RMS_PX = 0.8
"""A flat sheet held still leaves 0.1 to 0.3 px."""
FEW_VIEWS = 5
LOW_COVERAGE = 0.5
LOOSE_FOCAL = 0.02
"""1 sigma of the focal length, as part of it. Six sheets that all lie flat leave 0.17, six that lean by 20° 0.004."""
COARSE_MM_PER_PX = 1.0
"""As for the table (`device.sight`): a corner is placed to 0.8 px, a gap of 10 mm is to be told to 0.7 mm."""

WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "figures": "{views} pictures: residual {rms:.2f} px (worst {worst:.2f}), {coverage:.0f} % of the picture"
        " covered, {mm:.2f} mm per pixel, focal length {f:.0f} px ± {sigma:.1f} %",
        "good": "Good: the lens is known well enough.",
        "bad": "Not good: the sheet is not flat, was moving, or is blurred. Glue it on something flat, hold it still in"
        " good light, and calibrate anew; nothing was written.",
        "few": "Few pictures: show the sheet in {least} places or more.",
        "coverage": "Much of the picture was never covered: bring the sheet into its corners, too.",
        "tilt": "The focal length is uncertain: lean the sheet by 20 to 30 degrees in some pictures.",
        "coarse": "More than a millimetre to the pixel: bring the camera nearer to the table.",
        "bias": "OpenCV {version} places the corners ({x:+.2f}, {y:+.2f}) px off; that is taken out.",
        "unbiased": "OpenCV {version} places the corners where they are.",
        "taken": "picture {n} taken",
        "show": "Hold the sheet where the camera sees it: flat, leaning, in every corner of the picture; Ctrl-C ends.",
    },
    "fr": {
        "figures": "{views} images : résidu {rms:.2f} px (au pire {worst:.2f}), {coverage:.0f} % de l'image couverts,"
        " {mm:.2f} mm par pixel, focale {f:.0f} px ± {sigma:.1f} %",
        "good": "Bien : l'objectif est assez connu.",
        "bad": "Pas bon : la feuille n'est pas plane, bougeait ou est floue. Collez-la sur un support plan, tenez-la"
        " immobile sous une bonne lumière et recommencez ; rien n'a été écrit.",
        "few": "Peu d'images : montrez la feuille à {least} endroits ou plus.",
        "coverage": "Une grande partie de l'image n'a jamais été couverte : montrez la feuille aussi dans les coins.",
        "tilt": "La focale est incertaine : inclinez la feuille de 20 à 30 degrés dans quelques images.",
        "coarse": "Plus d'un millimètre par pixel : rapprochez la caméra de la table.",
        "bias": "OpenCV {version} place les coins à ({x:+.2f}, {y:+.2f}) px ; c'est corrigé.",
        "unbiased": "OpenCV {version} place les coins où ils sont.",
        "taken": "image {n} prise",
        "show": "Tenez la feuille devant la caméra : à plat, inclinée, dans chaque coin de l'image ; Ctrl-C termine.",
    },
    "de": {
        "figures": "{views} Bilder: Restfehler {rms:.2f} px (schlimmstenfalls {worst:.2f}), {coverage:.0f} % des Bildes"
        " abgedeckt, {mm:.2f} mm je Pixel, Brennweite {f:.0f} px ± {sigma:.1f} %",
        "good": "Gut: Das Objektiv ist genau genug bekannt.",
        "bad": "Nicht gut: Das Blatt ist nicht eben, war in Bewegung oder ist unscharf. Auf etwas Ebenes kleben, bei"
        " gutem Licht stillhalten und neu kalibrieren; geschrieben wurde nichts.",
        "few": "Wenige Bilder: das Blatt an {least} oder mehr Stellen zeigen.",
        "coverage": "Ein großer Teil des Bildes war nie abgedeckt: das Blatt auch in die Ecken halten.",
        "tilt": "Die Brennweite ist unsicher: das Blatt in einigen Bildern um 20 bis 30 Grad neigen.",
        "coarse": "Mehr als ein Millimeter je Pixel: die Kamera näher an den Tisch bringen.",
        "bias": "OpenCV {version} setzt die Ecken um ({x:+.2f}, {y:+.2f}) px daneben; das ist herausgerechnet.",
        "unbiased": "OpenCV {version} setzt die Ecken dorthin, wo sie sind.",
        "taken": "Bild {n} aufgenommen",
        "show": "Das Blatt vor die Kamera halten: flach, geneigt, in jede Ecke des Bildes; Strg-C beendet.",
    },
}


def verdict(fit: LensFit) -> tuple[str, ...]:
    """The words (keys of `WORDS`) that apply: `good`, or what is wrong."""
    if fit.rms_px > BAD_RMS_PX:
        return ("bad",)
    found = []
    if fit.views < FEW_VIEWS:
        found.append("few")
    if fit.coverage < LOW_COVERAGE:
        found.append("coverage")
    if fit.lens.sigma[0] > LOOSE_FOCAL:
        found.append("tilt")
    found = found or ["good"]
    if fit.mm_per_px > COARSE_MM_PER_PX:
        found.append("coarse")
    return tuple(found)


def say(word: str, language: Language, **values: object) -> str:
    return WORDS[language][word].format(**values)


def tell(fit: LensFit, language: Language) -> list[str]:
    """The figures and the verdict, line by line."""
    figures = say(
        "figures",
        language,
        views=fit.views,
        rms=fit.rms_px,
        worst=fit.worst_px,
        coverage=100 * fit.coverage,
        mm=fit.mm_per_px,
        f=fit.lens.f,
        sigma=100 * fit.lens.sigma[0],
    )
    return [figures, *(say(word, language, least=FEW_VIEWS) for word in verdict(fit))]
