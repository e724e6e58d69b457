import { spawnSync } from 'node:child_process';
import { bare, limited } from '../limits';
import { LocalProcess } from '../local-process';
import type { Program, SandboxedProcess } from '../program';
import type { Wall } from '../wall';

const PARENT = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', '--'];

/**
 * No wall: a program is an ordinary process of the platform's own user. Where the tools are to be had, it has its limits
 * and dies with the platform. Processes that leave its process group outlive it.
 */
export function noWall(): Wall {
  const trial: Program = { command: 'true', args: [], readable: [], limits: { memoryBytes: 2 ** 30, processes: 1 } };
  const [file = '', ...args] = [...PARENT, ...limited(trial, false), 'true'];
  const hasTools = spawnSync(file, args, { env: {}, stdio: 'ignore' }).status === 0;
  return { kind: 'none', start: (program) => start(program, hasTools) };
}

function start(program: Program, hasTools: boolean): SandboxedProcess {
  const { command, args, limits } = program;
  const tools = hasTools ? [...PARENT, ...limited(program, false)] : [];
  return new LocalProcess([...tools, ...bare(program), command, ...args], { wallMs: limits.wallMs });
}
