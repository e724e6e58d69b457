import {
  ErrorReporter,
  generate,
  LightweightNodeCubeDictionary,
  LightweightSymbolResolver,
  YamlCompiler,
} from '../compiler-internals';
import { readPlainTexts } from '../plain-texts';

/** Tells of each text what the Python parser makes of it, what is made of it in its place, and whether that asked the parser. */
const { texts } = JSON.parse(process.argv[2] ?? '{}') as { texts: string[] };
const report = new ErrorReporter(null, [], { logger: () => undefined });

function compiler(): YamlCompiler {
  const symbols = new LightweightSymbolResolver();
  return new YamlCompiler(symbols, new LightweightNodeCubeDictionary(), null, symbols);
}

const python = compiler();
const quick = compiler();
let asked = false;
quick.parsePythonAndTranspileToJs = (code) => {
  asked = true;
  return python.parsePythonAndTranspileToJs(code, report);
};
readPlainTexts(quick);

function source(from: YamlCompiler, code: string): string {
  try {
    return generate(from.parsePythonAndTranspileToJs(code, report), {}, '').code;
  } catch (error) {
    return String(error);
  }
}

const told = texts.map((code) => {
  asked = false;
  return { quick: source(quick, code), asked, python: source(python, code) };
});
// The parser tells some faults to the console.
process.stdout.write(`\n${JSON.stringify(told)}`);
