import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';
import { findProgram, type SealedNode } from '@plinth/sandbox';

export type ProgramName = 'widgets' | 'pictures';

const SOURCES = 'libs/rendering/src';
/** Beside the sources, and in the same place of a build. */
const FONTS = resolve(__dirname, '../../fonts');
const OWN_FONTS = ['NotoSans-Regular.ttf', 'NotoSans-Bold.ttf', 'NotoSans-Italic.ttf'];

/**
 * One of the two: `widgets` runs what charts bring and has nothing but JavaScript; `pictures` has the native renderer, and
 * gets from the other one only what it has cleaned.
 */
export function drawingProgram(name: ProgramName, heapMb: number, fontFolders: readonly string[]): SealedNode {
  const { script, folders } = findProgram({ entry: `${SOURCES}/${name}/main`, folders: [SOURCES] });
  return {
    script,
    readable: [nodeModules(), ...folders, FONTS, ...fontFolders.map((folder) => resolve(folder))],
    heapMb,
    ...(name === 'pictures' && { native: nativeRenderer() }),
  };
}

/** Files of fonts in the order in which letters are looked for. */
export function fontFiles(fontFolders: readonly string[]): string[] {
  const further = fontFolders.flatMap((folder) => {
    const names = readdirSync(folder).filter((name) => /\.(?:ttf|otf)$/i.test(name));
    return names.sort().map((name) => join(resolve(folder), name));
  });
  return [...OWN_FONTS.map((name) => join(FONTS, name)), ...further];
}

/** The binary that the package takes on this machine. */
function nativeRenderer(): string | undefined {
  const modules = nodeModules();
  const scope = join(modules, '@resvg');
  const folders = readdirSync(scope).filter((name) => name.startsWith('resvg-js-'));
  const files = folders.flatMap((folder) => readdirSync(join(scope, folder)).map((name) => join(scope, folder, name)));
  return files.find((file) => file.endsWith('.node'));
}

function nodeModules(): string {
  const entry = createRequire(__filename).resolve('@resvg/resvg-js');
  return `${dirname(entry).split(`${sep}node_modules${sep}`)[0] ?? ''}${sep}node_modules`;
}
