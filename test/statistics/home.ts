// A keeper of statistics that is connected to the stand-in for Home Assistant.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { Assistant, type AssistantPorts, type Command } from "../../src/statistics/commands";
import type { StatisticsWritten } from "../../src/messages/messages";
import { OWED_FORM, type OwedSeries, StatisticsKeeper } from "../../src/statistics/keeper";
import { type HourlySeries, statisticId } from "../../src/statistics/series";
import type { StateGroup } from "../../src/stored-state";
import { type HomeAssistantStatistics, Refused } from "../support/home-assistant-statistics";

export const HOUR = 3_600_000;
export const START = Date.parse("2026-05-04T00:00:00Z");
export const ADDRESS = { siteId: "demo-house", systemId: "demo-house-1" };
export const ID = statisticId("energy_sites", ADDRESS, "solar");

/** What is owed, as JSON, as a file would have it. */
export class StoredOwed implements StateGroup<OwedSeries> {
  readonly #texts = new Map<string, string>();
  saves = 0;

  get ids(): Set<string> {
    return new Set(this.#texts.keys());
  }

  load(): Promise<Map<string, OwedSeries>> {
    const owed = [...this.#texts].flatMap(([id, text]) => {
      const series = OWED_FORM.read(JSON.parse(text));
      return series ? [[id, series] as const] : [];
    });
    return Promise.resolve(new Map(owed));
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  save(name: string, state: OwedSeries | undefined): Promise<void> {
    this.saves += 1;
    if (state) this.#texts.set(name, JSON.stringify(OWED_FORM.toStored?.(state)));
    else this.#texts.delete(name);
    return Promise.resolve();
  }
}

export interface Home {
  /** Loses the answers after so many commands, and then calls back. */
  lose: (after: number, lost: () => void) => void;
  assistant: Assistant;
  keeper: StatisticsKeeper;
  written: StatisticsWritten[];
  commands: Command[];
}

/** A keeper whose commands reach Home Assistant. `isLost` decides which answers never come. */
export function connected(assistant: HomeAssistantStatistics, stored?: StateGroup<OwedSeries>): Home {
  const written: StatisticsWritten[] = [];
  const commands: Command[] = [];
  let [left, onLost] = [Infinity, (): void => undefined];
  const lose: Home["lose"] = (after, lost) => void ([left, onLost] = [after, lost]);
  const ports: AssistantPorts = {
    send(command, request) {
      commands.push(command);
      void setImmediate().then(() => {
        try {
          const answer = assistant.answer(command);
          left -= 1;
          if (left < 0) onLost();
          else talk.answer(request, answer);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          talk.answer(request, undefined, error.message);
        }
      });
    },
    waiting: () => undefined,
  };
  const talk = new Assistant(ports);
  const keeper = new StatisticsKeeper(talk, (one) => void written.push(one), stored);
  return { assistant: talk, keeper, written, commands, lose };
}

export const series = (hours: Iterable<[number, number]>): HourlySeries => ({
  id: ID,
  quantity: "solar",
  name: "demo-house solar",
  unit: "Wh",
  hours: new Map([...hours].map(([hour, energy]) => [START + hour * HOUR, { energy }])),
});

export async function write(home: Home, hours: Iterable<[number, number]>): Promise<void> {
  home.keeper.add([series(hours)]);
  await home.keeper.write(new AbortController().signal);
}

/** @param expected energies by hours after START, or by time if that is 0 */
export function assertChanges(
  assistant: HomeAssistantStatistics,
  expected: ReadonlyMap<number, number>,
  id = ID,
  start = START,
): void {
  const changes = assistant.changes(id);
  for (const [hour, energy] of expected) {
    const change = changes.get(start === 0 ? hour : start + hour * HOUR);
    assert.ok(
      change !== undefined && Math.abs(change - energy) < 0.01,
      `${id} at ${hour} is ${change}, expected ${energy}`,
    );
  }
  const sum = [...changes.values()].reduce((all, change) => all + change, 0);
  const energy = [...expected.values()].reduce((all, one) => all + one, 0);
  assert.ok(Math.abs(sum - energy) < 0.1, `the sum of ${id} is ${sum}, expected ${energy}`);
}
