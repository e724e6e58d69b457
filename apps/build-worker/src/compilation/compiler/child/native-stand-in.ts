import { posix } from 'node:path';
import nunjucks, { Environment, type ILoader, Loader, type LoaderSource } from 'nunjucks';
import { type Problems } from '@plinth/model-process';

// Python's names and methods (True, None, d.items(), s.strip() ...) inside expressions.
nunjucks.installJinjaCompat();

class TemplateLoader extends Loader implements ILoader {
  private readonly sources = new Map<string, string>();

  set(name: string, source: string): void {
    this.sources.set(name, source);
  }

  getSource(name: string): LoaderSource {
    const path = posix.normalize(name);
    const src = this.sources.get(path);
    if (src === undefined) throw new Error(`template not found: ${name}`);
    return { src, path, noCache: true };
  }

  override resolve(from: string, to: string): string {
    return posix.join(posix.dirname(from), to);
  }
}

/** Jinja by way of nunjucks: no escaping, since it renders YAML and SQL; undefined values print nothing. */
export class JinjaEngine {
  private readonly loader = new TemplateLoader();
  private readonly environment = new Environment(this.loader, { autoescape: false });

  constructor(private readonly problems: Problems) {
    this.environment.addFilter('tojson', (value: unknown) => JSON.stringify(value));
    this.environment.addFilter('items', (value: object) => Object.entries(value));
  }

  loadTemplate(name: string, source: string): void {
    this.loader.set(name, source);
  }

  /** A template that fails renders as nothing, so that the other files are still checked. */
  async renderTemplate(name: string, compileContext: object, python: object): Promise<string> {
    try {
      return this.environment.render(name, { ...python, COMPILE_CONTEXT: compileContext });
    } catch (error) {
      const { fileName, message, line } = templateError(error, name);
      this.problems.add(`Template error: ${message}`, fileName, line);
      return '';
    }
  }
}

/**
 * Nunjucks nests places into the message, `(file) [Line 3, Column 5]`, then says what happened. The outermost place is
 * the true one: a line inside a macro comes with the name of the template that called it. Lines are counted from one in
 * errors of syntax, and from zero in those of rendering, which are marked with `Error:`.
 */
function templateError(error: unknown, name: string): { fileName: string; message: string; line?: number } {
  const text = error instanceof Error ? error.message : String(error);
  const [, fileName = name, line] = [...text.matchAll(/\(([^()\n]+)\) \[Line (\d+), Column \d+\]/g)].at(0) ?? [];
  const last = text.split('\n').at(-1)?.trim() ?? text;
  const message = last.replace(/^Error: /, '');
  if (line === undefined) return { fileName, message };
  return { fileName, message, line: Number(line) + (message === last ? 0 : 1) };
}

/** What the compiler asks of `@cubejs-backend/native`, where that module has no binary for the machine. */
export class NativeStandIn {
  constructor(private readonly problems: Problems) {}

  newJinjaEngine(): JinjaEngine {
    return new JinjaEngine(this.problems);
  }

  async loadPythonContext(fileName: string): Promise<object> {
    this.problems.add('Python data models need the native module, which is not installed', fileName);
    return { __type: 'PythonCtx', filters: {}, variables: {}, functions: {} };
  }
}
