// The errors of stored state, made from those of the file system.
import { StoreError } from "../../../../src/errors";

export function isNotFound(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}

export function storeError(key: "storeRead" | "storeWritten" | "storeSetAside", error: unknown): StoreError {
  return new StoreError(key, { reason: error instanceof Error ? error.message : String(error) });
}
