// What the account knows about the records of a series: their ids, and the AC or DC side of each group.
import { recordIds, type SeriesAddress, type SourceName } from "../../../../src/ledger/record-id";
import type { RecordDescription } from "../../../../src/messages/record-message";
import { SERIES } from "../../../../src/messages/series";
import { basisReader } from "../../../../src/models/measurements";
import type { AccountNode } from "../service/account";

/**
 * The only system of a site has the same record ids whether it was named, or stands for the site. Called only when there are
 * records to send, so that a failed poll costs no extra request.
 */
export async function recordDescription(
  account: AccountNode,
  { siteId, systemId }: SeriesAddress,
  source: SourceName,
): Promise<Pick<RecordDescription, "idOf" | "basisOf">> {
  const directory = await account.directory();
  const system = await directory.systemOf({ siteId, systemId }, { pc1: SERIES[source].needsPc1 });
  return {
    idOf: recordIds({ siteId, systemId: system.systemId }, source),
    basisOf: basisReader(system.generation),
  };
}
