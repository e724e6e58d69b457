/** The address of a remote repository, checked and taken apart. */
export interface RemoteUrl {
  /** As git takes it; free of credentials except for the user name of SSH. */
  text: string;
  protocol: 'https' | 'http' | 'ssh' | 'file';
  /** Empty for `file`. */
  host: string;
  port: number;
}

/** An address that must not be used; the message is a sentence for the client. */
export class InvalidRemoteUrlError extends Error {
  override readonly name = 'InvalidRemoteUrlError';
}

const MAX_LENGTH = 2_048;
const DEFAULT_PORTS = { https: 443, http: 80, ssh: 22, file: 0 } as const;
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])$/;
const SCP_LIKE = /^([A-Za-z0-9_][\w.-]*)@([^:/@]+):(?!\/\/)([^-].*)$/s;

/**
 * Reads `https://host/path`, `ssh://user@host/path` and SSH's short form `user@host:path`; with `allowInsecure` also
 * `http` and `file`.
 *
 * @throws InvalidRemoteUrlError for anything else, above all for what git or ssh would take as an option or a command
 */
export function parseRemoteUrl(text: string, { allowInsecure }: { allowInsecure: boolean }): RemoteUrl {
  if (text.length > MAX_LENGTH || /[\s\p{C}\\]/u.test(text)) throw invalid('it holds characters that no address has');
  const short = SCP_LIKE.exec(text);
  const remote = short ? { text, protocol: 'ssh' as const, host: short[2] ?? '', port: 22 } : readUrl(text);
  if (!allowInsecure && (remote.protocol === 'http' || remote.protocol === 'file')) {
    throw invalid(`${remote.protocol}:// is not allowed`);
  }
  if (remote.protocol === 'file' ? remote.host !== '' : !HOST.test(remote.host)) {
    throw invalid('it has no usable host name');
  }
  return { ...remote, host: remote.host.replace(/^\[|\]$/g, '').toLowerCase() };
}

function readUrl(text: string): RemoteUrl {
  const url = parse(text);
  const protocol = url.protocol.slice(0, -1);
  if (!isProtocol(protocol)) throw invalid('use https:// or ssh://');
  refuseParts(url, protocol);
  return { text, protocol, host: url.hostname, port: Number(url.port || DEFAULT_PORTS[protocol]) };
}

const isProtocol = (name: string): name is RemoteUrl['protocol'] => Object.hasOwn(DEFAULT_PORTS, name);

function refuseParts(url: URL, protocol: RemoteUrl['protocol']): void {
  if (url.password !== '' || (protocol !== 'ssh' && url.username !== '')) {
    throw invalid('credentials do not belong into it');
  }
  if (!/^[\w.-]*$/.test(url.username) || url.username.startsWith('-')) throw invalid('the user name is not usable');
  if (url.search !== '' || url.hash !== '') throw invalid('a query or fragment does not belong into it');
  if (url.pathname.length < 2 || url.pathname.startsWith('/-')) throw invalid('it names no repository');
}

function parse(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw invalid('it is not a URL');
  }
}

function invalid(reason: string): InvalidRemoteUrlError {
  return new InvalidRemoteUrlError(`The repository's address is not valid: ${reason}.`);
}
