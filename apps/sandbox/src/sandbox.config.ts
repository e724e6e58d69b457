import { processSettings, setting } from '@plinth/config';
import { z } from 'zod';

/** All settings of the process: it has no bus, no database and no port. */
export const sandboxProcessSettings = {
  logLevel: processSettings.logLevel,
  wall: setting(
    'PLINTH_SANDBOX',
    z.enum(['auto', 'namespace', 'user', 'none']).default('auto'),
    'Wall around programs: auto, namespace, user or none. auto takes the strongest that holds.',
  ),
  socket: setting(
    'PLINTH_SANDBOX_SOCKET',
    z.string().startsWith('/').default('/run/plinth/sandbox.sock'),
    'Unix socket on which programs are taken.',
  ),
};
