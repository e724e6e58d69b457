const { console: terminal } = globalThis;
const { warn } = terminal;

/** The library that is imported next says at each start that it would rather run on a newer Node. */
terminal.warn = () => undefined;

export const restoreConsole = (): void => {
  terminal.warn = warn;
};
