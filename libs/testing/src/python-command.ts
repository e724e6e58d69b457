import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A Python for tests. That of the system comes first: one in a home is closed to other users. */
export const pythonCommand: string = existsSync('/usr/bin/python3')
  ? '/usr/bin/python3'
  : execFileSync('python3', ['-I', '-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
