// Most code runs too few times in a test to repay its compilation: V8 optimizes only what runs very often. Versions of V8
// that do not have this setting optimize nothing.
const isNode20 = process.versions.node.startsWith("20.");

module.exports = {
  require: ["tsx/cjs", "test/support/fuzz.ts", "test/support/undici-timers.ts"],
  spec: ["test/*.test.ts", "test/!(package|system)/**/*.test.ts"],
  timeout: 120_000,
  parallel: true,
  jobs: 2,
  "node-option": [isNode20 ? "interrupt-budget=1000000" : "no-opt"],
  "forbid-only": true,
  "forbid-pending": true,
};
