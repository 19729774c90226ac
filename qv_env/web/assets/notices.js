"use strict";
// Sentences: over the table for all, and for those who listen rather than look.

const NOTICE_LASTS = 7000; // milliseconds

class Notices {
  #timer = null;

  /** Use a box with a text and a button in it, and an element that is read aloud. */
  constructor(box, said) {
    this.box = box;
    this.text = box.querySelector("span");
    this.offer = box.querySelector("button");
    this.said = said;
  }

  /**
   * Show a sentence of a kind: "refusal", "info", or "end", which stays until something happens.
   * `offer` is what can be done about it, a text and what to run.
   */
  show(kind, text, offer = null) {
    clearTimeout(this.#timer);
    this.box.className = `notice ${kind} on`;
    this.text.textContent = text;
    this.offer.hidden = !offer;
    this.offer.textContent = offer?.text ?? "";
    this.offer.onclick = offer?.run ?? null;
    if (kind !== "end") this.#timer = setTimeout(() => this.hide(), NOTICE_LASTS);
  }

  hide() {
    clearTimeout(this.#timer);
    this.box.classList.remove("on");
    this.text.textContent = "";
    this.offer.hidden = true;
  }

  say(text) {
    this.said.textContent = text;
  }
}
