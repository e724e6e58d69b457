import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort, untilListening } from '@plinth/local-services';

export interface GitSshServer {
  /** `ssh://user@127.0.0.1:port/path` of a repository given by its folder. */
  url(repository: string): string;
  /** The only keys that are let in from now on, each a line as in `authorized_keys`. */
  authorize(...publicKeys: readonly string[]): void;
  stop(): Promise<void>;
}

const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'].find(existsSync);

/** Whether this machine has OpenSSH's server. */
export const hasSshServer = SSHD !== undefined;

/** OpenSSH's own server on a free loopback port, with a host key and configuration of its own, run by the current user. */
export async function startGitSshServer(): Promise<GitSshServer> {
  if (!SSHD) throw new Error('sshd is not installed (Debian: openssh-server)');
  const directory = mkdtempSync(join(tmpdir(), 'plinth-sshd-'));
  const authorizedKeys = join(directory, 'authorized_keys');
  const authorize = (...keys: readonly string[]) =>
    writeFileSync(authorizedKeys, keys.map((key) => `restrict ${key}\n`).join(''));
  authorize();
  const port = await freePort();
  const child = spawn(SSHD, ['-D', '-e', '-f', writeConfig(directory, port, authorizedKeys)], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  exited.catch(() => undefined);
  await untilListening(port, child);
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    rmSync(directory, { recursive: true, force: true });
  };
  return { url: (repository) => `ssh://${userInfo().username}@127.0.0.1:${port}${repository}`, authorize, stop };
}

function writeConfig(directory: string, port: number, authorizedKeys: string): string {
  const hostKey = join(directory, 'host_key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey]);
  // sshd insists on this folder when root starts it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${hostKey}`,
    `PidFile ${join(directory, 'pid')}`,
    `AuthorizedKeysFile ${authorizedKeys}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'AcceptEnv GIT_PROTOCOL',
  ];
  const file = join(directory, 'sshd_config');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}
