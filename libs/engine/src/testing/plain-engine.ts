import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { installNative, type NativeModule } from '../native';

/**
 * A program for tests: the published engine over the stand-in in one process, without any wall, on a port that it sends to
 * whoever starts it. Its order is JSON in its first argument; what the engine reads from the environment is set by whoever starts it.
 */
interface PlainEngineOrder {
  model: readonly { path: string; content: string }[];
  secret: string;
}

interface Gateway {
  getSQLServer(): { init(options: object): Promise<void> };
}

interface ServerCore {
  CubejsServerCore: new (options: object) => { apiGateway(): Gateway; initApp(app: App): void };
}

interface App {
  (request: object, response: object): void;
  use(handler: object): void;
}

const load = createRequire(require.resolve('@cubejs-backend/server-core'));

async function main({ model, secret }: PlainEngineOrder): Promise<void> {
  installNative(load('@cubejs-backend/native') as NativeModule);
  const { CubejsServerCore } = load('@cubejs-backend/server-core') as ServerCore;
  const express = load('express4') as { (): App; json(): object };
  const core = new CubejsServerCore({
    repositoryFactory: () => ({
      localPath: () => '/',
      dataSchemaFiles: async () => model.map(({ path, content }) => ({ fileName: path, content })),
    }),
    apiSecret: secret,
    telemetry: false,
    scheduledRefreshTimer: false,
    logger: () => undefined,
  });
  const app = express();
  app.use(express.json());
  core.initApp(app);
  await core.apiGateway().getSQLServer().init({ sqlUser: 'nobody', sqlPassword: secret });
  const server = createServer(app);
  server.listen(0, '127.0.0.1', () => {
    process.send?.((server.address() as AddressInfo).port);
  });
}

void main(JSON.parse(process.argv[2] ?? '{}') as PlainEngineOrder);
