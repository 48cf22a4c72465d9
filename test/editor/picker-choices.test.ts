// Tests for what the pickers of the dialogs say about sites, systems and values, and by which words these are found.
import assert from "node:assert/strict";
import {
  firstToRead,
  isInRecord,
  measurementName,
  shownValue,
  siteChoice,
  siteTitle,
  systemChoice,
  systemLine,
  systemList,
  valueChoices,
} from "../../nodes/shared/editor/pickers/choices";
import type { SiteChoice, SystemChoice, ValueNow } from "../../src/choices/choices";
import { UNITS } from "../../src/models/measurements";
import { installEditor, type Language } from "../support/editor-global";

const HOUSE: SiteChoice = {
  siteId: "demo-house",
  name: "Demo house",
  place: "Berlin",
  generations: ["PC2"],
  systemCount: 1,
  charge: 18.4,
  searched: "demo house",
};
const TWINS: SystemChoice[] = [
  { systemId: "twin-a", generation: "PC1", capacity: 12_000, hasMeter: false },
  { systemId: "twin-b", generation: "PC1", capacity: 9500, solarPower: 5000, hasMeter: true },
];
const CHARGE = "storage.stateOfCharge";

describe("choices of the pickers", () => {
  let restore: () => void;
  const speak = (language: Language): void => {
    restore();
    restore = installEditor({ language });
  };
  beforeEach(() => {
    restore = installEditor({});
  });
  afterEach(() => restore());

  describe("sites", () => {
    it("are shown by name, place and what they do now, with the generation and id below", () => {
      assert.deepEqual(siteChoice(HOUSE), {
        value: "demo-house",
        text: "Demo house, Berlin, battery 18 %",
        detail: "PC2, demo-house",
      });
      assert.equal(siteTitle(HOUSE), "Demo house, Berlin, PC2");
    });

    it("of which all are meant: the first with a system, among those that the account's nodes see", () => {
      const [empty, hidden] = [
        { ...HOUSE, siteId: "empty", systemCount: 0 },
        { ...HOUSE, siteId: "hidden", isPc1Needed: true } as const,
      ];
      const first = (...sites: SiteChoice[]): string | undefined =>
        firstToRead({ sites, total: sites.length, all: sites.length })?.siteId;
      assert.equal(first(empty, hidden, HOUSE), "demo-house");
      assert.equal(first(hidden, empty), "empty");
      assert.equal(first(hidden), undefined);
    });

    it("without a name are shown by id; several systems and a need for PC1 are said", () => {
      const site: SiteChoice = {
        siteId: "s1",
        generations: ["PC1"],
        systemCount: 3,
        isPc1Needed: true,
        searched: "s1",
      };
      assert.deepEqual(siteChoice(site), {
        value: "s1",
        text: "s1",
        detail: "PC1, 3 systems, needs PC1 in the account",
      });
      assert.equal(siteTitle(site), "s1, PC1, needs PC1 in the account");
    });
  });

  describe("systems", () => {
    it("are shown by generation and capacity", () => {
      assert.deepEqual(TWINS.map(systemChoice), [
        { value: "twin-a", text: "twin-a, PC1, 12 kWh", detail: "" },
        { value: "twin-b", text: "twin-b, PC1, 9.5 kWh", detail: "solar 5 kW, revenue-grade meter" },
      ]);
    });

    it("offer all of them only if the node accepts that and there are several", () => {
      const values = (systems: SystemChoice[], typed: string, acceptsAll: boolean): string[] =>
        systemList(systems, typed, acceptsAll).choices.map(({ value }) => value);
      assert.deepEqual(values(TWINS, "", true), ["*", "twin-a", "twin-b"]);
      assert.deepEqual(values(TWINS, "", false), ["twin-a", "twin-b"]);
      assert.deepEqual(values(TWINS.slice(0, 1), "", true), ["twin-a"]);
      assert.deepEqual(values(TWINS, "b", true), ["twin-b"]);
      assert.deepEqual(values(TWINS, "${SYSTEM}", true), []);
    });

    it("must be chosen if the site has several", () => {
      const line = (text: string, more: object = {}): string =>
        systemLine(TWINS, { text, isText: true, acceptsAll: true, needsMeter: false, ...more });
      assert.equal(line(""), "This site has 2 systems: choose one, or * for all");
      assert.equal(line("", { acceptsAll: false }), "This site has 2 systems: choose one");
      assert.equal(line("", { isText: false }), "");
      assert.equal(line("*"), "");
      assert.equal(line("${SYSTEM}"), "");
      assert.equal(line("twin-a"), "PC1, 12 kWh");
      assert.equal(line("twin-c"), "Not among the systems of this site");
      const only = { text: "", isText: true, acceptsAll: true, needsMeter: false };
      assert.equal(systemLine(TWINS.slice(0, 1), only), "");
    });

    it("say that there is no revenue-grade meter where the node needs one", () => {
      const line = (systems: SystemChoice[], text: string): string =>
        systemLine(systems, { text, isText: true, acceptsAll: true, needsMeter: true });
      assert.equal(line(TWINS.slice(0, 1), ""), "No revenue-grade meter at this site");
      assert.equal(line(TWINS, "twin-a"), "No revenue-grade meter in this system");
      assert.equal(line(TWINS, "twin-b"), "PC1, 9.5 kWh");
      assert.equal(line([], ""), "");
      // Where no devices are listed, a run finds out.
      assert.equal(line([{ systemId: "unknown", generation: "PC1" }], ""), "");
      assert.equal(line([{ systemId: "unknown", generation: "PC1" }], "unknown"), "PC1");
    });
  });

  describe("values", () => {
    const RECORD: ValueNow[] = [
      { path: CHARGE, value: 18.04 },
      { path: "grid.power", value: null },
      { path: "grid.connectivityStatus", value: "ON_GRID" },
      { path: "meters[0].power", value: 3 },
    ];
    const found = (typed: string): string[] => valueChoices(typed, []).map(({ value }) => value);

    for (const [language, words] of [
      ["en-US", ["soc", "battery", "charge", "state of charge", "Battery charge", "stateOfCharge"]],
      ["de", ["soc", "batterie", "akku", "ladezustand", "Ladestand", "stateOfCharge"]],
    ] as const) {
      it(`offer the battery's charge first for what people call it (${language})`, () => {
        speak(language);
        for (const word of words) assert.equal(found(word)[0], CHARGE, word);
      });

      it(`have a name of their own and words to search for (${language})`, () => {
        speak(language);
        const names = [...UNITS.keys()].map((path) => String(measurementName(path)));
        assert.equal(new Set(names).size, UNITS.size);
        for (const name of names) assert.doesNotMatch(name, /:picker\./);
        // A missing text is its own key, which contains "picker".
        assert.deepEqual(found("picker"), []);
      });
    }

    it("are found by words about the grid only where these are about the grid", () => {
      for (const word of ["feed-in", "bought"])
        for (const path of found(word)) assert.match(path, /^grid\./, word);
      assert.equal(found("feed-in")[0], "grid.exportedEnergy");
    });

    it("are shown by name and path with what they are now, those without a name by path", () => {
      const shown = valueChoices("", RECORD);
      assert.deepEqual(shown[0], { value: CHARGE, text: "Battery charge (%)", now: "18", detail: CHARGE });
      assert.deepEqual(shown.slice(-2), [
        { value: "grid.connectivityStatus", text: "grid.connectivityStatus", now: "ON_GRID" },
        { value: "meters[0].power", text: "meters[0].power", now: "3" },
      ]);
      assert.equal(shown.find(({ value }) => value === "grid.power")?.now, "no value");
      assert.equal(shownValue(undefined), "");
      assert.equal(shownValue(false), "false");
      speak("de");
      assert.equal(shownValue(13.1), "13,1");
    });

    it("include those of the inverter only where the newest record has one of them", () => {
      const offered = (...record: ValueNow[]): number =>
        valueChoices("", [...RECORD, ...record]).filter(({ value }) => value.startsWith("inverter")).length;
      const ofInverter = [...UNITS.keys()].filter((path) => path.startsWith("inverter."));
      assert.equal(offered(), 0);
      assert.equal(offered({ path: "inverter", value: null }), 0);
      assert.equal(offered({ path: "inverter.power", value: null }), 0);
      assert.equal(offered({ path: "inverter.power", value: 0 }), ofInverter.length);
    });

    it("are all offered by name without a record", () => {
      assert.deepEqual(found(""), [...UNITS.keys()]);
    });

    it("are in the record by themselves or as a group", () => {
      for (const path of [CHARGE, "storage"]) assert.ok(isInRecord(path, RECORD), path);
      for (const path of ["storage.state", "stor"]) assert.ok(!isInRecord(path, RECORD), path);
    });
  });
});
