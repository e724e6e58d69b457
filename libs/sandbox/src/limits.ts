import { readFileSync } from 'node:fs';
import type { Program } from './program';

/** Address space that is not private memory: code, what runtimes reserve and never use, and memory that is shared. */
const SHARED_BYTES = 2 ** 31;
const OPEN_FILES = 256;

/**
 * The command that sets the limits of a program and then becomes the command after it. Processes can be counted only where
 * the program has a user of its own.
 */
export function limited({ command, limits, scratchBytes = 0 }: Program, ownUser: boolean): string[] {
  const { processes, cpuSeconds } = limits;
  const memoryBytes = limits.memoryBytes + (command === process.execPath ? codeSpaceBytes() : 0);
  return [
    ...['nice', '-n', '10', 'choom', '-n', '1000', '--'],
    'prlimit',
    '--core=0',
    `--data=${memoryBytes}`,
    `--as=${memoryBytes + SHARED_BYTES}`,
    '--memlock=0',
    `--fsize=${scratchBytes}`,
    ...(ownUser ? [`--nproc=${processes}`] : []),
    `--nofile=${OPEN_FILES}`,
    // The first is a signal that says why, the second an end that cannot be put off.
    ...(cpuSeconds === undefined ? [] : [`--cpu=${cpuSeconds}:${cpuSeconds + 1}`]),
    '--',
  ];
}

/** The program itself, with the environment it is given and no other. */
export function bare({ environment = {} }: Program): string[] {
  return ['env', '-i', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)];
}

/**
 * What V8 keeps for machine code and the kernel counts as private memory: newer versions map all of it writable at the
 * start, older ones what they use. It is read from this process, which is of the same version.
 */
function codeSpaceBytes(): number {
  if (process.platform !== 'linux') return 0;
  const maps = readFileSync('/proc/self/maps', 'latin1').matchAll(/^([0-9a-f]+)-([0-9a-f]+) rwxp .* 0 *$/gm);
  return [...maps].reduce((sum, [, from = '', to = '']) => sum + parseInt(to, 16) - parseInt(from, 16), 0);
}
