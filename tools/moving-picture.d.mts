// The types of moving-picture.mjs, for the tests.
export function movingPicture(frames: readonly { png: Buffer; seconds: number }[]): Buffer;
