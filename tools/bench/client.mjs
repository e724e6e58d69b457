// The few requests that the measurements make.
import { adminKey } from './processes.mjs';

export async function send(url, method, path, body) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${adminKey}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const reply = await response.json();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(reply)}`);
  return reply;
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
