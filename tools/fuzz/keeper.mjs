import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

const BETWEEN_MS = 150;
const NOTICED_WITHIN_MS = 500;
const ATTEMPTS = 300;

/**
 * A well-behaved client with things of its own, which no hostile request is about. It remembers what each acknowledged write said and
 * reads it all at the end. Half of its requests it sends twice under one idempotency key, and does not wait for the first reply.
 */
export class Keeper {
  /** What has to be there at the end: what is read, and what of it has to be what. */
  #expected = new Map();
  writes = 0;

  constructor(client, world, findings, topology) {
    Object.assign(this, { client, world, findings, topology });
  }

  async setUp() {
    const deployment = await this.#done('POST', '/build/api/v1/deployments', deploymentInput('Kept'));
    this.deployment = deployment.id;
    this.world.keep('deployments', this.deployment);
    const build = `/build/api/v1/deployments/${this.deployment}`;
    await this.#done('POST', `${build}/branches`, { name: 'kept' });
    const { branchName } = await this.#done('POST', `${build}/dev-mode`, { branchName: 'kept' });
    this.files = `${build}/data-model/files`;
    this.hashes = `${build}/data-model/file-hashes?branchName=${encodeURIComponent(branchName)}`;
  }

  async work(random, deadline) {
    for (let number = 0; Date.now() < deadline; number += 1) {
      await random.pick([this.#group, this.#role, this.#file, this.#scimUser, this.#rename]).call(this, number, random);
      // Hostile requests switch off what others of them need.
      if (number % 20 === 0) await this.#write('PUT', '/api/v1/tenant/settings', SWITCHED_ON, random);
      await delay(BETWEEN_MS);
    }
  }

  async #group(number, random) {
    const name = `Kept group ${number} ${random.next()}`;
    const made = await this.#write('POST', '/api/v1/user-groups', { name }, random);
    if (!made) return;
    this.world.keep('user-groups', made.id);
    this.#expect(`/api/v1/user-groups/${made.id}`, (body) => body.name, name);
    if (number % 3 === 0) await this.#delete(`/api/v1/user-groups/${made.id}`, random);
  }

  async #role(number, random) {
    const policies = [{ resourceType: 'Global', actions: ['AIBIDevelop'], resources: ['All'] }];
    const made = await this.#write(
      'POST',
      '/api/v1/roles',
      { name: `Kept role ${number} ${random.next()}`, policies },
      random,
    );
    if (!made) return;
    this.world.keep('roles', made.id);
    const changed = { name: `Changed role ${number} ${random.next()}`, policies };
    if (await this.#write('PUT', `/api/v1/roles/${made.id}`, changed, random)) {
      this.#expect(`/api/v1/roles/${made.id}`, (body) => body.name, changed.name);
    }
  }

  async #file(number, random) {
    const path = `model/kept-${number % 30}.yml`;
    const content = `cubes: [] # ${number} ${random.next()}\n`;
    const written = await this.#write('PUT', this.files, { files: [{ path, content }] }, random);
    const hash = createHash('sha1').update(content).digest('hex');
    if (written) this.#expect(this.hashes, (body) => body[path]?.hash, hash, path);
  }

  async #scimUser(number, random) {
    const userName = `kept-${number}-${Math.floor(random.next() * 1e9)}@example.test`;
    const made = await this.#write('POST', '/api/scim/v2/Users', { userName, active: true }, random, 'scim');
    if (!made) return;
    this.world.keep('users', made.id);
    if (this.world.wasTouched('users', made.id)) return;
    this.#expect(`/api/scim/v2/Users/${made.id}`, (body) => body.userName, userName, '', 'scim');
  }

  async #rename(number, random) {
    const name = `Kept ${number} ${random.next()}`;
    const path = `/api/v1/deployments/${this.deployment}`;
    if (await this.#write('PUT', path, { name }, random)) this.#expect(path, (body) => body.name, name);
  }

  async #delete(target, random) {
    if (await this.#write('DELETE', target, undefined, random)) this.#expected.set(target, { target, isGone: true });
  }

  #expect(target, read, value, part = '', credential = 'admin') {
    this.#expected.set(`${target}${part}`, { target, read, value, credential });
  }

  /** The reply of an acknowledged write; undefined when it was refused for a reason of its own, such as a switch that is off. */
  async #write(method, target, body, random, credential = 'admin') {
    const request = this.#request(method, target, body, credential);
    if (random.next() < 0.5) await this.client.send({ ...request, behaviour: random.next() < 0.5 ? 'leave' : 'cut' });
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const reply = await this.client.send(request);
      if (reply?.status < 300) {
        this.writes += 1;
        return reply.text ? JSON.parse(reply.text) : {};
      }
      if (reply?.failure) await delay(NOTICED_WITHIN_MS);
      if (this.topology.isShaken()) await delay(1_000);
      else if (reply?.status === 409 && /idempotency\.in_progress|still running/.test(reply.text)) await delay(100);
      else return this.#refused(method, target, reply);
    }
    this.findings.add(`kept: ${method} is in progress for ever | ${target.replace(/\d+/g, 'N')}`);
    return undefined;
  }

  #refused(method, target, reply) {
    if (![403, 401].includes(reply?.status)) {
      this.findings.add(
        `kept: ${method} ${target.replace(/\d+/g, 'N')} | ${reply?.status ?? reply?.failure}`,
        reply?.text,
      );
    }
  }

  #request(method, target, body, credential) {
    const bytes = body && Buffer.from(JSON.stringify(body));
    const type = target.startsWith('/api/scim/') ? 'application/scim+json' : 'application/json';
    const headers = { 'Idempotency-Key': randomUUID(), ...(bytes && { 'Content-Type': type }) };
    return { method, target, headers, credential, body: bytes };
  }

  async #done(method, target, body) {
    const { status, body: reply } = await this.client.json(method, target, 'admin', body);
    if (status >= 300) throw new Error(`${method} ${target} answered ${status}: ${JSON.stringify(reply)}`);
    return reply;
  }

  /** Reads back what was acknowledged, and that what hostile requests made is there as long as none of them deleted it. */
  async check() {
    await this.#write('PUT', '/api/v1/tenant/settings', SWITCHED_ON, { next: () => 1 });
    for (const { target, read, value, credential, isGone } of this.#expected.values()) {
      const { status, body } = await this.client.json('GET', target, credential);
      if (isGone ? status === 404 : status === 200 && read(body) === value) continue;
      const wanted = isGone ? 'what was deleted' : JSON.stringify(value);
      this.findings.add(
        `lost write | ${target.replace(/\d+/g, 'N')}`,
        `${target}: wanted ${wanted}, got ${status} ${status === 200 && !isGone && read(body)}`,
      );
    }
    for (const [name, path] of this.world.created) {
      const target = path.replace(/^\/build/, '');
      const { status } = await this.client.json('GET', target, target.startsWith('/api/scim/') ? 'scim' : 'admin');
      if (status !== 200) this.findings.add(`lost creation | ${name.split(' ')[0]}`, `GET ${target} answers ${status}`);
    }
    return this.#expected.size + this.world.created.size;
  }
}

const SWITCHED_ON = { scimEnabled: true, oidcEnabled: true, auditLogEnabled: true, usageAnalyticsEnabled: true };

export const deploymentInput = (name) => ({
  name,
  region: 'local',
  cloudProvider: 'cubecloud',
  targetPlatform: 'aws',
  isManaged: true,
  creationStep: 'project',
  creationMethod: 'upload',
});
