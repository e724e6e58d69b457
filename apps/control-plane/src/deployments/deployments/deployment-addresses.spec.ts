import { loadConfig } from '@plinth/config';
import { runInContext } from '@plinth/observability';
import { DeploymentAddresses } from './deployment-addresses';
import { deploymentAddressSettings } from './deployment-addresses.config';

const deployment = { id: 12, region: 'eu-1', customDomain: null };
const custom = { ...deployment, customDomain: 'data.acme.example' };

const addresses = (template?: string) =>
  new DeploymentAddresses(
    loadConfig(deploymentAddressSettings, template === undefined ? {} : { PLINTH_DEPLOYMENT_URL_TEMPLATE: template }),
  );

/** As a client sees it that has reached the platform at the origin. */
const seenAt = <T>(origin: string, see: () => T): T => runInContext({ requestId: 'r', origin }, see);

describe('the template of addresses', () => {
  it.each(['https://example.com', 'https://example.com/{id}', 'https://{id}.example.com/data', '{id}.example.com'])(
    'is not %s',
    (template) => {
      expect(() => addresses(template)).toThrow('PLINTH_DEPLOYMENT_URL_TEMPLATE');
    },
  );
});

describe('the address of a deployment', () => {
  it.each(['http://127.0.0.1:4000', 'http://localhost:8080', 'https://acme.example', 'http://[::1]:4000'])(
    'is a path below %s, at which its client has reached the platform',
    (origin) => {
      expect(seenAt(origin, () => addresses().baseUrl(deployment))).toBe(`${origin}/deployments/12`);
      expect(seenAt(origin, () => addresses().restUrl(deployment, 'dev/a b'))).toBe(
        `${origin}/deployments/12/dev-mode/dev%2Fa%20b/cubejs-api/v1`,
      );
    },
  );

  it('is a name of its own by the template, and its own domain before all, however its client came', () => {
    const own = addresses('https://d-{id}.{region}.example.com:8443/');
    const seen = (subject: typeof custom | typeof deployment, by = own) =>
      seenAt('http://127.0.0.1:4000', () => by.baseUrl(subject));
    expect(seen(deployment)).toBe('https://d-12.eu-1.example.com:8443');
    expect(seen(custom)).toBe('https://data.acme.example');
    expect(seen(custom, addresses())).toBe('https://data.acme.example');
  });

  it('is the name that works everywhere on this machine for who has no client', () => {
    expect(addresses().baseUrl(deployment)).toBe('https://deployment-12.eu-1.localhost');
  });
});

describe('a host', () => {
  it.each([
    'deployment-12.localhost',
    'deployment-.eu-1.localhost',
    'deployment-0.eu-1.localhost',
    'deployment-012.eu-1.localhost',
    `deployment-${'9'.repeat(16)}.eu-1.localhost`,
    'deployment-12.eu.1.localhost',
    'deployment-12.eu-1.localhost.evil.example',
    'x.deployment-12.eu-1.localhost',
    'deployment-12.eu-1xlocalhost',
    '',
  ])('%j is none of a deployment', (host) => {
    expect(addresses().factsOf(host)).toBeUndefined();
  });

  it('says which deployment it is of', () => {
    expect(addresses().factsOf('deployment-12.eu-1.localhost')).toEqual({ id: 12, region: 'eu-1' });
    expect(addresses('https://D{id}.Example.com').factsOf('d12.example.com')).toEqual({ id: 12, region: undefined });
  });
});
