// Reads windows in order, ahead of what is done with their records. Where whole windows fail, it searches for the first that does not.
import type { TimeWindow } from "../time-units";
import { type Answer, firstIndex, type RecordReader } from "./record-reader";
import { failed, isMissing, merged, type WindowRecords } from "./window-records";

/** Windows of one run that are in flight or wait to be used: a few days of records in memory at most. */
const MOST = 4;

/**
 * Yields what there is in each window, in order; several that fail in a row come together. Throws what the reader throws, in the turn
 * of the window.
 * @param windows each is taken when it is to be requested
 * @param isFar whether several windows are requested at a time
 * @param postpone called with the window before the first that is answered, after others that fail: a part of it may be answered,
 * too. Absent: it is read in its turn
 */
export async function* readAhead(
  reader: RecordReader,
  windows: Iterable<TimeWindow>,
  isFar: boolean,
  postpone?: (window: TimeWindow) => void,
): AsyncGenerator<WindowRecords, void> {
  let waiting = inParts(reader, windows);
  const requested: { window: TimeWindow; answer: Promise<Answer> }[] = [];
  /** @param used windows whose records are being used */
  const request = (used: number): void => {
    const most = isFar ? MOST : 1 + used;
    while (requested.length + used < most) {
      const next = waiting.next();
      if (next.done) return;
      const answer = reader.request(next.value);
      // Awaited later, or never: until then a failure must not count as unhandled.
      answer.catch(() => undefined);
      requested.push({ window: next.value, answer });
    }
  };
  /** Goes on behind windows that fail. `response` is of the first. */
  const skip = async (response: WindowRecords): Promise<WindowRecords> => {
    const [missing] = response.missing;
    const left = [...requested.splice(0).map(({ window }) => window), ...waiting];
    const isAnswered = async (index: number): Promise<boolean> => {
      const window = left[index];
      return window !== undefined && reader.isAnswered(window);
    };
    // Only where the next one fails, too.
    const first = (await isAnswered(0)) ? 0 : await firstIndex(left.length, isAnswered);
    waiting = inParts(reader, left.slice(first));
    const last = left[first - 1];
    if (!missing || !last) return response;
    // One by one: what lies between them may have been read before.
    const failing = left.slice(0, first - 1).map((window) => failed(window, missing.error));
    const isPostponed = postpone && first < left.length;
    if (isPostponed) postpone(last);
    const end = isPostponed ? failed(last, missing.error) : await reader.settle(last, missing.error);
    return merged([response, ...failing, end]);
  };
  request(0);
  for (let next = requested.shift(); next; next = requested.shift()) {
    const { window, answer } = next;
    const response = await reader.settle(window, await answer);
    const used = isMissing(response) ? await skip(response) : response;
    request(1);
    yield used;
    request(0);
  }
}

function* inParts(reader: RecordReader, windows: Iterable<TimeWindow>): Generator<TimeWindow, void> {
  for (const window of windows) yield* reader.partsOf(window);
}
