// The present state as Home Assistant reads it: the record without what its entities must not see.
import { isServiceObject } from "../models/service-object";
import type { IntervalRecord } from "../models/telemetry";
import type { RecordSource } from "../ledger/record-id";
import { ENTITIES, entitySource, entityValue } from "./entities";

/**
 * A group that is null stays null; a counter that is held back is null. Every other field that an entity reads is there.
 * `end` of the record in milliseconds; `held` as GROUP/FIELD.
 */
export function entityState(
  record: IntervalRecord,
  source: RecordSource,
  end: number,
  held: ReadonlySet<string>,
): object {
  const groups: Record<string, Record<string, unknown> | null> = {};
  for (const entity of ENTITIES.filter((one) => entitySource(one) === source)) {
    const { group, field } = entity;
    const isThere = isServiceObject(record[group]);
    const value = held.has(`${group}/${field}`) ? null : entityValue(record, entity);
    groups[group] = isThere ? { ...groups[group], [field]: value } : null;
  }
  return { endTime: new Date(end).toISOString(), ...groups };
}
