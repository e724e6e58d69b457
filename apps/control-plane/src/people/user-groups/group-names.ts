/** Names that stand for something else where data policies name groups. */
const RESERVED_NAME = /^(\*|all_embed_users|system:.*)$/i;

export const isReservedGroupName = (name: string): boolean => RESERVED_NAME.test(name.trim());
