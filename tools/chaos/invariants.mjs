import { setTimeout as delay } from 'node:timers/promises';
import { Repository } from './repository.mjs';
import { sharedBranch } from './workload.mjs';

/** Longer than it takes to recover the intents and builds of a worker that died at the very end. */
const SETTLED_WITHIN_MS = 180_000;

const unsettled = {
  'open intents': 'select count(*)::int as count from build_worker.intent',
  'builds without a result': `select count(*)::int as count from build_worker.build
    where status not in ('built', 'failed', 'cancelled')`,
  'undelivered events': `select ((select count(*) from build_worker.outbox)
    + (select count(*) from control_plane.outbox))::int as count`,
};

/** Waits until all that was begun has ended; returns what never did. */
export async function untilSettled(platform) {
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const left = [];
    for (const [what, statement] of Object.entries(unsettled)) {
      const [{ count }] = await platform.query(statement);
      if (count > 0) left.push(`${count} ${what}`);
    }
    if (left.length === 0 || Date.now() > deadline) return left;
    await delay(1_000);
  }
}

/** Holds git, the database and the API against what clients were told; returns a sentence for each broken promise. */
export async function brokenInvariants(platform, api, ledgers) {
  const audits = await auditCounts(platform);
  const builds = await buildsByCommit(platform);
  const broken = await failedBuilds(platform);
  for (const ledger of ledgers) {
    const found = [...checkAudits(ledger, audits), ...(await checkDeployment(platform, api, ledger, builds))];
    broken.push(...found.map((sentence) => `deployment ${ledger.id}: ${sentence}`));
  }
  return broken;
}

async function auditCounts(platform) {
  const rows = await platform.query(
    'select request_id, count(*)::int as count from control_plane.audit_event group by request_id',
  );
  return new Map(rows.map(({ request_id: requestId, count }) => [requestId, count]));
}

async function buildsByCommit(platform) {
  const rows = await platform.query('select commit_hash, count(*)::int as count from build_worker.build group by 1');
  return new Map(rows.map(({ commit_hash: commit, count }) => [commit, count]));
}

/** Clients write valid models only, so whatever else went wrong is no reason for a build to fail. */
async function failedBuilds(platform) {
  const rows = await platform.query(`select id, error_text from build_worker.build where status = 'failed'`);
  return rows.map(({ id, error_text: text }) => `build ${id} of a valid model failed: ${text}`);
}

/** Every mutation leaves one audit event: exactly one when it was acknowledged, else at most one. */
function checkAudits(ledger, audits) {
  const mutations = [...ledger.writes.values()].map(({ requestId, acknowledged }) => [requestId, acknowledged]);
  return [...mutations, ...ledger.others]
    .map(([requestId, acknowledged]) => [requestId, acknowledged, audits.get(requestId) ?? 0])
    .filter(([, acknowledged, count]) => count > 1 || (acknowledged && count === 0))
    .map(([requestId, , count]) => `request ${requestId} took effect ${count} times by the audit log`);
}

async function checkDeployment(platform, api, ledger, builds) {
  const { items } = await api.send('check', 'GET', `/build/api/v1/deployments/${ledger.id}/branches?first=100`);
  const [{ tenant_id: tenantId, deploy_branch_name: deployBranch }] = await platform.query(
    'select tenant_id, deploy_branch_name from build_worker.repository where deployment_id = $1',
    [ledger.id],
  );
  const repository = new Repository(platform.repositoryFolder(`t${tenantId}-d${ledger.id}`));
  return [
    ...(await checkRepository(repository, items)),
    ...(await checkWrites(repository, ledger)),
    ...(await checkOrder(repository, ledger)),
    ...(await checkHeld(repository, sharedBranch, ledger.acknowledged.slice(0, ledger.committed))),
    ...(await checkHeld(repository, deployBranch, ledger.acknowledged.slice(0, ledger.merged))),
    ...(await checkBuilds(repository, deployBranch, builds)),
  ];
}

async function checkRepository(repository, branches) {
  const problems = await repository.problems();
  const heads = await repository.heads();
  const wrong = branches.filter(({ name, lastHash }) => heads.get(name) !== lastHash).map(({ name }) => name);
  const unknown = [...heads.keys()].filter((head) => !branches.some(({ name }) => name === head));
  return [
    ...(problems ? [`git fsck: ${problems}`] : []),
    ...wrong.map((name) => `the API reports another head of ${name} than git`),
    ...unknown.map((name) => `git has a branch ${name} that the API does not report`),
  ];
}

async function checkWrites(repository, { devBranch, writes }) {
  const additions = await repository.additions();
  const files = await repository.files(devBranch, 'model/chaos');
  return [...writes.values()].flatMap(({ path, requestId, acknowledged }) => {
    const times = additions.get(path) ?? 0;
    const found = files.get(path)?.endsWith(requestId) ?? false;
    if (times > 1) return [`${path} was written ${times} times`];
    if (acknowledged && !(times === 1 && found)) return [`the acknowledged write of ${path} is not in git`];
    return times === 1 && !found ? [`${path} was written and is gone`] : [];
  });
}

/** A client sends its next write when it has the answer to the last one, so its numbers only ever rise. */
async function checkOrder(repository, { devBranch, writes }) {
  const clients = new Set([...writes.values()].map(({ client }) => client));
  const broken = [];
  for (const client of clients) {
    const added = await repository.linesAdded(devBranch, `model/chaos/client-${client}.yml`);
    const numbers = added.map((line) => Number(line.split('# ')[1]));
    const falling = numbers.find((number, index) => index > 0 && number <= numbers[index - 1]);
    if (falling !== undefined) broken.push(`write ${falling} of client ${client} took effect after a later one`);
  }
  return broken;
}

async function checkHeld(repository, branch, paths) {
  const files = await repository.files(branch, 'model/chaos');
  return paths.filter((path) => !files.has(path)).map((path) => `${path} is not on ${branch}, which was acknowledged`);
}

async function checkBuilds(repository, deployBranch, builds) {
  const merges = await repository.mergeCommits(deployBranch);
  return merges
    .filter((commit) => builds.get(commit) !== 1)
    .map((commit) => `the merge ${commit} has ${builds.get(commit) ?? 0} builds`);
}
