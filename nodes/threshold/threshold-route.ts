// The route by which the dialog of a threshold shows where the last values are between the limits.
import type { NodeAPI } from "node-red";
import type { LastValue } from "../../src/choices/choices";
import type { Series } from "./series";
import { adminRoute } from "../shared/runtime/admin/admin-route";

/** A dialog has no room for more. */
const MAX_VALUES = 20;

/** @param statesOf none for a node that is not deployed */
export function registerThresholdRoute(
  RED: NodeAPI,
  statesOf: (id: string) => readonly Pick<Series, "subject" | "state">[],
): void {
  adminRoute(RED, {
    method: "get",
    path: "energy-sites/thresholds/:id/values",
    permission: "energy-account.read",
    handle: async ({ params: { id = "" } }): Promise<{ values: LastValue[] }> => ({
      values: statesOf(id)
        .flatMap(({ subject: { siteId, systemId, topic = "" }, state: { value } }) =>
          value === undefined
            ? []
            : [{ subject: topic || [siteId, systemId].filter(Boolean).join("/"), value }],
        )
        .slice(0, MAX_VALUES),
    }),
  });
}
