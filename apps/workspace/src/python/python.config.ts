import { type ConfigOf, integer, sandboxSettings, setting } from '@plinth/config';
import { z } from 'zod';

export const pythonSettings = {
  ...sandboxSettings,
  pythonCommand: setting(
    'PLINTH_PYTHON_COMMAND',
    z
      .string()
      .default('')
      .refine((command) => command === '' || command.startsWith('/'), 'takes an absolute path'),
    'Absolute path of a CPython of 3.9 or newer that runs the Python programs of reports, with pandas where they are to have it. Empty: none are run.',
  ),
  pythonConcurrency: setting(
    'PLINTH_PYTHON_CONCURRENCY',
    integer(1, 64).default(2),
    'Python programs that a process runs at the same time.',
  ),
  pythonTimeoutS: setting(
    'PLINTH_PYTHON_TIMEOUT_S',
    integer(1, 30).default(20),
    'Time of a Python program, in seconds, after which it is ended.',
  ),
  pythonMemoryMb: setting(
    'PLINTH_PYTHON_MEMORY_MB',
    integer(128, 16_384).default(512),
    'Private memory of a Python program, in MiB.',
  ),
};

export type PythonConfig = ConfigOf<typeof pythonSettings>;
