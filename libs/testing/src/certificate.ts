import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Files in PEM of a key and of the certificate that says whose it is. */
export interface CertificateFiles {
  key: string;
  certificate: string;
}

/** A new certificate of one's own making for some hosts, names or addresses, in the folder; its own authority. */
export function createCertificate(folder: string, hosts: readonly string[]): CertificateFiles {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const names = hosts.map((host) => `${/^[\d.]+$/.test(host) ? 'IP' : 'DNS'}:${host}`);
  const options = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost'];
  const files = ['-addext', `subjectAltName=${names.join(',')}`, '-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', ...options, ...files], { stdio: 'ignore' });
  return { key, certificate };
}
