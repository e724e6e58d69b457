import { spawnSync } from 'node:child_process';
import { drawingProgram, fontFiles, type ProgramName } from './program';

const packages = {
  charts: ['vega', 'vega-lite', 'marked', 'd3-sankey', 'topojson-client'],
  pictures: ['pdfkit', 'svg-to-pdfkit', '@resvg/resvg-js', 'sanitize-html'],
  fonts: ['fontkit'],
};

/** Packages that a process has loaded by the time it says that it is ready. */
function loaded(name: ProgramName): Set<string> {
  const { script } = drawingProgram(name, 64, []);
  const lister = `process.once('exit', () => {
    process.stderr.write(JSON.stringify(Object.keys(require('node:module')._cache)));
  });
  require(${JSON.stringify(script)});`;
  const start = `${JSON.stringify({ fonts: fontFiles([]) })}\n`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', lister], { env: {}, encoding: 'utf8', input: start });
  expect(stdout).toBe('{"kind":"ready"}\n');
  const files = JSON.parse(stderr) as string[];
  const found = files.map((file) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? '');
  return new Set(found);
}

describe('a renderer that waits for its first job', () => {
  it.each(['widgets', 'pictures'] as const)('has loaded fonts, and nothing that only some jobs need: %s', (name) => {
    const found = loaded(name);
    expect(packages.fonts.filter((each) => !found.has(each))).toEqual([]);
    expect([...packages.charts, ...packages.pictures].filter((each) => found.has(each))).toEqual([]);
  });
});
