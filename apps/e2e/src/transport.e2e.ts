import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate } from '@plinth/testing';
import { startOneProcess } from './harness/one-process';
import type { Topology } from './harness/topology';

const outsideAddress = Object.values(networkInterfaces())
  .flat()
  .find((address) => address && !address.internal && address.family === 'IPv4')?.address;

describe('what a credential may travel over', () => {
  let topology: Topology | undefined;

  afterEach(() => topology?.stop());

  it('serves over TLS with the certificate that is configured', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-tls-'));
    const { key, certificate } = createCertificate(folder, ['localhost']);
    topology = await startOneProcess({ PLINTH_TLS_KEY_FILE: key, PLINTH_TLS_CERTIFICATE_FILE: certificate });
    const { admin } = topology;
    expect(admin.baseUrl).toMatch(/^https:/);
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: admin.credential };
      const url = `${admin.baseUrl}/api/v1/users/me`;
      get(url, { headers, rejectUnauthorized: false }, (response) => resolve(response.statusCode)).on('error', reject);
    });
    expect(status).toBe(200);
    rmSync(folder, { recursive: true });
  });

  it('believes the scheme that a trusted proxy forwards, and refuses what the proxy took in the clear', async () => {
    topology = await startOneProcess({ PLINTH_TRUSTED_PROXIES: '127.0.0.1' });
    const send = (scheme: string) =>
      topology?.admin.send('GET', '/api/v1/users/me', { headers: { 'x-forwarded-proto': scheme } });
    expect(await send('https')).toMatchObject({ status: 200 });
    expect(await send('http')).toMatchObject({ status: 403, body: { code: 'transport.https_required' } });
  });

  (outsideAddress ? it : it.skip)('refuses plain HTTP on an address that others reach', async () => {
    topology = await startOneProcess({ PLINTH_HOST: '0.0.0.0', PLINTH_BOOTSTRAP_HOSTS: String(outsideAddress) });
    const { port } = new URL(topology.admin.baseUrl);
    const response = await fetch(`http://${outsideAddress}:${port}/api/v1/users/me`, {
      headers: { authorization: topology.admin.credential },
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'transport.https_required' });
  });
});
