// Stores the known devices: only what has changed, and counters, which rise with every record, only now and then.
import type { StateGroup } from "../../stored-state";
import { MINUTE } from "../../time-units";
import { deviceId } from "./device-id";
import type { KnownDevice } from "./known-devices";
import { StoredGroup } from "./stored-group";

/**
 * How long a device's counters may remain unsaved, in milliseconds. The next record brings them again after a crash;
 * until then, a drop by less than they have risen since is not noticed.
 */
const COUNTER_INTERVAL = 15 * MINUTE;

/** `prefix` is the topic prefix, which the ids of the devices begin with: that of a system with the id of its site. */
export function storedDevices(prefix: string, group: StateGroup<KnownDevice>): StoredGroup<KnownDevice> {
  return new StoredGroup(group, {
    idOf: ({ profile }) => deviceId(prefix, profile),
    isDue: (saved, device, age) => !hasOnlyNewCounters(saved, device) || age >= COUNTER_INTERVAL,
  });
}

function hasOnlyNewCounters(saved: KnownDevice, device: KnownDevice): boolean {
  return (
    saved.profile === device.profile && saved.retained === device.retained && saved.absence === device.absence
  );
}
