// Tells of records whether their groups are measured in AC or DC, as far as the account knows the system.
import type { IntervalRecord } from "../../../src/models/telemetry";
import { type Basis, basisOf } from "../../../src/models/basis";
import type { SeriesAddress } from "../../../src/ledger/record-id";
import type { Run } from "./runs";

/** The basis of each group of a record; undefined where it is not known. */
export type BasisTeller = (record: IntervalRecord) => Record<string, Basis> | undefined;

/** Asked for once records are there to be told: a poll that fails costs no request for it. */
export async function basisTeller(run: Run, { siteId, systemId }: SeriesAddress): Promise<BasisTeller> {
  const directory = await run.account().directory();
  const generation = await directory.generationOf(siteId, systemId);
  return (record) => basisOf(record, generation);
}
