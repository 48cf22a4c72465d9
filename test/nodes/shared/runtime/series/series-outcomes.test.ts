// Tests for what shows that the service fails for all series of a run, once it has answered for some of them.
import assert from "node:assert/strict";
import { SeriesOutcomes } from "../../../../../nodes/shared/runtime/series/series-outcomes";
import { AuthError, errorText, HttpError } from "../../../../../src/errors";

describe("series that fail after others were answered", () => {
  const addresses = Array.from({ length: 100 }, (_, index) => ({ siteId: `site-${index}` }));
  const text = errorText("lastStatus", { status: 403 });
  /** How many series in a row have to fail. */
  const enough = (error: Error): number => {
    const outcomes = new SeriesOutcomes<string>(addresses);
    const [first, ...others] = addresses;
    if (first) outcomes.noteResult(first, "read");
    for (const [index, address] of others.entries()) {
      outcomes.noteFailure(address, error, outcomes.answers, false);
      if (outcomes.isFailingForAll) return index + 1;
    }
    return Number.POSITIVE_INFINITY;
  };

  it("need be three if the service refuses the token", () => {
    assert.equal(enough(new AuthError(text, { statusCode: 401 })), 3);
  });

  it("never count if it refuses them otherwise, as it may a group of them", () => {
    assert.equal(enough(new HttpError(text, { statusCode: 403 })), Number.POSITIVE_INFINITY);
    assert.equal(enough(new HttpError(text, { statusCode: 404 })), Number.POSITIVE_INFINITY);
  });

  it("are single failures if others are answered in between", () => {
    const outcomes = new SeriesOutcomes<string>(addresses);
    const error = new AuthError(text, { statusCode: 401 });
    for (const [index, address] of addresses.entries()) {
      if (index % 3 === 0) outcomes.noteResult(address, "read");
      else outcomes.noteFailure(address, error, outcomes.answers, false);
    }
    assert.equal(outcomes.isFailingForAll, false);
  });
});
