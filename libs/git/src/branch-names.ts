// A reference's last component needs room for ".lock" in a file name of 255 bytes.
const MAX_COMPONENT_BYTES = 250;
const MAX_BYTES = 1024;
const LONE_SURROGATE = /\p{Surrogate}/u;
const FORBIDDEN = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/;

/**
 * Whether git would take `name` as a branch: the rules of `git check-ref-format --branch`, without its shorthand `@{-N}`,
 * and with the lengths that a reference stored as a file can have.
 */
export function isValidBranchName(name: string): boolean {
  if (name === '' || name === '@' || name === 'HEAD' || name.startsWith('-') || FORBIDDEN.test(name)) return false;
  if (LONE_SURROGATE.test(name) || Buffer.byteLength(name) > MAX_BYTES) return false;
  return name.split('/').every(isValidComponent);
}

function isValidComponent(part: string): boolean {
  return !part.startsWith('.') && !part.endsWith('.lock') && Buffer.byteLength(part) <= MAX_COMPONENT_BYTES;
}

/** The full reference of a branch.
 * @throws TypeError when `name` is not a valid branch name */
export function branchRef(name: string): string {
  if (!isValidBranchName(name)) throw new TypeError(`Not a branch name: ${JSON.stringify(name)}`);
  return `refs/heads/${name}`;
}

/** @throws TypeError unless `ref` is a full reference (`refs/...`) with valid components */
export function checkRef(ref: string): string {
  const [root, kind, ...rest] = ref.split('/');
  if (root !== 'refs' || !kind || !isValidBranchName(`${kind}/${rest.join('/')}`)) {
    throw new TypeError(`Not a reference: ${JSON.stringify(ref)}`);
  }
  return ref;
}
