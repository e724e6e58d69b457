import { SyncFailure } from '../syncs/sync-outcome';
import { requireInnerPaths, requireProject } from './project-file';

const PROJECT = 'name: shop\nmodel-paths: [models]\n';
const required = (text: string, path = 'dbt_project.yml') =>
  requireInnerPaths([{ path, content: Buffer.from(`${PROJECT}${text}`) }]);

/** Each alias stands for nine of the one before. */
const BOMB = ['a: &a [x,x,x,x,x,x,x,x,x]', ...Array.from({ length: 9 }, (_none, at) => nineOf(at))].join('\n');

function nineOf(at: number): string {
  const [former, name] = [at, at + 1].map((code) => String.fromCharCode(97 + code));
  return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${former}`).join()}]`;
}

describe(requireInnerPaths, () => {
  it.each([
    ['has folders of the machine', 'macro-paths: ["/etc"]', /leads out of the project, to \/etc/],
    ['has folders of a home', 'macro-paths: ["~/x"]', /leads out of the project/],
    ['has folders beside it', 'seed-paths: ["../x"]', /leads out of the project/],
    ['has folders beside it by a detour', 'seed-paths: [a, "a/../../x"]', /leads out of the project/],
    ['writes elsewhere', 'target-path: /tmp/x', /leads out of the project/],
    ['is a bomb of YAML', BOMB, /no YAML/],
  ])('refuses a project that %s', (_case, text, message) => {
    const refused = () => required(text);
    expect(refused).toThrow(SyncFailure);
    expect(refused).toThrow(message);
  });

  it('refuses one in a folder of the project, too', () => {
    expect(() => required('macro-paths: ["/etc"]', 'inner/dbt_project.yml')).toThrow(/^inner\/dbt_project.yml: /);
  });

  it('takes folders of the project', () => {
    expect(() => required('macro-paths: ["macros", "more/macros"]\ntarget-path: target')).not.toThrow();
  });
});

describe(requireProject, () => {
  it.each(['../x', 'a/b', '1st', '', 'x y'])('refuses a project whose name is %j', (name) => {
    const content = Buffer.from(`name: ${JSON.stringify(name)}`);
    expect(() => requireProject([{ path: 'dbt_project.yml', content }])).toThrow(/does not name the project/);
  });
});
