// alerts: the alerts of the account or of one site, by severity.
import type { Node, NodeAPI } from "node-red";
import type { Alert } from "../../src/models/alert";
import { alertKeyOf, severityOf } from "../../src/models/alert-reader";
import { passesSeverity, type SeverityRule } from "../../src/records/severity-rule";
import { type SiteDef, siteOf } from "../shared/runtime/address";
import { type Run, type ServiceNodeDef, startRuns } from "../shared/runtime/runs";

interface AlertsDef extends ServiceNodeDef, SiteDef {
  scope?: "account" | "site";
  severities?: string[];
  otherSeverities?: boolean;
}

export default function register(RED: NodeAPI): void {
  function Alerts(this: Node, config: AlertsDef): void {
    RED.nodes.createNode(this, config);
    const rule: SeverityRule = { names: config.severities ?? [], others: config.otherSeverities !== false };

    const readAlerts = async (run: Run, siteId: string | undefined): Promise<Alert[]> => {
      const service = await run.service();
      const options = { signal: run.signal };
      return siteId === undefined ? service.alerts(options) : service.siteAlerts(siteId, options);
    };

    startRuns(RED, this, config, "alerts", async (run) => {
      const siteId = config.scope === "site" ? await siteOf(RED, this, config, run.message) : undefined;
      const alerts = (await readAlerts(run, siteId)).filter((alert) => passesSeverity(alert, rule));
      const info = alerts.map((alert) => ({ severity: severityOf(alert), alertKey: alertKeyOf(alert) }));
      const address = siteId === undefined ? {} : { address: { siteId } };
      run.send(
        run.make({
          payload: alerts,
          ...address,
          energy: { kind: "alerts", count: alerts.length, alerts: info },
        }),
      );
      const key = alerts.length === 1 ? "alert" : "alerts";
      return { key, values: { count: alerts.length }, ...(alerts.length > 0 ? { fill: "yellow" } : {}) };
    });
  }

  RED.nodes.registerType("energy-alerts", Alerts);
}
