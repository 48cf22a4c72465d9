// What a service client reports about itself: plain data without ids, secrets, host names or texts of the service.
import type { TokenState } from "./auth/token-cache";
import type { AdmissionState } from "./http/admission";
import type { RequestEntry } from "./http/request-log";

export interface ClientDiagnostics {
  /** The last attempts, oldest first. */
  readonly requests: readonly RequestEntry[];
  /** When the last successful request started, in milliseconds by the local clock. */
  readonly lastSuccess?: number;
  /** End of the newest record that was read, in milliseconds by the service's clock. */
  readonly newestRecord?: number;
  readonly token: TokenState;
  readonly limiter: AdmissionState;
  /** Service time minus local time in milliseconds, if they differ by more than a minute. */
  readonly clockCorrection?: number;
  /** Whether the service has said what time it is. */
  readonly isClockSet: boolean;
}
