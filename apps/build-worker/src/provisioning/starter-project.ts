import type { TreeChange } from '@plinth/git';

const readme = `# Data model

Cubes go into \`model/cubes\`, views into \`model/views\`. Work on a branch of your own in dev mode, commit it to a shared
branch, and merge that into the deploy branch to build production.
`;

const configuration = `// Configuration options of the engine: https://cube.dev/docs/product/configuration
module.exports = {};
`;

/** What a new data model begins with. */
export const starterProject: readonly Extract<TreeChange, { kind: 'put' }>[] = [
  { kind: 'put', path: 'README.md', content: readme },
  { kind: 'put', path: 'cube.js', content: configuration },
  { kind: 'put', path: 'model/cubes/.gitkeep', content: '' },
  { kind: 'put', path: 'model/views/.gitkeep', content: '' },
];
