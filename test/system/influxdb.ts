// Debian's InfluxDB 1.x with an empty database.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../tools/node-red.mjs";
import { Daemon } from "../support/daemon";
import { temporaryFolder } from "../support/temporary";

export const DATABASE = "energy";

/** A series in an InfluxDB response: the rows for one set of tags. */
interface Series {
  tags?: Record<string, string>;
  columns: string[];
  values: unknown[][];
}

/** One row, with tags and columns by name. Times are in milliseconds. */
export type Row = Record<string, unknown>;

export class InfluxDb {
  private constructor(readonly daemon: Daemon) {}

  static async open(program: string): Promise<InfluxDb> {
    const folder = temporaryFolder();
    const port = await freePort();
    const settings = `
      reporting-disabled = true
      bind-address = "127.0.0.1:${await freePort()}"
      [meta]
        dir = "${join(folder, "meta")}"
      [data]
        dir = "${join(folder, "data")}"
        wal-dir = "${join(folder, "wal")}"
      [monitor]
        store-enabled = false
      [http]
        bind-address = "127.0.0.1:${port}"`;
    const file = join(folder, "influxdb.conf");
    writeFileSync(file, settings);
    const database = new InfluxDb(new Daemon([program, "-config", file], port));
    await database.daemon.start();
    await database.query(`CREATE DATABASE ${DATABASE}`);
    return database;
  }

  /** The number of points written since the start, including overwritten ones. */
  async pointsWritten(): Promise<number> {
    const [stats] = await this.query("SHOW STATS FOR 'httpd'");
    return Number(stats?.["pointsWrittenOK"] ?? 0);
  }

  async query(text: string): Promise<Row[]> {
    const query = new URLSearchParams({ db: DATABASE, epoch: "ms", q: text });
    const response = await fetch(`http://127.0.0.1:${this.daemon.port}/query?${query.toString()}`, {
      method: "POST",
    });
    const { results } = (await response.json()) as { results?: { series?: Series[]; error?: string }[] };
    const [result] = results ?? [];
    if (!result || result.error !== undefined) throw new Error(`InfluxDB rejects ${text}: ${result?.error}`);
    return (result.series ?? []).flatMap(({ tags, columns, values }) =>
      values.map((row) => ({ ...tags, ...Object.fromEntries(columns.map((name, at) => [name, row[at]])) })),
    );
  }
}
