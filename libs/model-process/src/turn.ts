const nextTurn = setImmediate;

/** Resolves once every callback that is due has run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => nextTurn(resolve));
}
