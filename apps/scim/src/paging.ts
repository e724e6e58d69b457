/** Most resources that one page holds. */
export const MAX_RESULTS = 500;
