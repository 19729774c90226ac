"use strict";
// The table: shows positions that it is given, and knows no rule of the game.

const COLUMNS = Array.from({ length: 10 }, (_, k) => `t${k + 1}`);
const FOUNDATIONS = Array.from({ length: 8 }, (_, k) => `f${k + 1}`);
const FOUNDATION_SUITS = "SHDCSHDC";
const PILES = [...FOUNDATIONS, "w", ...COLUMNS];
const GRID = new Map([
  ...FOUNDATIONS.map((place, x) => [place, { x, row: 0 }]),
  ["stock", { x: 8, row: 0 }],
  ["w", { x: 9, row: 0 }],
  ...COLUMNS.map((place, x) => [place, { x, row: 1 }]),
]);
const SHOWN_OF_A_STACK = 2; // its top card, and the one that shows while that glides
const ABOVE_ALL = 100;

class Board {
  #cloth = htmlElement("div", "cloth");
  #slots = new Map();
  #cards = []; // {element, card, place, level, height}
  #laid = new WeakMap(); // where each element lies, to leave alone those that stay
  #hasNew = false; // whether cards came from the stock that no browser has laid out yet
  #stockCount = htmlElement("span", "count");
  #stock = 0;

  /** Build an empty table in an element of the class `board`; a picture, unless it has a role. */
  constructor(root) {
    this.root = root;
    if (!root.hasAttribute("role")) root.setAttribute("role", "img");
    for (const [place, { x, row }] of GRID) {
      const slot = htmlElement("div", place === "stock" ? "slot stock" : "slot");
      slot.dataset.place = place;
      setProperties(slot, { x, row });
      if (place[0] === "f") slot.append(suitSign(FOUNDATION_SUITS[x]));
      if (place === "stock") slot.append(this.#stockCount);
      this.#slots.set(place, slot);
      this.#cloth.append(slot);
    }
    root.replaceChildren(this.#cloth);
  }

  /** Keep room for columns of so many cards. */
  set tallest(count) {
    this.root.style.setProperty("--tallest", count);
  }

  /** Set how long a card moves, in milliseconds. */
  set glide(milliseconds) {
    this.root.style.setProperty("--glide", `${milliseconds}ms`);
  }

  /**
   * Show a position (see view.py). Cards that lie elsewhere than before glide there, unless
   * `still`; `moved` names the place whose top card is marked as the one that moved last.
   */
  show(position, { moved = null, still = false } = {}) {
    const wanted = PILES.flatMap((place) => {
      const pile = cardsOf(position.piles[place]);
      return pile.map((card, level) => ({ card, place, level, height: pile.length }));
    });
    const before = this.#cards;
    this.#cards = this.#match(wanted);
    const kept = new Set(this.#cards.map(({ element }) => element));
    const goBack = position.stock > this.#stock && !still;
    this.#cloth.classList.toggle("still", still);
    for (const { element } of before) {
      if (kept.has(element)) continue;
      if (goBack) this.#toStock(element);
      else element.remove();
    }
    this.#lay(moved);
    this.#stock = position.stock;
    this.#stockCount.textContent = position.stock || "";
    this.#slots.get("stock").classList.toggle("full", position.stock > 0);
    if (this.root.getAttribute("role") === "img") {
      this.root.setAttribute("aria-label", positionLabel(position));
    }
    this.point(null, null);
  }

  /** Outline the top card of one place and the places that it could go to; null for neither. */
  point(source, destinations) {
    for (const element of this.#cloth.querySelectorAll(".source, .target")) {
      element.classList.remove("source", "target");
    }
    if (source) this.topOf(source).classList.add("source");
    for (const place of [destinations].flat()) {
      if (place) this.topOf(place).classList.add("target");
    }
  }

  /** Return the element of the top card of a place, or of its slot if it has no card. */
  topOf(place) {
    const pile = this.#cards.filter((card) => card.place === place);
    return pile.length ? pile.at(-1).element : this.slotOf(place);
  }

  slotOf(place) {
    return this.#slots.get(place);
  }

  /** Return how many cards lie on a place, and how high its top card lies as the board counts. */
  heightOf(place) {
    return this.#cards.filter((card) => card.place === place).length;
  }

  /** Give every wanted card an element: its own if it stays, else that of an equal card. */
  #match(wanted) {
    const key = ({ card, place, level }) => `${card} ${place} ${level}`;
    const staying = new Map(this.#cards.map((old) => [key(old), old.element]));
    const free = new Map();
    const wantedKeys = new Set(wanted.map(key));
    for (const old of this.#cards) {
      if (wantedKeys.has(key(old))) continue;
      if (!free.has(old.card)) free.set(old.card, []);
      free.get(old.card).push(old.element);
    }
    return wanted.map((spot) => ({
      ...spot,
      element: staying.get(key(spot)) ?? free.get(spot.card)?.pop() ?? this.#fromStock(spot.card),
    }));
  }

  /** Return a new card that lies where the stock is. */
  #fromStock(card) {
    const element = htmlElement("div", `card suit-${card[1]}`, cardFace(card));
    element.dataset.card = card;
    setProperties(element, { ...GRID.get("stock"), level: 0, height: 1, z: ABOVE_ALL });
    this.#cloth.append(element);
    this.#hasNew = true;
    return element;
  }

  /** Let a card glide back to the stock, and take it away when it is there. */
  #toStock(element) {
    delete element.dataset.place;
    element.classList.remove("moved", "uppermost", "buried");
    setProperties(element, { ...GRID.get("stock"), level: 0, height: 1, z: ABOVE_ALL });
    whenStill(element).then(() => element.remove());
  }

  #lay(moved) {
    if (this.#hasNew) this.#cloth.getBoundingClientRect(); // so that they glide from the stock
    this.#hasNew = false;
    for (const { element, place, level, height } of this.#cards) {
      const { x, row } = GRID.get(place);
      const isColumn = row > 0;
      const isTop = level === height - 1;
      const isMoved = isTop && place === moved;
      const lies = `${place} ${level} ${height} ${isMoved}`;
      if (this.#laid.get(element) === lies) continue;
      this.#laid.set(element, lies);
      element.dataset.place = place;
      element.classList.toggle("moved", isMoved);
      element.classList.toggle("uppermost", isTop);
      element.classList.toggle("buried", !isColumn && level < height - SHOWN_OF_A_STACK);
      setProperties(element, {
        x, row,
        level: isColumn ? level : 0,
        height: isColumn ? height : 1,
        z: isMoved ? ABOVE_ALL : level + 1,
      });
    }
  }
}

/** Wait until an element moves no more; at once where nothing moves. */
function whenStill(element) {
  return Promise.allSettled(element.getAnimations().map((animation) => animation.finished));
}

function setProperties(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    element.style.setProperty(`--${name}`, value);
  }
}

function suitSign(suit) {
  return svgElement("svg", { viewBox: "0 0 1 1", "aria-hidden": "true" }, [
    symbol(suit, 0, 0, 1),
  ]);
}

/** Return a position in words, for those who cannot see it. */
function positionLabel(position) {
  const pile = (place) => cardsOf(position.piles[place]).map(cardLabel);
  const columns = COLUMNS.map((place) => `${place}: ${pile(place).join(" ") || "empty"}`);
  const tops = [...FOUNDATIONS, "w"].map((place) => `${place}: ${pile(place).at(-1) ?? "empty"}`);
  return `Table. Stock: ${position.stock}. ${tops.join(", ")}. ${columns.join("; ")}.`;
}
