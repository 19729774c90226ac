"use strict";
// The agent at the player's side: what it would do, one move of it, or its moves one after another.

const PLAY_SPEEDS = [0.5, 1, 2, 4, 8, 16]; // moves a second
const LONGEST_PLAN = 6; // moves that are listed

class AgentPanel {
  #timer = null;
  #ratings = null;
  #seen = new Set(); // positions since the agent plays on without a stock

  /**
   * Join a section to the server. `deeds` has `advise()`, which returns what the server says,
   * `move()`, which lets the agent move and returns whether it could, `point(from, to)`, and
   * `view()`, the present one.
   */
  constructor(section, agent, deeds) {
    this.section = section;
    this.deeds = deeds;
    const find = (name) => section.querySelector(`.${name}`);
    this.parts = { list: find("rated"), plan: find("plan"), speed: find("speed"), pace: find("pace") };
    this.buttons = { advise: find("advise"), move: find("move-once"), play: find("play-on") };
    this.name = agent.name;
    find("agent-name").textContent = agent.name;
    find("sees").hidden = !agent.seesStock;
    this.buttons.advise.addEventListener("click", () => this.advise());
    this.buttons.move.addEventListener("click", () => this.moveOnce());
    this.buttons.play.addEventListener("click", () => this.toggle());
    this.parts.speed.max = PLAY_SPEEDS.length - 1;
    this.parts.speed.addEventListener("input", () => this.#showSpeed());
    this.#showSpeed();
    section.hidden = false;
    this.clear();
  }

  get isPlaying() {
    return this.#timer !== null;
  }

  /** How long a card may glide so that it lies still before the next move. */
  get glide() {
    return this.isPlaying ? 800 / this.#speed : Infinity;
  }

  get #speed() {
    return PLAY_SPEEDS[this.parts.speed.value];
  }

  /** Take away advice on a position that is past; `isOver`: whether no move is left. */
  clear({ isOver = false } = {}) {
    this.parts.list.replaceChildren();
    this.parts.plan.textContent = "";
    this.section.classList.remove("advised");
    for (const button of Object.values(this.buttons)) button.disabled = isOver;
    if (isOver) this.stop();
  }

  async advise() {
    const advice = await this.#thinking(this.deeds.advise());
    // A slow agent may have advised on a position that is past.
    if (!advice || advice.revision !== this.deeds.view().revision) return;
    // A model may draw lots, and is asked what it favours; by values, what it would do is meant.
    const drawsLots = advice.measure === "probability";
    const lead = (drawsLots && advice.favoured[0]) || advice.moves[0];
    if (advice.favoured.length) this.#showRatings(advice, lead);
    else this.#showMove(lead);
    this.parts.plan.textContent = planWords(advice.moves, lead);
    this.section.classList.add("advised");
    this.deeds.point(lead.from, lead.to);
    this.deeds.say(`${this.name} favours ${moveWords(lead)}`);
  }

  /** Show the moves that the agent rates highest, as bars. */
  #showRatings({ measure, favoured }, { move }) {
    const section = this.section.querySelector(".ratings");
    this.#ratings ??= new Ratings(section, measure, this.deeds.point);
    this.#ratings.show({ favoured, move });
  }

  /** Show the move of an agent that rates nothing. */
  #showMove({ move, from }) {
    const card = cardsOf(this.deeds.view().position.piles[from] ?? "").at(-1);
    const row = htmlElement("li", "chosen", htmlElement("span", "text", move));
    if (card) row.append(cardTag(card));
    this.parts.list.replaceChildren(row);
  }

  async moveOnce() {
    this.stop();
    await this.#thinking(this.deeds.move());
  }

  toggle() {
    if (this.isPlaying) this.stop();
    else this.#start();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#showPlaying();
  }

  /** Show that the agent is at work until a promise is kept. */
  async #thinking(promise) {
    this.section.setAttribute("aria-busy", true);
    try {
      return await promise;
    } finally {
      this.section.setAttribute("aria-busy", false);
    }
  }

  #start() {
    this.#seen.clear();
    this.#schedule(0);
    this.#showPlaying();
  }

  #schedule(milliseconds) {
    this.#timer = setTimeout(() => this.#step(), milliseconds);
  }

  async #step() {
    const began = performance.now();
    const couldMove = await this.#thinking(this.deeds.move());
    if (!this.isPlaying) return; // stopped meanwhile
    if (!couldMove || this.#goesRound()) this.stop();
    else this.#schedule(Math.max(1000 / this.#speed - (performance.now() - began), 0));
  }

  /** Return whether nothing can be drawn any more and the table was the same before. */
  #goesRound() {
    const { position } = this.deeds.view();
    if (position.stock) return false;
    const table = JSON.stringify(position.piles);
    const isOld = this.#seen.has(table);
    this.#seen.add(table);
    if (isOld) this.deeds.say("The agent goes round in circles, and was stopped.", { isNotice: true });
    return isOld;
  }

  #showSpeed() {
    const words = `${this.#speed} a second`;
    this.parts.speed.setAttribute("aria-valuetext", `${this.#speed} moves a second`);
    this.parts.pace.textContent = words;
  }

  #showPlaying() {
    const { play } = this.buttons;
    play.setAttribute("aria-pressed", this.isPlaying);
    play.querySelector(".label").textContent = this.isPlaying ? "Stop" : "Play on";
  }
}

/** Return what the agent would play after the move that it favours. */
function planWords([first, ...others], lead) {
  if (first.move !== lead.move) return `It draws lots; this time it would play ${first.move}.`;
  if (!others.length) return "";
  const next = others.slice(0, LONGEST_PLAN).map(({ move }) => move).join(", ");
  return `then ${next}${others.length > LONGEST_PLAN ? " …" : ""}`;
}

/** Return a move as it is said. */
function moveWords({ move, from, to }) {
  return move === "draw" ? "a draw" : `${placeWords(from)} to ${placeWords(to)}`;
}
