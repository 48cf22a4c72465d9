// Checks a topic that others are made under: as the runtime does, so that a mistake shows in the dialog.

/** One level or several, without wildcards; ${NAME} is filled in where the flow runs. */
export const topicPrefix: EditorValidator = (value, options) => {
  // A flow may lack the property: the node then takes its default.
  if (value === undefined) return true;
  const text = typeof value === "string" ? value : "";
  const isTopic = !/^\$(?!\{)/.test(text) && text.split("/").every((level) => /^[^+#\p{C}]+$/u.test(level));
  return isTopic || mqttText("validator.topicPrefix", { label: options?.label ?? "" });
};

/** A text of this node's own catalogue. */
export function mqttText(key: string, values?: Record<string, string>): string {
  return RED._(`@energy-sites/node-red/mqtt:${key}`, values);
}
