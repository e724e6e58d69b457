/**
 * The owner of a key among the members, by highest random weight: every caller that knows the same members chooses
 * the same one, a member that leaves hands over its own keys only, and one that joins takes only what it then owns.
 */
export function chooseOwner(members: Iterable<string>, key: string): string | undefined {
  let owner: string | undefined;
  let highest = -1;
  for (const member of members) {
    const weight = hash(`${member}\n${key}`);
    if (weight > highest || (weight === highest && owner !== undefined && member < owner)) {
      owner = member;
      highest = weight;
    }
  }
  return owner;
}

/** 32-bit FNV-1a, with the finalizer of MurmurHash3 so that neighbouring keys spread. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
