// What this page may do: `here` on the machine itself, `paired` and so allowed to play, `appliance` with recordings.
export let me = { here: true, paired: true, appliance: false };

export async function askWhatIMay() {
  const found = await fetch("me").catch(() => null);
  if (found?.ok) me = await found.json();
}
