"use strict";
// What mouse, pen and finger do on the table: taps, double clicks, and dragging.

const DRAG_STARTS_AT = 6; // pixels
const DOUBLE_CLICK = 260; // milliseconds
const LIFT = 0.6; // of a card's height, so that the finger does not hide it
const ENOUGH_OVERLAP = 0.35; // of a card, for a place that accepts it to be meant

class Gestures {
  #press = null; // {id, place, element, isTop, x, y, isDrag}
  #waiting = null; // a tap that may become a double click: {place, timer}
  #answered = { place: null, at: -Infinity }; // a tap that was answered at once

  /**
   * Listen on a board. `deeds` has `targets(place)`, `tap(place)`, `doubleTap(place)`,
   * `drop(source, target)`, whose promise is waited for, and `covered()`.
   */
  constructor(board, deeds) {
    this.board = board;
    this.deeds = deeds;
    const { root } = board;
    root.addEventListener("pointerdown", (event) => this.#down(event));
    root.addEventListener("pointermove", (event) => this.#move(event));
    root.addEventListener("pointerup", (event) => this.#up(event));
    root.addEventListener("pointercancel", () => this.cancel());
    root.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  get isDragging() {
    return Boolean(this.#press?.isDrag);
  }

  /** Forget what was begun; a dragged card glides back. */
  cancel() {
    if (this.isDragging) this.#release(this.#press.element);
    this.#press = null;
  }

  #down(event) {
    if (!event.isPrimary || event.button !== 0 || this.#press) return;
    const hit = this.#hit(event);
    if (!hit) return;
    const { place } = hit.dataset;
    const top = this.board.topOf(place);
    const element = isInFlight(top) ? top : hit; // a card that is about to land counts as landed
    const isTop = top === element;
    const { pointerId: id, clientX: x, clientY: y } = event;
    this.#press = { id, place, element, isTop, x, y, isDrag: false };
    this.board.root.setPointerCapture(id);
  }

  /** Return the card or slot that was pressed; not a card that flies past on its way elsewhere. */
  #hit({ clientX, clientY }) {
    const table = this.board.root.getBoundingClientRect();
    const isThere = (element) =>
      !isInFlight(element) || contains(this.#zone(element.dataset.place, table), clientX, clientY);
    return document.elementsFromPoint(clientX, clientY)
      .map((element) => element.closest(".card, .slot"))
      .find((element) => element?.dataset.place && isThere(element));
  }

  #move(event) {
    const press = this.#press;
    if (!press || event.pointerId !== press.id) return;
    const [dx, moved] = [event.clientX - press.x, event.clientY - press.y];
    const dy = moved - (event.pointerType === "touch" ? LIFT * press.element.offsetHeight : 0);
    if (!press.isDrag) {
      const canDrag = press.isTop && press.element.matches(".card");
      if (!canDrag || Math.hypot(dx, moved) < DRAG_STARTS_AT) return;
      this.#beginDrag(press);
    }
    setProperties(press.element, { dx: `${dx}px`, dy: `${dy}px` });
    const target = this.#targetUnder(press, event);
    for (const place of this.deeds.targets(press.place)) {
      mark(this.board, place, "over", place === target);
    }
  }

  #beginDrag(press) {
    press.isDrag = true;
    press.element.classList.add("dragged");
    for (const place of this.deeds.targets(press.place)) mark(this.board, place, "accepts", true);
  }

  async #up(event) {
    const press = this.#press;
    if (!press || event.pointerId !== press.id) return;
    this.#press = null;
    if (!press.isDrag) {
      const { clientX, clientY } = event;
      const isClick = Math.hypot(clientX - press.x, clientY - press.y) < DRAG_STARTS_AT;
      if (isClick) this.#clicked(press);
      return;
    }
    const target = this.#targetUnder(press, event);
    try {
      if (target && target !== press.place) await this.deeds.drop(press.place, target);
    } finally {
      this.#release(press.element);
    }
  }

  /** Let go of a dragged card, which glides to where the board has it. */
  async #release(element) {
    for (const lit of this.board.root.querySelectorAll(".accepts, .over")) {
      lit.classList.remove("accepts", "over");
    }
    element.classList.remove("dragged");
    element.classList.add("returning");
    setProperties(element, { dx: "0px", dy: "0px" });
    await whenStill(element);
    element.classList.remove("returning");
  }

  #clicked({ place, isTop }) {
    if (!isTop) {
      this.deeds.covered();
      return;
    }
    if (this.#waiting?.place === place) {
      clearTimeout(this.#waiting.timer);
      this.#waiting = null;
      this.deeds.doubleTap(place);
      return;
    }
    this.#tapWaiting();
    const now = performance.now();
    // The second click of a double click whose first was answered already means nothing more.
    const isEcho = this.#answered.place === place && now - this.#answered.at < DOUBLE_CLICK;
    if (isEcho) return;
    if (place === "stock") {
      this.deeds.tap(place);
    } else if (place[0] === "f" || this.deeds.targets(place).some((target) => target[0] === "f")) {
      // Tap and double click mean the same here, so there is nothing to wait for.
      this.#answered = { place, at: now };
      this.deeds.tap(place);
    } else {
      this.#waiting = { place, timer: setTimeout(() => this.#tapWaiting(), DOUBLE_CLICK) };
    }
  }

  /** Take a tap that has been waiting for a second one for what it is. */
  #tapWaiting() {
    if (!this.#waiting) return;
    const { place, timer } = this.#waiting;
    clearTimeout(timer);
    this.#waiting = null;
    this.deeds.tap(place);
  }

  /** Return the place that a dragged card is over, or null. */
  #targetUnder(press, { clientX, clientY, pointerType }) {
    const card = press.element.getBoundingClientRect();
    // A finger lies below the card that it drags.
    const y = pointerType === "touch" ? (card.top + card.bottom) / 2 : clientY;
    const table = this.board.root.getBoundingClientRect();
    const zones = [...GRID.keys()].map((place) => ({ place, ...this.#zone(place, table) }));
    const shares = zones.map((zone) => ({ place: zone.place, share: overlap(zone, card) }));
    const accepting = this.deeds.targets(press.place);
    const meant = shares
      .filter(({ place, share }) => accepting.includes(place) && share >= ENOUGH_OVERLAP)
      .sort((a, b) => b.share - a.share)[0];
    const under = zones.find((zone) => contains(zone, clientX, y))?.place;
    if (under && (accepting.includes(under) || under === press.place)) return under;
    if (meant) return meant.place;
    if (under) return under;
    const most = shares.reduce((a, b) => (b.share > a.share ? b : a));
    return most.share > 0 ? most.place : null;
  }

  /** Return where a card dropped counts as dropped on a place: columns reach to the bottom. */
  #zone(place, table) {
    const { left, right, top, bottom } = this.board.slotOf(place).getBoundingClientRect();
    const margin = (right - left) * 0.06;
    return {
      left: left - margin,
      right: right + margin,
      top: top - margin,
      bottom: place[0] === "t" ? Math.max(table.bottom, bottom) : bottom + margin,
    };
  }
}

function isInFlight(element) {
  return element.getAnimations().some((animation) => animation.transitionProperty === "transform");
}

/** Set or take away a class on the top card of a place, or on its empty slot. */
function mark(board, place, name, isSet) {
  board.topOf(place).classList.toggle(name, isSet);
}

function contains({ left, right, top, bottom }, x, y) {
  return x >= left && x <= right && y >= top && y <= bottom;
}

/** Return which share of a card lies in a zone. */
function overlap(zone, card) {
  const width = Math.min(zone.right, card.right) - Math.max(zone.left, card.left);
  const height = Math.min(zone.bottom, card.bottom) - Math.max(zone.top, card.top);
  return (Math.max(width, 0) * Math.max(height, 0)) / (card.width * card.height);
}
