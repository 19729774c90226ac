"use strict";
// Cards as pictures and as words. A card is two letters, rank and suit, such as "TD".

const SVG = "http://www.w3.org/2000/svg";
const SUIT_SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };

/** Return a new SVG element with attributes. */
function svgElement(name, attributes = {}, children = []) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Return a new HTML element of a class, with text or elements inside. */
function htmlElement(name, className = "", ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

function symbol(name, x, y, size, className = "") {
  return svgElement("use", {
    href: `#qv-${name}`, x, y, width: size, height: size, class: className,
  });
}

/** Return a rank as it is printed: "10" for T. */
function rankLabel(card) {
  return card[0] === "T" ? "10" : card[0];
}

/** Return a card as people write it, such as "10♦". */
function cardLabel(card) {
  return rankLabel(card) + SUIT_SIGNS[card[1]];
}

/** Return a card's face: rank and suit along the top, so that covered cards can be read. */
function cardFace(card) {
  const [rank, suit] = card;
  const label = svgElement("text", { x: 7, y: 37, "font-size": 40, class: "index" });
  label.textContent = rankLabel(card);
  if (rank === "T") { // two digits get no more room than any font leaves them
    label.setAttribute("textLength", 44);
    label.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
  const parts = [label, symbol(suit, 60, 8, 32, "corner")];
  if ("JQK".includes(rank)) {
    parts.push(
      svgElement("rect", { x: 20, y: 47, width: 60, height: 84, rx: 6, class: "frame" }),
      symbol(rank, 30, 49, 40, "hat"),
      symbol(suit, 32, 92, 36),
    );
  } else {
    parts.push(symbol(suit, 21, 58, 58));
  }
  return svgElement("svg", { viewBox: "0 0 100 140", "aria-hidden": "true" }, parts);
}

/** Return a small tag of a card, as in lists. */
function cardTag(card) {
  const sign = svgElement("svg", { class: "suit", viewBox: "0 0 1 1", "aria-hidden": "true" }, [
    symbol(card[1], 0, 0, 1),
  ]);
  const tag = htmlElement("span", `tag suit-${card[1]}`, rankLabel(card), sign);
  tag.setAttribute("role", "img");
  tag.setAttribute("aria-label", cardLabel(card));
  return tag;
}

/** Return the cards of a pile's text, bottom card first. */
function cardsOf(text) {
  return text.match(/../g) ?? [];
}
