// Packs and installs the package once for a test run, before its processes start.
import { sharePackage } from "./package";

export async function mochaGlobalSetup(): Promise<void> {
  await sharePackage();
}
