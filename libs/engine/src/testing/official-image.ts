import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as native from '@cubejs-backend/native';
import type { CreateOptions } from '@cubejs-backend/server-core';
import type * as ServerCore from '@cubejs-backend/server-core';
import { environmentOver } from '@plinth/config';
import type Express from 'express';
import { installNative, type NativeModule } from '../native';

/**
 * What the official image runs, of the packages from npm: the engine with the `cube.js` of its working directory and the
 * settings of its environment, at its port. In place of its binary there is ours.
 */
const load = createRequire(__filename);
const express4 = load('express4') as typeof Express;

async function main(): Promise<void> {
  installNative(native as unknown as NativeModule);
  const { CubejsServerCore } = load('@cubejs-backend/server-core') as typeof ServerCore;
  const config = createRequire(join(process.cwd(), 'cube.js'))('./cube.js') as CreateOptions;
  const core = new CubejsServerCore(config, { isCubeConfigEmpty: false });
  const app = express4();
  app.use(express4.json({ limit: '50mb' }));
  await core.initApp(app as never);
  await core.initSQLServer().init(config as never);
  const { PORT, STAND_IN_ADDRESS } = environmentOver({});
  createServer(app).listen(Number(PORT), STAND_IN_ADDRESS);
}

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`, () => process.exit(1));
});
