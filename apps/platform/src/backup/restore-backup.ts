import { existsSync } from 'node:fs';
import { advisoryLockId, migrationsOf } from '@plinth/database';
import { repositoryPath, setReferences, unpackObjects } from '@plinth/git';
import { failpoint } from '@plinth/observability';
import type { Client } from 'pg';
import { BackupError } from './backup-error';
import type { BackupHeader, BackupOutcome } from './backup-format';
import { textOf, type BackupReader } from './backup-reader';
import { outgoingOf, type Outgoing } from './outgoing';
import { withOwner } from './owner-connection';
import { parseReferences } from './references-text';
import { makeSchemas, requireKnownRelease, requireSameRelease, RowRestore } from './restore-rows';
import { isEmptyRoot, RestoreStaging } from './restore-staging';

export interface RestoreTarget {
  /** Connection string of the owner of the database. */
  url: string;
  storageRoot: string;
}

export interface Restored extends BackupOutcome {
  tenants: string[];
  release: string;
  createdAt: string;
  outgoing: Outgoing;
}

/** A restore that was interrupted after its commit, and is done now. */
export interface Finished {
  finished: true;
  repositories: number;
}

const REPOSITORY = /^repositories\/([A-Za-z0-9-]+)\.(pack|refs)$/;

/**
 * Checks a backup before anything is made for it.
 *
 * @param keyIds ids of the keys that are configured
 * @throws BackupError when it is damaged, of a newer release, or sealed under keys that are not configured
 */
export async function checkBackup(reader: BackupReader, keyIds: readonly string[]): Promise<BackupOutcome> {
  const header = await reader.header();
  requireKnownRelease(header);
  const absent = header.keyIds.filter((id) => !keyIds.includes(id));
  if (absent.length > 0) {
    throw new BackupError(
      `The backup is sealed under keys that are not configured: ${absent.join(', ')}. Put them into PLINTH_ENCRYPTION_KEYS, ` +
        'or the file encryption-keys of the old data folder into the new one. ' +
        `Configured: ${keyIds.join(', ') || 'none'}`,
    );
  }
  return reader.verify();
}

/**
 * Restores a backup that {@link checkBackup} has let pass: everything into an empty platform, or a tenant beside others. All
 * of it is there when this returns, and nothing when it throws.
 *
 * @throws BackupError with a sentence for the operator
 */
export function restoreBackup(
  reader: BackupReader,
  outcome: BackupOutcome,
  target: RestoreTarget,
): Promise<Restored | Finished> {
  return withOwner(target.url, async (client) => {
    await client.query(`select pg_advisory_lock(${advisoryLockId('restore')})`);
    const staging = new RestoreStaging(target.storageRoot);
    const finished = await settleInterrupted(client, staging);
    if (finished) return finished;
    return new Restore(reader, await reader.header(), client, target, staging).run(outcome);
  });
}

/** The lock is held: whoever has left a folder behind is gone. */
async function settleInterrupted(client: Client, staging: RestoreStaging): Promise<Finished | undefined> {
  if (!staging.isThere) return undefined;
  const tenants = await staging.noted();
  const [first] = tenants ?? [];
  const isCommitted = first !== undefined && (await hasTenant(client, first.id, first.name));
  if (isCommitted) return { finished: true, repositories: await staging.publish() };
  await staging.discard();
  return undefined;
}

async function hasTenant(client: Client, id: number, name: string): Promise<boolean> {
  if ((await migrationsOf(client, 'control-plane')).length === 0) return false;
  const { rows } = await client.query('select from control_plane.tenant where id = $1 and name = $2', [id, name]);
  return rows.length > 0;
}

class Restore {
  constructor(
    private readonly reader: BackupReader,
    private readonly header: BackupHeader,
    private readonly client: Client,
    private readonly target: RestoreTarget,
    private readonly staging: RestoreStaging,
  ) {}

  async run(outcome: BackupOutcome): Promise<Restored> {
    const { client, header, staging } = this;
    await this.prepareTarget();
    await staging.begin();
    try {
      await this.takeRepositories();
      failpoint('restore.after-repositories');
      await client.query('begin');
      await this.takeRows();
      await staging.note(header.tenants);
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      await staging.discard();
      throw error;
    }
    failpoint('restore.before-commit');
    // Should the answer be lost, the next attempt finds out whether it took effect.
    await client.query('commit');
    failpoint('restore.after-commit');
    await staging.publish();
    const { release, createdAt, tenants } = header;
    const outgoing = await outgoingOf(
      client,
      tenants.map(({ id }) => id),
    );
    return { ...outcome, release, createdAt, tenants: tenants.map(({ name }) => name), outgoing };
  }

  /** A tenant comes to a platform that is there; where there is none, an empty one is made for it. */
  private async prepareTarget(): Promise<void> {
    const { client, header, target } = this;
    const isNew = (await migrationsOf(client, 'control-plane')).length === 0;
    if (header.tenant && !isNew) return requireSameRelease(client, header);
    if (!(await isEmptyRoot(target.storageRoot))) {
      throw new BackupError(
        `The target is not empty: there is something in ${target.storageRoot}. Nothing was changed`,
      );
    }
    await makeSchemas(client, target.url, header);
  }

  private async takeRepositories(): Promise<void> {
    for await (const { name, content } of this.reader.entries()) {
      const [, id, kind] = REPOSITORY.exec(name) ?? [];
      if (id === undefined) continue;
      if (existsSync(repositoryPath(this.target.storageRoot, id))) {
        throw new BackupError(`The target has a repository ${id} already. Nothing was changed`);
      }
      const path = this.staging.pathOf(id);
      if (kind === 'pack') await unpackObjects(path, content);
      else await setReferences(path, parseReferences(await textOf(content)));
    }
  }

  private async takeRows(): Promise<void> {
    const rows = await RowRestore.begin(this.client, this.header);
    for await (const { name, content } of this.reader.entries()) {
      if (name.startsWith('database/')) await rows.take(name, content);
    }
  }
}
