// The texts that may equal the English ones.

/** Names, and what users type. */
export const SAME_EVERYWHERE: readonly string[] = [
  "TLS",
  "QoS",
  "InfluxDB",
  "Home Assistant",
  "Measurement",
  "2026-01-01.preview",
  "kWh",
  "null",
  "auto",
];

/** Words that other languages share with English. */
export const SAME_IN: Readonly<Record<string, readonly string[]>> = {
  de: ["Topic: __topic__", "Name", "Proxy", "System", "Minimum", "Maximum", "min", "h", "s"],
  fr: [
    "Service",
    "Site",
    "Site __siteId__",
    "Proxy",
    "Minimum",
    "Maximum",
    "sites",
    "points",
    "__count__ sites",
    "__count__ points",
    "min",
    "h",
    "s",
  ],
  es: ["Proxy", "min", "h", "s"],
};
