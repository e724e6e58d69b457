const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * What of our libraries is loaded when something of it is used first, and not when its importer is: most processes use a
 * small part of what a library offers, and loading all of it is most of what their start costs.
 */
const libraries = join(__dirname, '..', 'libs');
/**
 * What sealed processes are made of is loaded before they are sealed: afterwards nothing is. And nobody who fails has to load
 * what failures are told with.
 */
const eager = ['errors', 'jinja', 'model-process', 'redaction'];
const names = readdirSync(libraries).filter((name) => !eager.includes(name));
const faces = names.map((name) => join(libraries, name, 'src', 'index.ts')).filter(existsSync);

/** Packages that take long to load and that only some requests need. */
const occasional = [
  ...['ai', '@ai-sdk/anthropic', '@ai-sdk/openai-compatible'],
  ...['@modelcontextprotocol/sdk/server/index.js', '@modelcontextprotocol/sdk/types.js'],
  ...['@octokit/app', 'nodemailer', 'pgsql-ast-parser', 'tar-stream', 'yaml'],
];

const importsOfLibraries = [...names.map((name) => `@plinth/${name}`), ...occasional];
const partsOfLibraries = [
  ...new Set(
    faces.flatMap((face) => [...readFileSync(face, 'utf8').matchAll(/ from '([^']+)';/g)].map(([, from]) => from)),
  ),
];

const isFace = (path) => faces.includes(path);

/** A command loads what it needs when it runs: whoever asks for help waits for none of the services. */
const isCommand = (path) => /platform\/src\/operator\/[^/]+\.ts$/.test(path);
const ownImportsOf = (path) => [...readFileSync(path, 'utf8').matchAll(/ from '(\.[^']+)';/g)].map(([, from]) => from);

/** As a library's: the settings and the schema of a service are there without its controllers. */
const isFaceOfService = (path) => /\/apps\/[^/]+\/src\/(.+\/)?index\.ts$/.test(path);

/** For `module.lazy` of swc: the imports of that file that are lazy. */
const lazyImportsOf = (path) => {
  if (isFace(path)) return partsOfLibraries;
  return isCommand(path) || isFaceOfService(path) ? [...importsOfLibraries, ...ownImportsOf(path)] : importsOfLibraries;
};

module.exports = { importsOfLibraries, lazyImportsOf, partsOfLibraries };
