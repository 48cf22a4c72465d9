// Registers threshold in the editor.
import { NAME, numberProperty } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { number, property } from "../shared/editor/validators";
import { above, below } from "./limits.editor";

const isFilled = (limit: unknown): boolean => limit !== undefined && limit !== null && limit !== "";
const label = (name: string): string => RED._(`@energy-sites/node-red/threshold:label.${name}`);

RED.nodes.registerType("energy-threshold", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  labelStyle: paletteNode.labelStyle,
  oneditprepare: paletteNode.oneditprepare,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-threshold.svg",
  outputs: 3,
  // Without a name, its two limits.
  label() {
    const { low, high } = this;
    const limits = isFilled(low) && isFilled(high) ? `${String(low)} … ${String(high)}` : "";
    return this.name || limits || this._("label.palette");
  },
  outputLabels(index) {
    return [this._("output.high"), this._("output.low"), this._("output.unsafe")][index] ?? "";
  },
  defaults: {
    ...NAME,
    property: { value: "payload", label: label("property"), validate: property },
    propertyType: { value: "msg" },
    high: { value: "", label: label("high"), validate: above("low") },
    low: { value: "", label: label("low"), validate: below("high") },
    hold: { value: 0, label: label("hold"), validate: number({ min: 0, max: 10_080 }) },
    maxAge: numberProperty("maxAge", 15, { min: 0, max: 10_080 }),
  },
});
