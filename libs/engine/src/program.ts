import { findProgram } from '@plinth/sandbox';

const PROGRAM = {
  entry: 'libs/engine/src/engine/main',
  folders: [
    ...['libs/engine/src', 'libs/egress/src', 'libs/jinja/src', 'libs/model-process/src', 'libs/redaction/src'],
    ...['libs/sandbox/src', 'libs/streams/src'],
  ],
};
/** Less space for young objects makes a smaller process that cleans up more often. */
const YOUNG_MB = 4;

/**
 * The command that starts an engine process, without an environment; its order goes to its standard input, in one line. It
 * ends with its standard input, at SIGTERM once its requests are answered, and its model process ends with it in any case.
 */
export function engineCommand(heapMb: number): { command: string; args: string[] } {
  const { script } = findProgram(PROGRAM);
  const args = [`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${YOUNG_MB}`, '--no-warnings', script];
  return { command: process.execPath, args };
}
