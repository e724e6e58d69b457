import { AppError } from '@plinth/errors';
import { RepositoryNotFoundError } from '@plinth/git';
import { DataModelsService } from './data-models.service';

describe('a data model whose repository is gone', () => {
  const missing = new RepositoryNotFoundError('t1-d3');
  const openWith = (describeDeployment: () => Promise<unknown>) => {
    const repositories = { find: () => Promise.reject(missing) };
    return new DataModelsService(repositories as never, { describe: describeDeployment } as never, {} as never).open(
      1,
      3,
    );
  };

  it('is not found when its deployment was deleted meanwhile', async () => {
    const deleted = new AppError('deployment.not_found', 'There is no such deployment');
    await expect(openWith(() => Promise.reject(deleted))).rejects.toBe(deleted);
  });

  it('is a failure when its deployment is there', async () => {
    await expect(openWith(() => Promise.resolve({}))).rejects.toBe(missing);
  });
});
