// Registers alerts in the editor.
import { ALERTS } from "./settings";
import { allSites, hasSite, runButton, title } from "../shared/editor/canvas";
import { outputLabels, paletteNode, prepareSiteNode } from "../shared/editor/palette-node";
import { account, oneSite, properties } from "../shared/editor/settings";
import { sharedText } from "../shared/editor/texts";

/** The severities of the service, with their texts in the catalogue. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ["HIGH", "option.severity.high"],
  ["MEDIUM", "option.severity.medium"],
  ["LOW", "option.severity.low"],
]);
const LIST = "#energy-severities";
const ERROR = "#energy-severities-error";

RED.nodes.registerType("energy-alerts", {
  category: "energy sites",
  color: "#6DBB96",
  icon: "energy-alert.svg",
  inputs: 1,
  outputs: 1,
  defaults: properties(ALERTS, { account, siteId: oneSite }),
  paletteLabel: paletteNode.paletteLabel,
  label() {
    const what = this["output"] === "changes" ? sharedText("title.alertChanges") : "";
    return this["scope"] === "site" ? title(this, what) : title(this, what, allSites());
  },
  labelStyle: paletteNode.labelStyle,
  outputLabels: outputLabels("alerts"),
  button: runButton((node) => node["scope"] !== "site" || hasSite(node)),
  onadd: paletteNode.onadd,
  oneditprepare() {
    prepareSiteNode(this);
    showSeverities(this);
  },
  oneditsave() {
    paletteNode.oneditsave.call(this);
    saveSeverities(this);
  },
});

/** A check box for each severity of the service, and for any other that the flow already lists. An empty list passes every severity. */
function showSeverities(node: EditorNode): void {
  const stored = storedSeverities(node);
  for (const name of new Set([...KNOWN.keys(), ...stored])) {
    const isPassed = stored.length === 0 || stored.includes(name);
    const box = $("<input>", { type: "checkbox" }).val(name).prop("checked", isPassed);
    const key = KNOWN.get(name);
    $("<label>")
      .append(box, document.createTextNode(key ? node._(key) : name))
      .appendTo(LIST);
  }
  const update = (): void => void $(ERROR).toggle(selectedSeverities().length === 0);
  $(LIST).on("change", update);
  update();
}

/** Keeps the stored list if its meaning is the same, so that saving an unchanged dialog does not mark the node as changed. */
function saveSeverities(node: EditorNode): void {
  const stored = storedSeverities(node);
  const names = selectedSeverities();
  if (stored.length === 0 && [...KNOWN.keys()].every((name) => names.includes(name))) return;
  const kept = stored.filter((name) => names.includes(name));
  node["severities"] = [...new Set([...kept, ...names])];
}

function selectedSeverities(): string[] {
  return $(`${LIST} :checked`)
    .toArray()
    .map((box) => String($(box).val()));
}

function storedSeverities(node: EditorNode): string[] {
  const stored = node["severities"];
  return Array.isArray(stored) ? stored.map(String) : [];
}
