"use strict";
// The card that is taken by keyboard, until it is put down.

class Hand {
  #held = null; // the place whose card is held

  /**
   * Take cards by a board's places. `deeds` has `view()`, `act(choose)`, `drop(source, target)`,
   * `complain(text)` and `say(text)`. What a key means is chosen when all that was asked before it
   * is done: an answer that comes late takes no card out of the hand.
   */
  constructor(board, places, deeds) {
    this.board = board;
    this.places = places;
    this.deeds = deeds;
  }

  get held() {
    return this.#held;
  }

  /** Take the card of a place, or put the one that is held there. */
  press(place) {
    this.deeds.act(() => this.#pressed(place));
  }

  /** Go to a place and press it. */
  goTo(place) {
    this.places.focus(place);
    this.press(place);
  }

  letGo() {
    this.#held = null;
    this.places.hold(null);
    this.board.point(null, null);
  }

  /** Send the card at hand to the first foundation that accepts it. */
  toFoundation() {
    const inFocus = placeInFocus();
    this.deeds.act(() => {
      const source = this.#held ?? inFocus;
      if (!source) return null;
      const target = targetsOf(this.deeds.view(), source).find((place) => place[0] === "f");
      return target ? { do: "push", move: `${source}>${target}` } : { do: "tap", place: source };
    });
  }

  /** Send the card at hand to its best place. */
  toBest() {
    const inFocus = placeInFocus();
    this.deeds.act(() => {
      const place = this.#held ?? inFocus;
      return place && { do: "double_tap", place };
    });
  }

  #pressed(place) {
    if (this.#held === place) this.letGo();
    else if (this.#held !== null) return this.deeds.drop(this.#held, place);
    else if (place === "stock") return { do: "tap", place };
    else if (this.#topCard(place)) this.#take(place);
    else this.deeds.complain(`There is no card on ${placeWords(place)}.`);
    return null;
  }

  #topCard(place) {
    return cardsOf(this.deeds.view().position.piles[place]).at(-1);
  }

  #take(place) {
    this.#held = place;
    this.places.hold(place);
    const targets = targetsOf(this.deeds.view(), place);
    this.board.point(place, targets);
    this.deeds.say(`Holding ${cardWords(this.#topCard(place))}. ${targetsWords(targets)}`);
  }
}

function placeInFocus() {
  return document.activeElement.dataset.at ?? null;
}

function targetsWords(targets) {
  return targets.length ? `It may go to ${targets.map(placeWords).join("; ")}.` : "No place accepts it.";
}
