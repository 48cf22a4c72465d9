// Waits for work to end, but not for ever: a close that hangs would hold up the whole of Node-RED.

/** Time that a node has to end its work in when it is closed, in milliseconds. */
const CLOSE_TIMEOUT = 1500;

/** Resolves when the work has ended, or when a closing node may wait no longer. Rejects when the work does. */
export async function endsInTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_TIMEOUT);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
