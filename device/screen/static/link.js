// The connection to the service: brings its sections, says when it is away, comes back by itself.

const SILENCE_MS = 12000; // three beats of the service
const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 4000;

export class Link {
  constructor({ language, onSections, onAway }) {
    this.language = language;
    this.onSections = onSections;
    this.onAway = onAway;
    this.wait = FIRST_WAIT_MS;
    this.open();
    // A tablet that was asleep should not wait for the next try.
    const now = () => document.hidden || this.socket.readyState <= WebSocket.OPEN || this.retry(0);
    document.addEventListener("visibilitychange", now);
    window.addEventListener("online", now);
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/live?language=${this.language}`);
    this.socket = socket;
    this.listenForSilence();
    socket.onmessage = (event) => {
      this.wait = FIRST_WAIT_MS;
      this.listenForSilence();
      this.onAway(false);
      this.onSections(JSON.parse(event.data));
    };
    socket.onclose = () => this.lost(socket);
  }

  lost(socket) {
    if (socket !== this.socket) return;
    this.onAway(true);
    this.retry(this.wait);
    this.wait = Math.min(this.wait * 1.6, LONGEST_WAIT_MS);
  }

  retry(ms) {
    clearTimeout(this.again);
    clearTimeout(this.silence);
    this.again = setTimeout(() => this.open(), ms * (0.8 + 0.4 * Math.random()));
  }

  listenForSilence() {
    clearTimeout(this.silence);
    const socket = this.socket;
    this.silence = setTimeout(() => {
      socket.onclose = null;
      socket.close();
      this.lost(socket);
    }, SILENCE_MS);
  }

  speak(language) {
    this.language = language;
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ language }));
  }
}
