// The state message of a device: the readings of a record that its entities show.
import { isServiceObject } from "../models/service-object";
import type { IntervalRecord } from "../models/telemetry";
import type { SourceName } from "../ledger/record-id";
import { ENTITIES, entitySource, entityValue } from "./entities";

/**
 * A group that is null stays null, a counter that is held back is null; every other field of an entity is present.
 * `end` of the record in milliseconds, `held` as GROUP/FIELD.
 */
export function entityState(
  record: IntervalRecord,
  source: SourceName,
  end: number,
  held: ReadonlySet<string>,
): object {
  const groups: Record<string, Record<string, unknown> | null> = {};
  for (const entity of ENTITIES.filter((one) => entitySource(one) === source)) {
    const { group, field } = entity;
    const isPresent = isServiceObject(record[group]);
    const value = held.has(`${group}/${field}`) ? null : entityValue(record, entity);
    groups[group] = isPresent ? { ...groups[group], [field]: value } : null;
  }
  return { endTime: new Date(end).toISOString(), ...groups };
}
