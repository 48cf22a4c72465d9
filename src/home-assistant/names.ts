// The names of the entities in Home Assistant, which never translates names from MQTT: in the language chosen in the node.
import type { Language } from "../mqtt/publication";

/** By entity key. */
const ENGLISH = {
  stale: "Data stale",
  telemetry_endTime: "Data as of",
  rgm_endTime: "Revenue meter data as of",

  grid_power: "Grid power",
  grid_lifetimeImportedEnergy: "Grid energy imported",
  grid_lifetimeExportedEnergy: "Grid energy exported",
  grid_connectivityStatus: "Grid connectivity",
  solar_power: "Solar power",
  solar_lifetimeEnergy: "Solar energy",
  consumption_power: "Consumption power",
  consumption_lifetimeEnergy: "Consumption energy",
  storage_power: "Battery power",
  storage_lifetimeDischargeEnergy: "Battery energy discharged",
  storage_lifetimeChargeEnergy: "Battery energy charged",
  storage_stateOfCharge: "Battery state of charge",
  storage_remainingEnergy: "Battery energy remaining",
  storage_totalEnergy: "Battery energy capacity",
  storage_minimumReserve: "Battery minimum reserve",
  inverter_power: "Inverter power",
  inverter_lifetimeImportedEnergy: "Inverter energy imported",
  inverter_lifetimeExportedEnergy: "Inverter energy exported",
  rgm_power: "Revenue meter power",
  rgm_lifetimeImportedEnergy: "Revenue meter energy imported",
  rgm_lifetimeExportedEnergy: "Revenue meter energy exported",
} as const;

export type NameKey = keyof typeof ENGLISH;

const GERMAN: Readonly<Record<NameKey, string>> = {
  stale: "Daten veraltet",
  telemetry_endTime: "Datenstand",
  rgm_endTime: "Datenstand Abrechnungszähler",

  grid_power: "Netzleistung",
  grid_lifetimeImportedEnergy: "Netzbezug",
  grid_lifetimeExportedEnergy: "Netzeinspeisung",
  grid_connectivityStatus: "Netzverbindung",
  solar_power: "Solarleistung",
  solar_lifetimeEnergy: "Solarenergie",
  consumption_power: "Verbrauchsleistung",
  consumption_lifetimeEnergy: "Verbrauch",
  storage_power: "Batterieleistung",
  storage_lifetimeDischargeEnergy: "Batterie entladene Energie",
  storage_lifetimeChargeEnergy: "Batterie geladene Energie",
  storage_stateOfCharge: "Batterie Ladezustand",
  storage_remainingEnergy: "Batterie verbleibende Energie",
  storage_totalEnergy: "Batterie Kapazität",
  storage_minimumReserve: "Batterie Mindestreserve",
  inverter_power: "Wechselrichterleistung",
  inverter_lifetimeImportedEnergy: "Wechselrichter bezogene Energie",
  inverter_lifetimeExportedEnergy: "Wechselrichter abgegebene Energie",
  rgm_power: "Abrechnungszähler Leistung",
  rgm_lifetimeImportedEnergy: "Abrechnungszähler bezogene Energie",
  rgm_lifetimeExportedEnergy: "Abrechnungszähler gelieferte Energie",
};

export const NAMES: Readonly<Record<Language, Readonly<Record<NameKey, string>>>> = {
  en: ENGLISH,
  de: GERMAN,
};
