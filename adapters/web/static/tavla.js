// What the server sends is painted, what is pressed is sent. No rules of the game are known here.

const PATIENCE = 3000;      // ms without an answer until a press may be tried again
const LONGEST_WAIT = 8000;  // ms between two attempts to connect

const find = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// --- the connection ---------------------------------------------------------------------------------------

class Line {
  constructor(hear) {
    this.hear = hear;
    this.wait = 250;
    addEventListener("pagehide", () => this.stop());
    addEventListener("online", () => this.open());
    document.addEventListener("visibilitychange", () => document.hidden || this.usable || this.open());
    this.open();
  }

  get usable() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  open() {
    this.stop();
    const address = new URL("live" + location.search, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    this.socket = new WebSocket(address);
    this.socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    this.socket.onclose = () => this.lose();
    this.socket.onopen = () => {
      this.wait = 250;
      find("#lost").hidden = true;
    };
  }

  stop() {
    clearTimeout(this.timer);
    if (!this.socket) return;
    this.socket.onclose = this.socket.onmessage = this.socket.onopen = null;
    this.socket.close();
  }

  lose() {
    find("#lost").hidden = false;
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
    this.timer = setTimeout(() => this.open(), this.wait * (0.75 + Math.random() / 2));
  }

  send(message) {
    this.socket.send(JSON.stringify(message));
  }
}

// --- a table ----------------------------------------------------------------------------------------------

class Table {
  constructor(root) {
    this.root = root;
    this.words = root.dataset;
    this.view = null;
    this.busy = null;
    this.picked = null;
    this.buttons = all("[data-place]", root);
    this.board = find("#board img", root);
    this.spots = new Map();
    this.line = new Line((message) => this.hear(message));
    this.listen();
  }

  listen() {
    for (const button of this.buttons) {
      button.addEventListener("click", () => this.send({ press: button.dataset.action }));
    }
    find("#spots").addEventListener("click", (event) => this.tap(event.target.closest("[data-point]")));
    find("#spots").addEventListener("keydown", (event) => this.walk(event));
    addEventListener("keydown", (event) => event.key === "Escape" && this.pick(null));
    find("#refused button").addEventListener("click", () => this.refuse("press", null));
    find("#typing")?.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = find("#typed").value.trim();
      if (text) this.send({ type: text });
    });
  }

  hear(message) {
    if (message.view) this.paint(message.view);
    if (message.answer) this.answered(message.answer);
  }

  // One press at a time: the next one counts when this one is answered, or after a while without an answer.
  // `place`: where a refusal is shown, "press" above the board or "type" beside the field.
  send(message, place = "type" in message ? "type" : "press") {
    if (this.busy || !this.line.usable) return;
    this.refuse("press", null);
    this.refuse("type", null);
    this.answerPlace = place;
    this.root.classList.add("busy");
    this.busy = setTimeout(() => this.free(), PATIENCE);
    this.worry = setTimeout(() => this.line.open(), 3 * PATIENCE);
    this.line.send(message);
  }

  free() {
    clearTimeout(this.busy);
    this.busy = null;
    this.root.classList.remove("busy");
  }

  answered({ refusal }) {
    this.free();
    clearTimeout(this.worry);
    this.refuse(this.answerPlace, refusal);
    if (this.answerPlace === "type" && !refusal) find("#typed").value = "";
  }

  refuse(place, text) {
    if (place === "type") {
      if (find("#mistyped")) find("#mistyped").textContent = text ?? "";
      return;
    }
    find("#refused p").textContent = text ?? "";
    find("#refused").hidden = !text;
  }

  paint(view) {
    const first = this.view === null;
    if (!first && view.successor && !this.view.successor) {
      location.assign(view.successor);
      return;
    }
    if (this.view?.revision !== view.revision) this.moveOn();
    this.view = view;
    this.tell(view);
    this.show(view.picture, view.alt);
    this.place(view.buttons);
    this.lay(view.spots);
  }

  // What was picked up, refused or half typed was about a board that is gone.
  moveOn() {
    this.picked = null;
    this.refuse("press", null);
    this.refuse("type", null);
    if (this.answerPlace !== "type" && find("#typed") !== document.activeElement && find("#typed")) find("#typed").value = "";
  }

  tell(view) {
    document.title = view.attention ? `● ${this.words.yourTurn} – ${view.title}` : view.title;
    find("#title").textContent = view.title;
    find("#position").textContent = view.alt;
    paragraphs(find("#lines"), view.lines);
    paragraphs(find("#small"), view.small);
    find("#onward").hidden = !view.successor;
    find("#onward a").href = view.successor ?? "";
  }

  // The old picture stays until the new one can be seen; of several on their way only the newest counts.
  async show(address, alt) {
    this.board.alt = alt;
    const href = new URL(address, location.href).href;
    if (href === this.board.src && this.board.naturalWidth) return;
    const next = new Image();
    next.src = href;
    try {
      await next.decode();
      if (this.view.picture === address) this.board.src = href;
    } catch {
      this.askAgain(href);
    }
  }

  // The server keeps pictures for a while only: it is asked, once, to show the table again.
  askAgain(href) {
    if (this.missing === href || !this.line.usable) return;
    this.missing = href;
    this.line.send({ look: "picture" });
  }

  place(buttons) {
    const at = new Map(buttons.map((button) => [String(button.place), button]));
    const focused = document.activeElement;
    for (const element of this.buttons) fill(element, at.get(element.dataset.place));
    for (const row of all(".row:not(.controls)", this.root)) {
      row.hidden = !find("button:not(.empty)", row);
    }
    if (focused?.dataset?.place && focused.disabled) find("#lines").focus({ preventScroll: true });
  }

  // --- the board itself: the same actions as the buttons ---

  lay(spots) {
    for (const spot of spots) {
      let element = this.spots.get(spot.point);
      if (!element) {
        element = document.createElement("button");
        element.type = "button";
        element.dataset.point = spot.point;
        element.tabIndex = -1;
        ["left", "top", "width", "height"].forEach((side, n) => (element.style[side] = `${spot.box[n] * 100}%`));
        find("#spots").append(element);
        this.spots.set(spot.point, element);
      }
      element.dataset.label = spot.label;
    }
    this.light();
  }

  from(point) {
    return this.view.buttons.filter((button) => button.start === point);
  }

  // Shows what can be taken up, what has been, and where it can go.
  light() {
    if (this.picked !== null && !this.from(this.picked).length) this.picked = null;
    const targets = this.picked === null ? [] : this.from(this.picked).map((button) => button.end);
    for (const [point, element] of this.spots) {
      const state = point === this.picked ? "picked" : targets.includes(point) ? "target" : this.from(point).length ? "canMove" : "";
      element.className = `spot ${state}`;
      element.setAttribute("aria-label", [element.dataset.label, this.words[state]].filter(Boolean).join(", "));
      element.setAttribute("aria-pressed", state === "picked");
      element.setAttribute("aria-disabled", !state && this.picked === null);
    }
    this.oneTabStop();
  }

  oneTabStop() {
    const elements = [...this.spots.values()];
    const stop = elements.find((element) => element === document.activeElement)
      ?? elements.find((element) => element.matches(".picked")) ?? elements.find((element) => element.matches(".canMove")) ?? elements[0];
    for (const element of elements) element.tabIndex = element === stop ? 0 : -1;
  }

  pick(point) {
    this.picked = point;
    if (this.view) this.light();
  }

  tap(element) {
    if (!element || this.busy) return;
    const point = Number(element.dataset.point);
    const taken = this.picked === null ? null : this.from(this.picked).find((button) => button.end === point);
    if (taken) this.send({ press: taken.action });
    else if (point === this.picked) this.pick(null);
    else if (this.from(point).length) this.takeUp(point);
    else if (this.picked !== null) this.askWhyNot(point);
  }

  // Where there are too many steps for the buttons, the checker is chosen first; then the server tells its targets.
  takeUp(point) {
    this.pick(point);
    const [only] = this.from(point);
    if (only.end === null) this.send({ press: only.action });
  }

  // A place that is no target: written as a play, the server says what is wrong with it.
  askWhyNot(point) {
    const name = (number) => ({ 25: "bar", 0: "off" })[number] ?? number;
    const text = `${name(this.picked)}/${name(point)}`;
    this.pick(null);
    this.send({ type: text }, "press");
  }

  walk(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    if (!way || !event.target.dataset.point) return;
    event.preventDefault();
    neighbour(event.target, [...this.spots.values()], way)?.focus();
    this.oneTabStop();
  }
}

function paragraphs(element, lines) {
  if (JSON.stringify([...element.children].map((line) => line.textContent)) === JSON.stringify(lines)) return;
  element.replaceChildren(...lines.map((line) => Object.assign(document.createElement("p"), { textContent: line })));
}

function fill(element, button) {
  element.disabled = !button;
  element.className = button ? button.kind : "empty";
  element.textContent = button?.label ?? "";
  element.dataset.action = button?.action ?? "";
}

// The nearest place in a direction; sideways steps stay in their half of the board.
function neighbour(from, places, [x, y]) {
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const [here, height] = middle(from);
  const distance = (element) => {
    const [left, top] = middle(element);
    const ahead = (left - here) * x + (top - height) * y;
    const aside = Math.abs((left - here) * y) + Math.abs((top - height) * x);
    return ahead > 1 ? ahead + 4 * aside : Infinity;
  };
  const best = places.reduce((one, other) => (distance(other) < distance(one) ? other : one), from);
  return best === from ? null : best;
}

// --- the other pages --------------------------------------------------------------------------------------

function followChallenge(card) {
  if (card.dataset.challenge !== "open") return;
  const line = new Line(({ state }) => {
    if (state === card.dataset.challenge) return;
    if (state === "accepted" && card.dataset.way) location.assign(card.dataset.way);
    else location.reload();
  });
  // Whoever answers is led on by the answer; going elsewhere meanwhile would lose it.
  addEventListener("submit", () => line.stop());
}

function offerLink(link) {
  const copy = find("#copy");
  const share = find("#share");
  link.addEventListener("focus", () => link.select());
  copy.addEventListener("click", async () => {
    link.select();
    await (navigator.clipboard?.writeText(link.value) ?? Promise.resolve(document.execCommand("copy"))).catch(() => null);
    copy.textContent = copy.dataset.done;
  });
  share.hidden = !navigator.share;
  share.addEventListener("click", () => navigator.share({ url: link.value }).catch(() => null));
}

function helpStart(form) {
  const other = find("[name=other_length]", form);
  other.addEventListener("input", () => (find("[value=other]", form).checked = true));
  const games = all("[name=game]", form);
  const chooseRules = () => {
    const game = games.find((each) => each.checked)?.value;
    for (const rules of all("[data-game]", form)) rules.hidden = Boolean(game) && rules.dataset.game !== game;
  };
  games.forEach((game) => game.addEventListener("change", chooseRules));
  chooseRules();
}

addEventListener("pageshow", (event) => event.persisted && location.reload());
if (find("#table")) new Table(find("#table"));
if (find("[data-challenge]")) followChallenge(find("[data-challenge]"));
if (find("#link")) offerLink(find("#link"));
if (find("form.start")) helpStart(find("form.start"));
