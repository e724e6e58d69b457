// Fills a folder with the secrets that docker-compose.yml mounts; files that exist are kept.
//
//   node tools/deploy/make-secrets.mjs FOLDER [HOST_NAME]
//
// The folder is closed to others. The files are readable, because a container mounts each of them alone, with its
// mode, and reads it as another user. The certificate is self-signed, for trying things out.
import { execFileSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, hostName = 'localhost'] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node tools/deploy/make-secrets.mjs FOLDER [HOST_NAME]');
  process.exit(2);
}
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const base62 = (length) => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
const fileOf = (name) => join(folder, name);

function keep(name, make) {
  if (!existsSync(fileOf(name))) writeFileSync(fileOf(name), make(), { mode: 0o444 });
  return readFileSync(fileOf(name), 'utf8');
}

mkdirSync(folder, { recursive: true, mode: 0o700 });
for (const service of ['gateway', 'control_plane', 'build_worker', 'runtime', 'workspace', 'embed', 'agents', 'scim']) {
  keep(`nats_${service}_password`, () => base62(32));
}
const password = keep('postgres_password', () => base62(32));
keep('database_url', () => `postgres://plinth:${password}@postgres:5432/plinth`);
keep('encryption_keys', () => randomBytes(32).toString('base64'));
keep('bootstrap_api_key', () => `sk-${base62(40)}`);
if (!existsSync(fileOf('tls_certificate')) || !existsSync(fileOf('tls_key'))) {
  const subject = ['-subj', `/CN=${hostName}`, '-addext', `subjectAltName=DNS:${hostName}`];
  const [key, certificate] = [fileOf('tls_key'), fileOf('tls_certificate')];
  const files = ['-keyout', `${key}.new`, '-out', `${certificate}.new`];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '365', ...files, ...subject], {
    stdio: 'pipe',
  });
  for (const path of [key, certificate]) {
    writeFileSync(path, readFileSync(`${path}.new`), { mode: 0o444 });
    rmSync(`${path}.new`);
  }
}
console.log(`The secrets are in ${folder}; the first API key is in ${fileOf('bootstrap_api_key')}.`);
