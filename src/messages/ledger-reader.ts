// Reads the ledger that a message brings for a poll that keeps nothing itself.
import { InputError } from "../errors";
import { readCarriedLedger } from "../ledger/carried-ledger";
import type { Ledger } from "../ledger/ledger";
import { isServiceObject } from "../models/service-object";
import { plainMessage } from "./plain-data";
import type { FlowMessage } from "./reader";

/**
 * The ledger of a series in `msg.energy.ledger`; undefined if there is none, which starts the series. Anything else there
 * throws InputError, because starting over would lose what the right ledger owes.
 */
export function ledgerOf({ energy: given }: FlowMessage, series: string): Ledger | undefined {
  if (given === undefined) return undefined;
  const { energy } = plainMessage({ energy: given });
  if (!isServiceObject(energy)) throw new InputError("ledgerUnreadable");
  return energy["ledger"] === undefined ? undefined : readCarriedLedger(energy["ledger"], series);
}
