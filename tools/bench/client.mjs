// The few requests that the measurements make.
import { createRequire } from 'node:module';
import { adminKey } from './processes.mjs';

const { createClient, unwrap } = createRequire(import.meta.url)('../../dist/libs/client/src/index.js');

/** The reply's body, by the client that users have; once, because a measurement hides no failure. */
export const send = (url, method, path, body) => sendTrying(0, url, method, path, body);

/** As {@link send} for what is not measured: again when it was not answered, as on a busy machine. */
export const prepare = (url, method, path, body) => sendTrying(5, url, method, path, body);

function sendTrying(retries, url, method, path, body) {
  const client = createClient({ baseUrl: url, apiKey: adminKey, retries });
  return unwrap(client.request(method.toLowerCase(), path, { body }));
}

let deployments = 0;

export const createDeployment = (url) =>
  send(url, 'POST', '/build/api/v1/deployments', {
    name: `Bench ${process.pid} ${(deployments += 1)}`,
    cloudProvider: 'cubecloud',
    region: 'local',
    targetPlatform: 'aws',
    isManaged: true,
    creationStep: 'project',
    creationMethod: 'upload',
  });

/** Opens dev mode on a new shared branch. */
export async function openDevBranch(url, id) {
  await send(url, 'POST', `/build/api/v1/deployments/${id}/branches`, { name: 'bench' });
  return send(url, 'POST', `/build/api/v1/deployments/${id}/dev-mode`, { branchName: 'bench' });
}

export const percentile = (values, share) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)];
