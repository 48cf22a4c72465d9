// Whether the groups of a record are measured in AC or DC, as far as the account knows the system.
import { type Basis, basisOf } from "../../../src/models/basis";
import type { IntervalRecord } from "../../../src/models/telemetry";
import type { SeriesAddress } from "../../../src/ledger/record-id";
import type { AccountNode } from "./account";

/** The basis of each group of a record; undefined where it is not known. */
export type RecordBasis = (record: IntervalRecord) => Record<string, Basis> | undefined;

/** Asked for once there are records to send: a poll that fails costs no request for it. */
export async function recordBasis(
  account: AccountNode,
  { siteId, systemId }: SeriesAddress,
): Promise<RecordBasis> {
  const directory = await account.directory();
  const generation = await directory.generationOf(siteId, systemId);
  return (record) => basisOf(record, generation);
}
