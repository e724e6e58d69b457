import { processSettings, sandboxSettings, setting } from '@plinth/config';
import { z } from 'zod';

/** All settings of the process: it has no bus, no database and no port. */
export const sandboxServiceSettings = {
  logLevel: processSettings.logLevel,
  sandbox: setting(
    sandboxSettings.sandbox.variable,
    z.enum(['auto', 'namespace', 'user', 'none']).default('auto'),
    sandboxSettings.sandbox.description,
  ),
  sandboxUsers: sandboxSettings.sandboxUsers,
  sandboxSocket: setting(
    sandboxSettings.sandboxSocket.variable,
    z.string().startsWith('/'),
    sandboxSettings.sandboxSocket.description,
  ),
};
