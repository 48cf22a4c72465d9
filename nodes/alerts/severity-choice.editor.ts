// Check boxes for the severities to pass: those of the service, and any other that the flow already lists.

const KNOWN = ["LOW", "MEDIUM", "HIGH"];
const LIST = "#energy-severities";

export function showSeverities(node: EditorNode): void {
  const stored = storedSeverities(node);
  for (const name of new Set([...KNOWN, ...stored])) {
    const box = $("<input>", { type: "checkbox" }).val(name).prop("checked", stored.includes(name));
    $("<label>").append(box, document.createTextNode(name)).appendTo(LIST);
  }
}

/** Keeps the stored order, so that saving an unchanged dialog does not mark the node as changed. */
export function saveSeverities(node: EditorNode): void {
  const selected = $(`${LIST} :checked`)
    .toArray()
    .map((box) => String($(box).val()));
  const kept = storedSeverities(node).filter((name) => selected.includes(name));
  node["severities"] = [...new Set([...kept, ...selected])];
}

function storedSeverities(node: EditorNode): string[] {
  const stored = node["severities"];
  return Array.isArray(stored) ? stored.map(String) : [];
}
