// Registers alerts in the editor.
import { ALERTS } from "./settings";
import { allSites, siteOf, title, titleIn } from "../shared/editor/canvas";
import { followFields } from "../shared/editor/dialog/fields";
import { siteNode } from "../shared/editor/palette-node";

/** The severities of the service. */
const KNOWN = ["HIGH", "MEDIUM", "LOW"];
const LIST = "#energy-severities";
const ERROR = "#energy-severities-error";

const node = siteNode(ALERTS, {
  outputs: ["alerts"],
  label: (one) => {
    const site = one["scope"] === "site" ? siteOf(one) : allSites();
    return title(one, titleIn(one, "output", ["changes"]), site);
  },
  prepare: showSeverities,
  save: saveSeverities,
});

RED.nodes.registerType("energy-alerts", {
  color: "#6DBB96",
  icon: "energy-alert.svg",
  outputs: 1,
  ...node,
});

/** A check box for each severity of the service, and for any other that the flow already lists. An empty list passes every severity. */
function showSeverities(one: EditorNode): void {
  const stored = storedSeverities(one);
  for (const name of new Set([...stored, ...KNOWN])) {
    const isPassed = stored.length === 0 || stored.includes(name);
    const box = $("<input>", { type: "checkbox" }).val(name).prop("checked", isPassed);
    const text = KNOWN.includes(name) ? one._(`option.severity.${name.toLowerCase()}`) : name;
    $("<label>").append(box, document.createTextNode(text)).appendTo(LIST);
  }
  followFields(one, () => void $(ERROR).toggle(selectedSeverities().length === 0));
}

/** In the stored order, and empty as before for all: saving an unchanged dialog does not mark the node as changed. */
function saveSeverities(one: EditorNode): void {
  const names = selectedSeverities();
  if (storedSeverities(one).length > 0 || names.length < KNOWN.length) one["severities"] = names;
}

function selectedSeverities(): string[] {
  return $(`${LIST} :checked`)
    .toArray()
    .map((box) => String($(box).val()));
}

function storedSeverities(one: EditorNode): string[] {
  const stored = one["severities"];
  return Array.isArray(stored) ? stored.map(String) : [];
}
