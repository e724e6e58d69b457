import { AppError } from '@plinth/errors';
import { changesFor, type Manifest } from './upload-manifest';

const changes = (more: Partial<Manifest>) =>
  changesFor({ wanted: new Map(), uploaded: new Map(), stored: new Map(), prune: true, ...more });

describe('the changes for an uploaded project', () => {
  it('are refused with every file named that is not there, twenty at most', () => {
    const wanted = new Map(Array.from({ length: 25 }, (_, index) => [`f${index}`, 'hash']));
    const uploaded = new Map([['f0', { oid: '1', contentHash: 'another' }]]);
    const refuse = () => changes({ wanted, uploaded });
    expect(refuse).toThrow(AppError);
    expect(refuse).toThrow(/f0, f1, .*f19 and 5 more$/);
  });

  it('put what is new, leave what is stored, and remove the rest before', () => {
    const wanted = new Map([
      ['same', 'a'],
      ['new', 'b'],
    ]);
    const uploaded = new Map([
      ['new', { oid: '1', contentHash: 'b' }],
      ['unasked', { oid: '2', contentHash: 'c' }],
    ]);
    const stored = new Map([
      ['same', 'a'],
      ['old', 'c'],
    ]);
    const links = [{ kind: 'link', path: 'new', oid: '1' }];
    expect(changes({ wanted, uploaded, stored })).toEqual([{ kind: 'delete', path: 'old' }, ...links]);
    expect(changes({ wanted, uploaded, stored, prune: false })).toEqual(links);
  });

  it('spare what clients never list', () => {
    const kept = ['.github/a.yml', 'a/.env', 'node_modules/x/y', 'dashboard-app/z'];
    const removed = ['a', '.gitignore', 'model/.gitkeep'];
    const stored = new Map([...kept, ...removed].map((path) => [path, 'hash']));
    expect(changes({ stored })).toEqual(removed.map((path) => ({ kind: 'delete', path })));
  });
});
