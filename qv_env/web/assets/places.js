"use strict";
// The table by keyboard: one button for each place, where its top card lies. Mouse and finger
// pass through them to the cards.

const RANK_WORDS = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
const SUIT_WORDS = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const ROWS = [[...FOUNDATIONS, "stock", "w"], COLUMNS];

class Places {
  #buttons = new Map();
  #current = "t1";

  /** Put buttons on a board; `chosen(place, event)` is called when one is pressed. */
  constructor(board, chosen) {
    this.board = board;
    const cloth = board.slotOf("stock").parentElement;
    for (const place of ROWS.flat()) {
      const button = htmlElement("button", "place");
      button.type = "button";
      button.dataset.at = place;
      button.setAttribute("aria-pressed", false);
      button.tabIndex = place === this.#current ? 0 : -1;
      button.addEventListener("click", (event) => chosen(place, event));
      button.addEventListener("focus", () => this.#stopAt(place));
      button.addEventListener("keydown", (event) => this.#walk(event));
      this.#buttons.set(place, button);
      cloth.append(button);
    }
  }

  /** Say what lies where, and lay the buttons on the top cards. */
  show(view) {
    for (const [place, button] of this.#buttons) {
      const { x, row } = GRID.get(place);
      const height = row ? this.board.heightOf(place) : 0;
      setProperties(button, { x, row, level: Math.max(height - 1, 0), height: Math.max(height, 1) });
      button.setAttribute("aria-label", placeLabel(place, view));
    }
  }

  /** Mark the place whose card is held, or none. */
  hold(held) {
    for (const [place, button] of this.#buttons) {
      button.setAttribute("aria-pressed", place === held);
    }
  }

  focus(place) {
    this.#buttons.get(place).focus();
  }

  #stopAt(place) {
    this.#buttons.get(this.#current).tabIndex = -1;
    this.#buttons.get(place).tabIndex = 0;
    this.#current = place;
  }

  #walk(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const [across, down] = steps[event.key];
    const { x, row } = GRID.get(this.#current);
    const along = ROWS[Math.min(Math.max(row + down, 0), 1)];
    this.focus(along[(x + across + along.length) % along.length]);
  }
}

function cardWords(card) {
  return `${RANK_WORDS[card[0]] ?? card[0]} of ${SUIT_WORDS[card[1]]}`;
}

/** Return a place's name as it is said: "column 4", "foundation 2, hearts", "waste", "stock". */
function placeWords(place) {
  if (place === "w") return "waste";
  if (place === "stock") return "stock";
  const number = Number(place.slice(1));
  if (place[0] === "t") return `column ${number}`;
  return `foundation ${number}, ${SUIT_WORDS[FOUNDATION_SUITS[number - 1]]}`;
}

function placeLabel(place, view) {
  const name = placeWords(place);
  if (place === "stock") return `${name}, ${view.position.stock} cards; draws one`;
  const cards = cardsOf(view.position.piles[place]);
  if (!cards.length) return `${name}, empty`;
  const top = cardWords(cards.at(-1));
  const below = place[0] === "t" ? cards.slice(0, -1).reverse().map(cardWords) : [];
  const targets = targetsOf(view, place).map(placeWords);
  return [
    `${name}, ${top}`,
    below.length ? `below it ${below.join(", ")}` : "",
    targets.length ? `may go to ${targets.join("; ")}` : "",
  ].filter(Boolean).join("; ");
}

/** Return the places that accept the top card of a place, as the server said. */
function targetsOf(view, place) {
  const start = `${place}>`;
  return view.legal.filter((move) => move.startsWith(start)).map((move) => move.slice(start.length));
}
