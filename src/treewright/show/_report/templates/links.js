/* On a phone the links are wider than the window: the one with the focus is brought into it. */
document.querySelector("nav").addEventListener("focusin", ({ target }) => {
  const list = target.closest("ul");
  list.scrollLeft = target.offsetLeft - (list.clientWidth - target.offsetWidth) / 2;
});
