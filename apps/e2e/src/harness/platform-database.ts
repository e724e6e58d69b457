import { createDatabaseFrom, provisionTemplate, type TestDatabase } from '@plinth/testing';

/** A database whose migrations have run already, once per test run: services that start on it find nothing to do. */
export const createPlatformDatabase = (): Promise<TestDatabase> =>
  createDatabaseFrom('platform', async (url) => {
    // Loaded here, since few test files build it.
    const services = await Promise.all([
      import('../../../control-plane/src').then(({ controlPlaneSchema }) => controlPlaneSchema),
      import('../../../build-worker/src').then(({ buildWorkerSchema }) => buildWorkerSchema),
      import('../../../runtime/src').then(({ runtimeSchema }) => runtimeSchema),
      import('../../../workspace/src').then(({ workspaceSchema }) => workspaceSchema),
      import('../../../embed/src').then(({ embedSchema }) => embedSchema),
      import('../../../agents/src').then(({ agentsSchema }) => agentsSchema),
    ]);
    for (const schema of services) await provisionTemplate(url, schema);
  });
