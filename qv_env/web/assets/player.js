"use strict";
// Time: which ply is shown, and how fast it moves on.

const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32]; // plies a second
const FIRST_SPEED = 4;

class Player {
  #timer = null;
  #due = 0; // when the next ply is to be shown
  ply = 0;
  speed = FIRST_SPEED;

  /** Play a game of some plies; `changed({isStep})` is called when ply, speed or state do. */
  constructor(plies, changed) {
    this.plies = plies;
    this.changed = changed;
  }

  get isPlaying() {
    return this.#timer !== null;
  }

  /** Go to a ply, or to the nearest end of the game. */
  go(ply) {
    const from = this.ply;
    this.ply = Math.min(Math.max(ply, 0), this.plies);
    this.changed({ isStep: Math.abs(this.ply - from) <= 1 });
  }

  /** Play on, from the start if the game is at its end. */
  play() {
    if (this.isPlaying || !this.plies) return;
    if (this.ply === this.plies) this.go(0);
    this.#due = performance.now();
    this.#schedule();
    this.changed({ isStep: true });
  }

  pause() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.changed({ isStep: true });
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  /** Take the next faster (1) or slower (-1) speed. */
  shift(by) {
    const next = SPEEDS[SPEEDS.indexOf(this.speed) + by];
    if (next) this.setSpeed(next);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.#due = performance.now();
    if (this.isPlaying) this.#schedule();
    this.changed({ isStep: true });
  }

  #schedule() {
    clearTimeout(this.#timer);
    const now = performance.now();
    // Counted from when the last ply was due, so that time spent on drawing does not add up.
    this.#due = Math.max(this.#due + 1000 / this.speed, now);
    this.#timer = setTimeout(() => {
      this.#schedule();
      this.go(this.ply + 1);
      if (this.ply === this.plies) this.pause();
    }, this.#due - now);
  }
}
