// Finds what the user sees and focuses in place of a field that the editor has hidden or wrapped.

/** The widget of a typed input; the select and the buttons of a config node; or else the field itself. */
export function controlOf(field: JQuery): JQuery {
  const typedInput = field.next(".red-ui-typedInput-container");
  if (typedInput.length > 0) return typedInput;
  return field.siblings("a.red-ui-button").length > 0 ? field.parent() : field;
}

/** The input element that takes the focus. */
export function inputOf(field: JQuery): JQuery {
  const typed = field.next(".red-ui-typedInput-container").find(".red-ui-typedInput-input");
  return typed.length > 0 ? typed : field;
}

export function rowOf(field: JQuery): JQuery {
  return field.closest(".form-row");
}

/** The label of the row, without its icon. */
export function labelOf(field: JQuery): JQuery {
  return rowOf(field).children("label").first();
}
