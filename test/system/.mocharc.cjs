// Runs each file of the system tests once, those that take longest first, so that the processes end together.
const { readdirSync } = require("node:fs");

const FIRST = [
  "npm-start",
  "editor-5",
  "editor",
  "delivery-mqtt",
  "fleet",
  "editor-5-pictures",
  "fuzz",
  "soak",
];
const files = readdirSync(__dirname).filter((name) => name.endsWith(".test.ts"));

module.exports = {
  require: ["tsx/cjs", "test/support/package-setup.ts"],
  spec: [...new Set([...FIRST.map((name) => `${name}.test.ts`), ...files])].map(
    (name) => `test/system/${name}`,
  ),
  timeout: 300000,
  parallel: true,
  jobs: 3,
  "forbid-only": true,
};
