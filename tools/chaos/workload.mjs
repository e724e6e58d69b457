import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Ledger } from './ledger.mjs';

export const sharedBranch = 'chaos';
const CREATED_AT_ONCE = 8;
/** Between two requests of a client, so that a small machine has time for the faults as well. */
const THINK_MS = [5, 60];

/** How often clients do what, of a hundred. */
const mix = [
  ['write', 74],
  ['commit', 10],
  ['validate', 8],
  ['merge', 8],
];

/** Deployments with dev mode open on a fork of a shared branch. */
export async function createDeployments(api, count) {
  const ledgers = [];
  const next = async () => {
    for (let number; (number = count - left--) < count;) ledgers.push(await createDeployment(api, number));
  };
  let left = count;
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, next));
  return ledgers;
}

async function createDeployment(api, number) {
  const mutation = (path, body) => api.send('set-up', 'POST', path, { body, requestId: randomUUID() });
  const { id } = await mutation('/build/api/v1/deployments', {
    name: `Chaos ${number}`,
    cloudProvider: 'cubecloud',
    region: 'local',
    targetPlatform: 'aws',
    isManaged: true,
    creationStep: 'project',
    creationMethod: 'upload',
  });
  await mutation(`/build/api/v1/deployments/${id}/branches`, { name: sharedBranch });
  const { branchName } = await mutation(`/build/api/v1/deployments/${id}/dev-mode`, { branchName: sharedBranch });
  return new Ledger(id, branchName);
}

/** One client: one request after the other until the signal is aborted, each on any of the deployments. */
export async function work(api, { client, ledgers, random, signal }) {
  for (let number = 1; !signal.aborted; number += 1) {
    // Half of the requests meet on a few deployments, where writers get in each other's way.
    const ledger = random.next() < 0.5 ? random.pick(ledgers.slice(0, 4)) : random.pick(ledgers);
    await actions[choose(random)](api, ledger, client, number);
    await delay(random.between(...THINK_MS));
  }
}

function choose(random) {
  let rest = random.next() * 100;
  return mix.find(([, share]) => (rest -= share) < 0)?.[0] ?? 'write';
}

const deploymentPath = ({ id }) => `/build/api/v1/deployments/${id}`;
const modelPath = (ledger) => `${deploymentPath(ledger)}/data-model`;

const actions = {
  /** Two files: one of this write alone, and the client's own, which tells the order of its writes. */
  write: (api, ledger, client, number) => {
    const requestId = randomUUID();
    const path = `model/chaos/${client}/${number}.yml`;
    const files = [
      { path, content: `cubes: [] # ${requestId}\n` },
      { path: `model/chaos/client-${client}.yml`, content: `cubes: [] # ${number}\n` },
    ];
    return ledger.write({ requestId, path, client, number }, () =>
      api.send('write', 'PUT', `${modelPath(ledger)}/files`, { body: { files }, requestId }),
    );
  },
  commit: (api, ledger) => {
    const requestId = randomUUID();
    const body = { message: `Commit ${requestId}` };
    return ledger.commit(requestId, () =>
      api.send('commit', 'POST', `${deploymentPath(ledger)}/commit`, { body, requestId }),
    );
  },
  validate: (api, ledger) => api.send('validate', 'GET', `${modelPath(ledger)}/validate?devMode=true`),
  merge: (api, ledger) => {
    const requestId = randomUUID();
    const body = { branchName: sharedBranch, removeBranchAfterMerge: false };
    return ledger.merge(requestId, () =>
      api.send('merge', 'POST', `${deploymentPath(ledger)}/merge-to-default`, { body, requestId }),
    );
  },
};
