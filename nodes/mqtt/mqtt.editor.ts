// Registers mqtt readings in the editor.
import { NAME } from "../shared/editor/defaults";
import { paletteNode } from "../shared/editor/palette";
import { number, onlyWhen } from "../shared/editor/validators";
import { mqttText, topicPrefix } from "./topic-prefix.editor";
import { showTopic } from "./topic-preview.editor";

RED.nodes.registerType("energy-mqtt", {
  category: "energy sites",
  color: "#3FADB5",
  inputs: 1,
  paletteLabel: paletteNode.paletteLabel,
  label: paletteNode.label,
  labelStyle: paletteNode.labelStyle,
  oneditsave: paletteNode.oneditsave,
  icon: "energy-mqtt.svg",
  outputs: 1,
  outputLabels() {
    return this._("output.messages");
  },
  defaults: {
    ...NAME,
    prefix: { value: "energy", label: mqttText("label.prefix"), validate: topicPrefix },
    layout: { value: "json" },
    qos: { value: 1, label: mqttText("label.qos"), validate: number({ min: 0, max: 2 }) },
    retain: { value: false },
    discovery: { value: true },
    discoveryPrefix: {
      value: "homeassistant",
      label: mqttText("label.discoveryPrefix"),
      validate: onlyWhen("discovery", true, topicPrefix),
    },
    expireAfter: {
      value: 1800,
      label: mqttText("label.expireAfter"),
      validate: onlyWhen("discovery", true, number({ min: 1, max: 604_800 })),
    },
  },
  oneditprepare() {
    paletteNode.oneditprepare.call(this);
    showTopic(this);
  },
});
