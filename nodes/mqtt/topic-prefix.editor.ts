// Checks a topic prefix as the runtime does, so that a mistake shows in the dialog.

/** One level or several, without wildcards; ${NAME} is replaced at runtime. */
export const topicPrefix: EditorValidator = (value, options) => {
  // A flow file may lack the property: the node then uses the default.
  if (value === undefined) return true;
  const text = typeof value === "string" ? value : "";
  const isTopic = !/^\$(?!\{)/.test(text) && text.split("/").every((level) => /^[^+#\p{C}]+$/u.test(level));
  return isTopic || mqttText("validator.topicPrefix", { label: options?.label ?? "" });
};

/** A text from the catalogue of this node. */
export function mqttText(key: string, values?: Record<string, string>): string {
  return RED._(`@energy-sites/node-red/mqtt:${key}`, values);
}
