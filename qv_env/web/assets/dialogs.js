"use strict";
// Windows over the table: the code of a deal, and how to play.

/** Open and close a dialog by buttons; a click beside it closes it as well. */
function setUpDialog(dialog) {
  for (const button of dialog.querySelectorAll("[data-close]")) {
    button.addEventListener("click", () => dialog.close());
  }
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}

class CodeDialog {
  /** `deal(text)` begins that deal's game; what it throws is shown. */
  constructor(dialog, deal) {
    this.dialog = dialog;
    this.input = dialog.querySelector("input");
    this.fault = dialog.querySelector(".fault");
    setUpDialog(dialog);
    dialog.querySelector("form").addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        await deal(this.input.value);
        dialog.close();
      } catch (error) {
        this.#complain(error.message);
      }
    });
    this.input.addEventListener("input", () => this.#complain(""));
  }

  open() {
    this.input.value = "";
    this.#complain("");
    this.dialog.showModal();
  }

  #complain(text) {
    this.fault.textContent = text;
    this.input.setAttribute("aria-invalid", Boolean(text));
  }
}
