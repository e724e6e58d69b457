import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayProblems, type GatewayConfig } from './gateway.config';

describe(gatewayProblems.name, () => {
  const problems = (tlsCertificate?: string, tlsKey?: string): readonly (string | undefined)[] =>
    gatewayProblems({ tlsCertificate, tlsKey } as GatewayConfig).map((line) => line.split(':')[0]);
  const newPair = (): [certificate: string, key: string] => {
    const folder = mkdtempSync(join(tmpdir(), 'tls-'));
    const [certificate, key] = [join(folder, 'certificate'), join(folder, 'key')];
    const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost`;
    execFileSync('openssl', [...words.split(' '), '-keyout', key, '-out', certificate], { stdio: 'ignore' });
    const pair: [string, string] = [readFileSync(certificate, 'utf8'), readFileSync(key, 'utf8')];
    rmSync(folder, { recursive: true });
    return pair;
  };

  it('finds half a pair, what is no pair, and two halves that do not belong together', () => {
    const [[certificate, key], [, foreignKey]] = [newPair(), newPair()];
    expect(problems(certificate)).toEqual(['PLINTH_TLS_KEY']);
    expect(problems(undefined, key)).toEqual(['PLINTH_TLS_CERTIFICATE']);
    expect(problems('no certificate', key)).toEqual(['PLINTH_TLS_KEY']);
    expect(problems(certificate, foreignKey)).toEqual(['PLINTH_TLS_KEY']);
    expect([problems(certificate, key), problems()]).toEqual([[], []]);
  });
});
