// Resolves host names to loopback addresses only, so that plain http never leaves this machine, whatever a name server says.
import { lookup as systemLookup } from "node:dns";
import { BlockList, isIPv6, type LookupFunction } from "node:net";
import { ConfigError } from "../../errors";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Whether an IP address is this machine's own, also if it is IPv4 written as IPv6. */
export function isLoopbackAddress(address: string): boolean {
  return LOOPBACK.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** Leaves out all other addresses, and fails with ConfigError if none is left. */
export function loopbackLookup(resolve: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, options, (error, found, family) => {
      if (error) {
        done(error, found, family);
        return;
      }
      const addresses = Array.isArray(found) ? found : [{ address: found, family: family ?? 0 }];
      const own = addresses.filter(({ address }) => isLoopbackAddress(address));
      const [first] = own;
      if (first === undefined) done(new ConfigError("baseUrlElsewhere", { host: hostname }), "");
      else if (Array.isArray(found)) done(null, own);
      else done(null, first.address, first.family);
    });
  };
}
