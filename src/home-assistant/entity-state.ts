// Builds the state message of a device from the readings of a record.
import { isServiceObject } from "../models/service-object";
import type { IntervalRecord } from "../models/telemetry";
import type { SourceName } from "../ledger/record-id";
import { ENTITIES, entitySource, entityValue } from "./entities";

/**
 * Holds every field that has an entity. A suppressed counter is null, and so is a group that the record does not have.
 * `end` of the record in milliseconds, `suppressed` as GROUP/FIELD.
 */
export function entityState(
  record: IntervalRecord,
  source: SourceName,
  end: number,
  suppressed: ReadonlySet<string>,
): object {
  const groups: Record<string, Record<string, unknown> | null> = {};
  for (const entity of ENTITIES.filter((one) => entitySource(one) === source)) {
    const { group, field } = entity;
    const isPresent = isServiceObject(record[group]);
    const value = suppressed.has(`${group}/${field}`) ? null : entityValue(record, entity);
    groups[group] = isPresent ? { ...groups[group], [field]: value } : null;
  }
  return { endTime: new Date(end).toISOString(), ...groups };
}
