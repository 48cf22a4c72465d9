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

/** The text of the row's label. The editor fills in the label only after oneditprepare. */
export function labelText(field: JQuery): string {
  const key = String(rowOf(field).children("label").first().attr("data-i18n"));
  return RED._(key.replace(/^\[\w+\]/, ""));
}
