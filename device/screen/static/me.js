// What this page may do: `here` on the machine itself, `paired` and so allowed to play; and what there is to do:
// `pairing` of phones, `recording` of the last minutes, `next_game` when this one is over.
export let me = { here: true, paired: true, pairing: false, recording: false, next_game: false };

export async function askWhatIMay() {
  const found = await fetch("me").catch(() => null);
  if (found?.ok) me = await found.json();
}
