import { databaseSettings, loadConfig, type Environment } from '@plinth/config';
import type { Command } from 'commander';
import {
  auditVerifier,
  CheckpointSigner,
  tenantsService,
  type Checkpoint,
  type CheckpointPublicKey,
} from '../../../control-plane/src';
import { findInstallation } from '../installation';
import { shortName } from './arguments';
import { readJsonLines } from './json-file';
import { print, withDatabase } from './open-database';

interface VerifyOptions {
  tenant?: string;
  checkpoints?: string[];
  publicKeys?: string;
}

/** `plinth audit`: checks audit logs, and tells the keys that their checkpoints are verified with. */
export function addAuditCommand(program: Command): void {
  const audit = program.command('audit').description('Audit logs');
  audit
    .command('verify')
    .description('Check that no event was changed, removed or moved since it was recorded; exit code 1 when one was')
    .option('--tenant <name>', 'name of the account; all accounts when absent', shortName)
    .option('--checkpoints <file...>', 'checkpoints kept outside the database: lines of JSON, also those of a log')
    .option('--public-keys <file>', 'lines of an earlier `audit public-key`, for checkpoints of keys that are gone')
    .action(verify);
  audit
    .command('public-key')
    .description('Print the keys that checkpoints are verified with, the one that signs first')
    .action(() => signerOf(findInstallation().environment).publicKeys().forEach(print));
}

const signerOf = (environment: Environment, others: readonly CheckpointPublicKey[] = []): CheckpointSigner =>
  new CheckpointSigner(
    loadConfig({ encryptionKeys: databaseSettings.encryptionKeys }, environment).encryptionKeys,
    others,
  );

const verify = ({ tenant, checkpoints = [], publicKeys }: VerifyOptions): Promise<void> =>
  withDatabase(async (database, environment) => {
    const tenants = await tenantsService(database).list();
    const only = tenants.find(({ name }) => name === tenant);
    if (tenant !== undefined && !only) throw new Error(`There is no tenant named ${tenant}`);
    const kept = (await Promise.all(checkpoints.map(readJsonLines))).flat().flatMap(checkpointOf);
    const others = publicKeys === undefined ? [] : ((await readJsonLines(publicKeys)) as CheckpointPublicKey[]);
    const verifier = auditVerifier(database, signerOf(environment, others));
    for await (const { tenantId, ...verdict } of verifier.verify({ onlyTenantId: only?.id, kept })) {
      print({ tenant: tenants.find(({ id }) => id === tenantId)?.name ?? null, tenantId, ...verdict });
      if (verdict.broken) process.exitCode = 1;
    }
  });

/** The checkpoint of a line; none of a line of the log that says something else. */
function checkpointOf(line: unknown): Checkpoint[] {
  const { auditCheckpoint: checkpoint = line } = line as { auditCheckpoint?: unknown };
  return typeof (checkpoint as Partial<Checkpoint>).signature === 'string' ? [checkpoint as Checkpoint] : [];
}
