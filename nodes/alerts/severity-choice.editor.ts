// Check boxes for the severities to pass: those of the service, and any other that the flow already lists.

/** The severities of the service, with their texts in the catalogue. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ["HIGH", "option.severity.high"],
  ["MEDIUM", "option.severity.medium"],
  ["LOW", "option.severity.low"],
]);
const LIST = "#energy-severities";
const ERROR = "#energy-severities-error";

export function showSeverities(node: EditorNode): void {
  const stored = storedSeverities(node);
  for (const name of new Set([...KNOWN.keys(), ...stored])) {
    const box = $("<input>", { type: "checkbox" }).val(name).prop("checked", passes(stored, name));
    const key = KNOWN.get(name);
    $("<label>")
      .append(box, document.createTextNode(key ? node._(key) : name))
      .appendTo(LIST);
  }
  const update = (): void => void $(ERROR).toggle(selected().length === 0);
  $(LIST).on("change", update);
  update();
}

/** Keeps the stored list if its meaning is the same, so that saving an unchanged dialog does not mark the node as changed. */
export function saveSeverities(node: EditorNode): void {
  const stored = storedSeverities(node);
  const names = selected();
  if (stored.length === 0 && [...KNOWN.keys()].every((name) => names.includes(name))) return;
  const kept = stored.filter((name) => names.includes(name));
  node["severities"] = [...new Set([...kept, ...names])];
}

/** An empty list passes every severity. */
function passes(stored: readonly string[], name: string): boolean {
  return stored.length === 0 || stored.includes(name);
}

function selected(): string[] {
  return $(`${LIST} :checked`)
    .toArray()
    .map((box) => String($(box).val()));
}

function storedSeverities(node: EditorNode): string[] {
  const stored = node["severities"];
  return Array.isArray(stored) ? stored.map(String) : [];
}
