import { type GitSettings, GIT_CONFIG, gitEnvironment } from '../git-environment';
import type { AddressPolicy } from '@plinth/egress';
import { allowedAddresses } from './remote-address';
import { type RemoteUrl, parseRemoteUrl } from './remote-url';
import { type SshAgent, startSshAgent } from './ssh-agent';

/** What proves to a server who is calling. */
export type RemoteCredential =
  | { kind: 'basic'; username: string; password: string }
  /** An ed25519 key in PKCS #8 (PEM), see {@link generateSshKeyPair}. */
  | { kind: 'ssh-key'; privateKey: string };

/** A remote repository and the credential for it; a public one needs none. */
export interface RemoteAccess {
  url: string;
  credential?: RemoteCredential;
}

/** How git is started for remotes, and which remotes are allowed. */
export interface RemoteAccessSettings extends GitSettings, AddressPolicy {
  /** File with certificates (PEM) to trust instead of the system's. */
  caFile?: string;
}

/** An access made ready for git: everything in the environment, so nothing of it shows in an argument list. */
export interface PreparedAccess {
  url: string;
  environment: Record<string, string>;
  /** What must not appear in errors. */
  secrets: string[];
  /** Takes back what was opened for the access. */
  close(): Promise<void>;
}

/**
 * @throws InvalidRemoteUrlError for an address that must not be used
 * @throws RemoteUnreachableError when its host name is unknown
 */
export async function prepareAccess(
  access: RemoteAccess,
  settings: RemoteAccessSettings,
  knownHostsFile: string,
): Promise<PreparedAccess> {
  const url = parseRemoteUrl(access.url, settings);
  const addresses = url.protocol === 'file' ? [] : await allowedAddresses(url, settings);
  const config = [...baseConfig(settings), ...(url.protocol.startsWith('http') ? httpConfig(url, addresses) : [])];
  const secrets: string[] = [];
  if (access.credential?.kind === 'basic') {
    const { username, password } = access.credential;
    const token = Buffer.from(`${username}:${password}`).toString('base64');
    secrets.push(password, token);
    config.push([`http.${new URL(url.text).origin}/.extraHeader`, `Authorization: Basic ${token}`]);
  }
  const agent = access.credential?.kind === 'ssh-key' ? await startSshAgent(access.credential.privateKey) : undefined;
  const environment = {
    ...gitEnvironment(settings),
    GIT_ALLOW_PROTOCOL: settings.allowInsecure ? 'https:ssh:http:file' : 'https:ssh',
    GIT_SSH_COMMAND: sshCommand(url, addresses, knownHostsFile, agent),
    GIT_SSH_VARIANT: 'ssh',
    ...configVariables(config),
  };
  return { url: url.text, environment, secrets, close: async () => agent?.close() };
}

type ConfigEntry = [key: string, value: string];

function baseConfig({ caFile }: RemoteAccessSettings): ConfigEntry[] {
  const shared = GIT_CONFIG.map((setting): ConfigEntry => {
    const [key = '', ...value] = setting.split('=');
    return [key, value.join('=')];
  });
  return [
    ...shared,
    ['core.hooksPath', '/dev/null'],
    ['credential.helper', ''],
    ['fetch.fsckObjects', 'true'],
    // Whatever comes in stays one pack: what is counted while it grows is what is kept.
    ['fetch.unpackLimit', '1'],
    ['core.bigFileThreshold', '32m'],
    ['protocol.version', '2'],
    ...(caFile ? [['http.sslCAInfo', caFile] satisfies ConfigEntry] : []),
  ];
}

function httpConfig({ host, port }: RemoteUrl, addresses: readonly string[]): ConfigEntry[] {
  const bracketed = addresses.map((address) => (address.includes(':') ? `[${address}]` : address));
  return [
    // A redirect could carry the credential elsewhere, or lead into a network that was refused.
    ['http.followRedirects', 'false'],
    ['http.curloptResolve', `${host.includes(':') ? `[${host}]` : host}:${port}:${bracketed.join(',')}`],
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', '60'],
  ];
}

function configVariables(config: readonly ConfigEntry[]): Record<string, string> {
  const entries = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(config.length), ...Object.fromEntries(entries) };
}

function sshCommand({ host }: RemoteUrl, [address]: readonly string[], knownHosts: string, agent?: SshAgent): string {
  const options = {
    BatchMode: 'yes',
    IdentityFile: 'none',
    IdentityAgent: agent?.socketPath ?? 'none',
    StrictHostKeyChecking: 'accept-new',
    UserKnownHostsFile: knownHosts,
    GlobalKnownHostsFile: '/dev/null',
    HostKeyAlias: host,
    ...(address && { HostName: address }),
    CheckHostIP: 'no',
    ConnectTimeout: '20',
    ServerAliveInterval: '15',
    ServerAliveCountMax: '4',
    ClearAllForwardings: 'yes',
    LogLevel: 'ERROR',
  };
  const quoted = Object.entries(options).map(([name, value]) => `-o ${shellQuoted(`${name}=${optionValue(value)}`)}`);
  return `ssh -F /dev/null ${quoted.join(' ')}`;
}

// ssh splits an option's value at blanks unless it is quoted, and expands percent signs in paths.
const optionValue = (value: string) => (/\s/.test(value) ? `"${value}"` : value).replaceAll('%', '%%');
const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
