import { flag, integer, setting } from '@plinth/config';
import { z } from 'zod';

const MIB = 1024 * 1024;

/** Which remote repositories may be used, and how much they may cost. */
export const remoteSettings = {
  gitAllowInsecureRemotes: setting(
    'PLINTH_GIT_ALLOW_INSECURE_REMOTES',
    flag().default(false),
    'Allows remote repositories over plain HTTP, in files and on the machine itself. For tests and closed networks alone.',
  ),
  gitAllowPrivateRemotes: setting(
    'PLINTH_GIT_ALLOW_PRIVATE_REMOTES',
    flag().default(false),
    'Allows remote repositories in private networks (10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7).',
  ),
  gitRemoteTimeoutMs: setting(
    'PLINTH_GIT_REMOTE_TIMEOUT_MS',
    integer(1_000, 3_600_000).default(100_000),
    'Longest time that one fetch or push may take, in milliseconds. A connection has to be made within two minutes.',
  ),
  gitRemoteMaxBytes: setting(
    'PLINTH_GIT_REMOTE_MAX_BYTES',
    integer(MIB, 64 * 1024 * MIB).default(512 * MIB),
    'Bytes that one fetch from a remote repository may bring.',
  ),
  gitCaFile: setting(
    'PLINTH_GIT_CA_FILE',
    z.string().min(1).optional(),
    "File with the certificates (PEM) that git trusts instead of the system's.",
  ),
};
