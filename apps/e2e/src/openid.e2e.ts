import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BodyOf } from '@plinth/contract';
import { deadlineMs, until } from '@plinth/testing';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { type Browser } from 'playwright-core';
import { follow, launchBrowser } from './harness/browser';
import { createDeployment } from './harness/story';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

const email = 'grace@openid.test';
const password = 'correct horse battery staple';

/** What the runtime of a deployment needs, and nothing more. */
const runtimePolicies = (deploymentId: number): BodyOf<'createRole'>['policies'] => [
  { resourceType: 'Global', actions: ['AIBIView'], resources: ['All'] },
  { resourceType: 'Deployment', actions: ['DeploymentRead', 'SecretsManage'], resources: [String(deploymentId)] },
];

describe.each(onNats)('signing people in for another program (%s)', (_name, start) => {
  let topology: Topology;
  let browser: Browser;
  let program: Server;
  let redirectUri: string;
  let configuration: openid.Configuration;

  beforeAll(async () => {
    topology = await start();
    browser = await launchBrowser();
    await topology.admin.call('createUser', { body: { email, password, username: 'grace', firstName: 'Grace' } });
    program = createServer((_request, response) => response.end('welcome back'));
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
    redirectUri = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`;
    configuration = await openid.discovery(new URL(topology.admin.baseUrl), 'cube-cli', undefined, openid.None(), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
    });
  }, deadlineMs(180_000));
  afterAll(async () => {
    await new Promise((resolve) => program.close(resolve));
    await browser?.close();
    await topology?.stop();
  });

  const authorize = async (scope: string) => {
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const parameters = {
      redirect_uri: redirectUri,
      scope,
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    const context = await browser.newContext({ javaScriptEnabled: false });
    try {
      const page = await context.newPage();
      await page.goto(openid.buildAuthorizationUrl(configuration, parameters).href);
      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Password').fill(password);
      await follow(page.getByRole('button', { name: 'Sign in' }));
      await follow(page.getByRole('button', { name: 'Approve' }));
      return { url: new URL(page.url()), checks: { pkceCodeVerifier: verifier, expectedState: state } };
    } finally {
      await context.close();
    }
  };
  const me = (token: string) => topology.admin.as(`Bearer ${token}`).attempt('getCurrentUser');

  it('sends nobody to an address that the program has not registered, nor without PKCE', async () => {
    const target = (parameters: Record<string, string>) => {
      const url = new URL('/auth/authorize', topology.admin.baseUrl);
      const common = { client_id: 'cube-cli', response_type: 'code', scope: 'openid' };
      url.search = new URLSearchParams({ ...common, ...parameters }).toString();
      return fetch(url, { redirect: 'manual' });
    };
    const foreign = await target({ redirect_uri: 'https://evil.example/callback' });
    expect([foreign.status, foreign.headers.get('location')]).toEqual([400, null]);
    const unprotected = await target({ redirect_uri: redirectUri });
    expect(unprotected.headers.get('location')).toMatch(/[?&]error=invalid_request/);
  });

  it('is described for OpenID Connect only where the tenant has switched its issuer on', async () => {
    const discovery = () => fetch(new URL('/.well-known/openid-configuration', topology.admin.baseUrl));
    expect((await discovery()).status).toBe(404);
    await topology.admin.call('updateTenantSettings', { body: { oidcEnabled: true } });
    const reply = await until('the document is there', discovery, ({ status }) => status === 200, 15_000);
    const { issuer, jwks_uri } = (await reply.json()) as { issuer: string; jwks_uri: string };
    expect(issuer).toBe(topology.admin.baseUrl);
    const { keys } = (await (await fetch(jwks_uri)).json()) as { keys: { kid: string; alg: string }[] };
    expect(keys.map(({ alg }) => alg)).toEqual(['RS256']);
    const rotated = await rotate(jwks_uri);
    expect(rotated).toEqual([expect.any(String), keys[0]?.kid]);
  });

  /** Replaces the signing key, and returns the ids that are published then. */
  const rotate = async (jwksUri: string): Promise<string[]> => {
    const { keyId } = await topology.plinth('signing-keys', 'rotate', '--tenant', topology.tenant);
    return until(
      'the new key is published',
      async () => ((await (await fetch(jwksUri)).json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid),
      ([first]) => first === keyId,
      15_000,
    );
  };

  it('mints tokens that a cloud can verify with the published keys, until the key has been replaced twice', async () => {
    const { admin, plinth } = topology;
    await admin.call('updateTenantSettings', { body: { oidcEnabled: true } });
    const { id: deploymentId } = await createDeployment(admin);
    await admin.call('createOidcTokenConfig', { body: { audienceType: 'AWS' } });
    const role = { name: 'Runtime', policies: runtimePolicies(deploymentId) };
    await admin.call('createRole', { body: role });
    const limits = ['--deployments', String(deploymentId)];
    const words = ['--tenant', topology.tenant, '--email', 'runtime@openid.test', '--role', 'Runtime', ...limits];
    const { apiKey } = await plinth('api-keys', 'create', ...words);
    const runtime = admin.as(`Bearer ${String(apiKey)}`);
    const { items } = await runtime.call('mintOidcTokens', { path: { deploymentId }, body: { component: 'cube_api' } });
    const [{ token = '', fileName } = {}] = items;
    expect(fileName).toBe('cube_cloud_token_aws');
    const jwksUri = `${admin.baseUrl}/.well-known/jwks.json`;
    // Every cloud begins with an empty cache.
    const verify = async () =>
      (await jwtVerify(token, createRemoteJWKSet(new URL(jwksUri)), { audience: 'sts.amazonaws.com' })).payload;
    expect(await verify()).toMatchObject({ sub: `cube:deployment:${deploymentId}` });
    await rotate(jwksUri);
    expect(await verify()).toMatchObject({ sub: `cube:deployment:${deploymentId}` });
    await rotate(jwksUri);
    await expect(verify()).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  });

  it(
    'tells who the person is, and gives no access to the API that was not asked for',
    async () => {
      const { url, checks } = await authorize('openid email profile');
      const tokens = await openid.authorizationCodeGrant(configuration, url, checks);
      const sub = tokens.claims()?.sub ?? '';
      const user = await openid.fetchUserInfo(configuration, tokens.access_token, sub);
      expect(user).toMatchObject({ email, preferred_username: 'grace', given_name: 'Grace' });
      expect(await me(tokens.access_token)).toMatchObject({ status: 401 });
      await expect(openid.authorizationCodeGrant(configuration, url, checks)).rejects.toThrow();
      const { active } = await openid.tokenIntrospection(configuration, tokens.access_token);
      expect(active).toBe(false);
    },
    deadlineMs(120_000),
  );

  it(
    'revokes what it has issued, within a second',
    async () => {
      const { url, checks } = await authorize('openid api');
      const { access_token } = await openid.authorizationCodeGrant(configuration, url, checks);
      expect(await openid.tokenIntrospection(configuration, access_token)).toMatchObject({ active: true });
      expect(await me(access_token)).toMatchObject({ status: 200, body: { email } });
      await openid.tokenRevocation(configuration, access_token);
      await until(
        'the token is refused',
        () => me(access_token),
        ({ status }) => status === 401,
        1_000,
      );
      expect(await openid.tokenIntrospection(configuration, access_token)).toMatchObject({ active: false });
    },
    deadlineMs(120_000),
  );
});
