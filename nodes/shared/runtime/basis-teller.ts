// Adds to records whether their groups are measured in AC or DC, as far as the account knows the system.
import { basisOf } from "../../../src/records/basis";
import { DueRecord } from "../../../src/records/due-record";
import type { SeriesAddress } from "../../../src/records/record-id";
import type { Run } from "./runs";

/** Asked for once records are there to be told: a poll that fails costs no request for it. */
export async function basisTeller(
  run: Run,
  { siteId, systemId }: SeriesAddress,
): Promise<(due: DueRecord) => DueRecord> {
  const directory = await run.account().directory();
  const generation = await directory.generationOf(siteId, systemId);
  return (due) => {
    const basis = basisOf(due.record, generation);
    return basis ? new DueRecord(due, due.phase, due.cursor, basis) : due;
  };
}
