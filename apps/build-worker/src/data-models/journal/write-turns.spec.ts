import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import type { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { RepositoriesRepository } from '../repositories/repositories.repository';
import { WriteTurns } from './write-turns';

const turnsWhere = (known: object | undefined): WriteTurns => {
  const repositories = { find: () => Promise.resolve(known) } as unknown as RepositoriesRepository;
  return new WriteTurns({} as Database, { databasePoolSize: 4 }, repositories);
};
const failing = (turns: WriteTurns, error: Error): Promise<unknown> =>
  turns.run(systemPrincipal(1), 1, () => Promise.reject(error));

describe('a change to a data model that fails', () => {
  const lost = new Error('git cat-file: ended (128)');

  it('finds no deployment when the data model was removed meanwhile', async () => {
    await expect(failing(turnsWhere(undefined), lost)).rejects.toMatchObject({
      code: 'deployment.not_found',
      cause: lost,
    });
  });

  it('fails as it does while the data model is there', async () => {
    await expect(failing(turnsWhere({}), lost)).rejects.toBe(lost);
  });

  it('keeps what it has to say to its caller', async () => {
    const refusal = new AppError('merge.conflict', 'x');
    await expect(failing(turnsWhere(undefined), refusal)).rejects.toBe(refusal);
  });
});
