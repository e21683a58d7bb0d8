/* Names as they stand in the pages: long ones break where those that Python writes do (show/_breaks.py), no line ends
   behind a sign, behind a single letter and its hyphen, or inside a date (see _page.py), and no name turns the text around it. */
const nameElement = (() => {
"use strict";
const PLACES = /([_.\/\\:]|(?<!(?<![\p{L}\p{N}_])\p{L})-)(?!(?<=\d[.\/:-])\d)(?=[^_.\/\\:\s-])|([a-z0-9])(?=[A-Z])/gu;
const COMPARED = /(^|\s)([≤≥<>] \S{1,16}(?: (?!(?:or|and)\b)\S{1,8}(?!\S))?)/;
const NOT_BROKEN = /((?<![\p{L}\p{N}_-])\p{L}-[\p{L}\p{N}_]{1,16}|(?<![\d\/-])\d{1,4}(?:[\/-]\d{1,4}){1,2}(?![\d\/-]))/u;
const whole = (text) => {
  const made = document.createElement("span");
  made.className = "whole";
  made.append(text);
  return made;
};
/* The parts of a text between two breaks; every second one is not broken. */
const parts = (piece, pattern) => piece.split(pattern).map((part, k) => (k % 2 ? whole(part) : part));

return (text) => {
  const made = document.createElement("bdi");
  const words = String(text).split(/(\s+)/).map((word) => (word.length > 12 ? word.replace(PLACES, "$&\n") : word));
  words.join("").split("\n").forEach((piece, k) => {
    if (k) made.append(document.createElement("wbr"));
    const compared = COMPARED.exec(piece);
    if (compared === null) {
      made.append(...parts(piece, NOT_BROKEN));
      return;
    }
    const at = compared.index + compared[1].length;
    made.append(...parts(piece.slice(0, at), NOT_BROKEN), whole(compared[2]), ...parts(piece.slice(at + compared[2].length), NOT_BROKEN));
  });
  return made;
};
})();
