// A site, its systems and their devices (service interface 2.2 to 2.4). Types only; the readers are in site-reader.ts.

/** An object from the service; unknown fields are kept. */
export interface ServiceObject {
  [field: string]: unknown;
}

/** Generations known today; the service may add more. */
export type KnownGeneration = "PC1" | "PC2";

export interface Capabilities extends ServiceObject {
  solar?: ({ inverterType?: string | null; inverterCapacityPower?: number | null } & ServiceObject) | null;
  storage?:
    | ({
        capacityEnergy?: number | null;
        maxChargePower?: number | null;
        maxDischargePower?: number | null;
      } & ServiceObject)
    | null;
}

/** Its state may be flat or nested: read it with `deviceStateOf`. */
export interface Device extends ServiceObject {
  lastHeardAt?: string | null;
  highestAlertSeverity?: string | null;
}

export interface System extends ServiceObject {
  systemId?: string;
  systemGeneration?: string;
  capabilities?: Capabilities | null;
  devices?: Device[] | null;
}

export interface Site extends ServiceObject {
  siteId: string;
  siteName?: string;
  /** IANA zone, e.g. `Europe/Berlin`. */
  timezone?: string;
  siteAddress?: ({ city?: string; country?: string } & ServiceObject) | null;
  systems?: System[] | null;
}

/** A site from its details endpoint: the systems include their devices. */
export type SiteDetails = Site;
