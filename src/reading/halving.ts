// Searches for where something begins by halving.

/**
 * The first index from 0 to `count` - 1 at which a test succeeds, if it succeeds at all later ones as well; `count` if it
 * succeeds at none that are tested. From far to near, so that a break in the recent past does not hide what is older.
 */
export async function firstIndex(count: number, test: (index: number) => Promise<boolean>): Promise<number> {
  let [below, found] = [-1, count];
  while (found - below > 1) {
    const middle = Math.floor((below + found) / 2);
    if (await test(middle)) found = middle;
    else below = middle;
  }
  return found;
}
