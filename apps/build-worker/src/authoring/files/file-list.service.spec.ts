import { systemPrincipal } from '@plinth/auth';
import { FileListService } from './file-list.service';

const broken = new Error('git cat-file: ended (128)');
const model = { settings: { deploymentId: 3 }, git: { readTree: () => Promise.reject(broken) } };

/** A service whose data model cannot be read; `isThere` says whether it has been removed meanwhile. */
function serviceOver(isThere: boolean): FileListService {
  const database = { transaction: () => Promise.resolve({ name: 'main' }) };
  const models = { open: () => Promise.resolve(model) };
  const refs = { headOf: () => Promise.resolve('c0ffee') };
  const repositories = { find: () => Promise.resolve(isThere ? {} : undefined) };
  return new FileListService(
    database as never,
    models as never,
    {} as never,
    refs as never,
    {} as never,
    repositories as never,
  );
}

describe('the files of a data model', () => {
  const list = (isThere: boolean) => serviceOver(isThere).list(systemPrincipal(1), 3, {});

  it('are not there when it goes while they are read', async () => {
    await expect(list(false)).rejects.toMatchObject({ code: 'deployment.not_found' });
  });

  it('fail as they do when it is there and cannot be read', async () => {
    await expect(list(true)).rejects.toBe(broken);
  });
});
