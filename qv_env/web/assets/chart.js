"use strict";
// The curve of the score over the game, with a line where the replay stands.

class ScoreChart {
  #marker = svgElement("line", { class: "marker", "vector-effect": "non-scaling-stroke" });

  /** Draw the curve of some scores, one a position; `go(ply)` is called where it is pressed. */
  constructor(svg, scores, go) {
    const end = Math.max(scores.length - 1, 1);
    const summit = scores.reduce((a, b) => Math.max(a, b), 1);
    const points = scores.map((score, ply) => `${ply},${summit - score}`);
    const line = `M${points.join("L")}`;
    svg.setAttribute("viewBox", `0 0 ${end} ${summit}`);
    svg.replaceChildren(
      svgElement("path", { class: "area", d: `${line}V${summit}H0Z` }),
      svgElement("path", { class: "curve", d: line, "vector-effect": "non-scaling-stroke" }),
      this.#marker,
    );
    this.#marker.setAttribute("y2", summit);
    const seek = (event) => {
      const { left, width } = svg.getBoundingClientRect();
      go(Math.round((end * (event.clientX - left)) / width));
    };
    svg.addEventListener("pointerdown", (event) => {
      svg.setPointerCapture(event.pointerId);
      seek(event);
    });
    svg.addEventListener("pointermove", (event) => {
      if (svg.hasPointerCapture(event.pointerId)) seek(event);
    });
  }

  /** Move the line to a ply. */
  show(ply) {
    this.#marker.setAttribute("x1", ply);
    this.#marker.setAttribute("x2", ply);
  }
}
