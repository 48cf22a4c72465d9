// Moves the focus to a field once its dialog has come to rest.

const INTERVAL = 50;
const ATTEMPTS = 60;

/**
 * Does nothing if the user has gone on to another text field in the meantime.
 * @param from the field that may lose the focus
 */
export function focusAtRest(input: JQuery, from = $(), attempts = ATTEMPTS, before?: number): void {
  const element = input[0];
  const place = element?.getBoundingClientRect();
  if (!element || !place || attempts === 0) return;
  if (place.left !== before || !isOnTop(element, place)) {
    setTimeout(() => focusAtRest(input, from, attempts - 1, place.left), INTERVAL);
  } else if (from.is(":focus") || !$(document.activeElement ?? document.body).is("input, textarea")) {
    element.focus();
  }
}

function isOnTop(element: Element, { left, top, width, height }: DOMRect): boolean {
  return width > 0 && document.elementFromPoint(left + width / 2, top + height / 2) === element;
}
