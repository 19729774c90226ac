"use strict";
// The moves of the game in text; a click on one goes there.

class MoveList {
  #rows;
  #current = null;

  /** Fill a list with plies (see view.py); `go(ply)` is called when one is chosen. */
  constructor(list, plies, scores, go) {
    this.list = list;
    this.#rows = plies.map((ply, k) => moveRow(k + 1, ply, scores[k + 1]));
    list.replaceChildren(...this.#rows.map((row) => htmlElement("li", "", row)));
    list.addEventListener("click", (event) => {
      const row = event.target.closest("button");
      if (row) go(Number(row.dataset.ply));
    });
  }

  /** Mark the ply that led to the position shown, and bring it into view. */
  show(ply) {
    if (this.#current) {
      this.#current.removeAttribute("aria-current");
      this.#current.tabIndex = -1;
    }
    this.#current = this.#rows[ply - 1] ?? null;
    if (!this.#current) {
      this.list.scrollTop = 0;
      return;
    }
    this.#current.setAttribute("aria-current", "step");
    this.#current.tabIndex = 0;
    // Not scrollIntoView, which would scroll the page as well.
    const { offsetTop, offsetHeight } = this.#current;
    this.list.scrollTop = offsetTop - (this.list.clientHeight - offsetHeight) / 2;
  }
}

function moveRow(number, ply, score) {
  const row = htmlElement(
    "button", "move",
    htmlElement("span", "number", `${number}`),
    htmlElement("span", "text", ply.move),
    cardTag(ply.card),
    htmlElement("span", ply.gain < 0 ? "gain loss" : "gain", gainLabel(ply.gain)),
    htmlElement("span", "score", `${score}`),
  );
  row.type = "button";
  row.tabIndex = -1; // of the whole list, only the current move is a stop for the tab key
  row.dataset.ply = number;
  return row;
}

function gainLabel(gain) {
  if (!gain) return "";
  return gain > 0 ? `+${gain}` : `−${-gain}`;
}
