/** Forty lower-case hex digits: the SHA-1 that names a git object. */
export type ObjectId = string;

/** Git's way to write "no object" on the wire. */
export const ZERO_ID: ObjectId = '0'.repeat(40);

const OBJECT_ID = /^[0-9a-f]{40}$/;

export function isObjectId(value: string): value is ObjectId {
  return OBJECT_ID.test(value);
}

/** Everything that reaches git's argv or stdin as an object name passes here.
 * @throws TypeError for anything but a full object id */
export function checkObjectId(value: string): ObjectId {
  if (!isObjectId(value)) throw new TypeError(`Not an object id: ${JSON.stringify(value)}`);
  return value;
}
