"use strict";
// What the agent thought of its choices at a position, as bars.

const TITLES = {
  probability: "Agent’s probabilities here",
  value: "Agent’s values here",
};
const VALUE_DIGITS = 4;

class Ratings {
  /** Use a section with a heading and a list; `point(from, to)` shows a move on the board. */
  constructor(section, measure, point) {
    this.measure = measure;
    this.list = section.querySelector("ol");
    section.querySelector("h2").textContent = TITLES[measure];
    section.hidden = false;
    const aim = (event) => {
      const row = event.target.closest("li");
      if (row) point(row.dataset.from ?? null, row.dataset.to ?? null);
    };
    this.list.addEventListener("pointerover", aim);
    this.list.addEventListener("pointerleave", () => point(null, null));
  }

  /** Show the favoured moves of a ply that is about to be made; nothing for undefined. */
  show(ply) {
    const favoured = ply?.favoured ?? [];
    const numbers = favoured.map(({ number }) => number);
    this.list.replaceChildren(
      ...favoured.map((choice) => this.#row(choice, ply.move === choice.move, numbers)),
    );
    if (!favoured.length) {
      const why = ply ? "nothing recorded at this ply" : "the game is over";
      this.list.append(htmlElement("li", "none", why));
    }
  }

  #row(choice, isChosen, numbers) {
    const bar = htmlElement("span", "fill");
    bar.style.width = `${100 * this.#share(choice.number, numbers)}%`;
    const row = htmlElement(
      "li", isChosen ? "chosen" : "",
      htmlElement("span", "text", choice.move),
      htmlElement("span", "track", bar),
      htmlElement("span", "value", this.#label(choice.number)),
    );
    if (choice.from) Object.assign(row.dataset, { from: choice.from, to: choice.to });
    if (isChosen) row.append(htmlElement("span", "unseen", "chosen"));
    return row;
  }

  /**
   * Return a bar's length in [0, 1]. The highest value has a full bar; the others are shown from
   * zero, or from the lowest if that is negative.
   */
  #share(number, numbers) {
    if (this.measure === "probability") return number;
    const low = Math.min(...numbers, 0);
    const high = Math.max(...numbers);
    return high > low ? (number - low) / (high - low) : 1;
  }

  #label(number) {
    if (this.measure === "value") return `${Number(number.toPrecision(VALUE_DIGITS))}`.replace("-", "−");
    return `${(100 * number).toFixed(1)}%`;
  }
}
