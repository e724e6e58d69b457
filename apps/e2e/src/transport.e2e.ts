import { mkdtempSync, rmSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { get as getSecure, type RequestOptions } from 'node:https';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { createCertificate } from '@plinth/testing';
import { startSecondGateway } from './harness/separate-services';
import { joinTopology, trustedProxy } from './harness/shared-topology';
import type { Topology } from './harness/topology';

const outsideAddress = Object.values(networkInterfaces())
  .flat()
  .find((address) => address && !address.internal && address.family === 'IPv4')?.address;

describe('what a credential may travel over', () => {
  let topology: Topology;

  beforeAll(async () => {
    topology = await joinTopology('separate services on NATS');
  });

  /** Who the caller is, asked at that address for the host of the tenant. */
  async function ask(url: string, { headers, ...options }: RequestOptions = {}): Promise<object> {
    const { admin } = topology;
    const { host } = new URL(admin.baseUrl);
    const sent = { ...options, headers: { host, authorization: admin.credential, ...headers } };
    return new Promise((resolve, reject) => {
      const get = url.startsWith('https:') ? getSecure : getPlain;
      get(`${url}/api/v1/users/me`, sent, (response) => {
        json(response).then((body) => resolve({ status: response.statusCode, body }), reject);
      }).on('error', reject);
    });
  }

  const refused = { status: 403, body: { code: 'transport.https_required' } };

  it('serves over TLS with the certificate that is configured', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-tls-'));
    const { key, certificate } = createCertificate(folder, ['localhost']);
    const settings = { PLINTH_TLS_KEY_FILE: key, PLINTH_TLS_CERTIFICATE_FILE: certificate };
    const { gateway, url } = await startSecondGateway(topology, settings);
    try {
      expect(url).toMatch(/^https:/);
      expect(await ask(url, { rejectUnauthorized: false })).toMatchObject({ status: 200 });
    } finally {
      await gateway.stop();
      rmSync(folder, { recursive: true });
    }
  });

  it('believes the scheme that a trusted proxy forwards, and refuses what the proxy took in the clear', async () => {
    const { baseUrl } = topology.admin;
    const by = (localAddress: string, scheme: string) =>
      ask(baseUrl, { localAddress, headers: { 'x-forwarded-proto': scheme } });
    expect(await by(trustedProxy, 'https')).toMatchObject({ status: 200 });
    expect(await by(trustedProxy, 'http')).toMatchObject(refused);
    expect(await by('127.0.0.1', 'https')).toMatchObject(refused);
  });

  (outsideAddress ? it : it.skip)('refuses plain HTTP on an address that others reach', async () => {
    const { port } = new URL(topology.admin.baseUrl);
    expect(await ask(`http://${outsideAddress}:${port}`)).toMatchObject(refused);
  });
});
