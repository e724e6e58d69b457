import { posix } from 'node:path';
import nunjucks, { Environment, type ILoader, Loader, type LoaderSource } from 'nunjucks';
import { templateError } from './template-error';

// Python's names, and its methods of lists and dictionaries (True, None, d.items() ...), inside expressions.
nunjucks.installJinjaCompat();

class TemplateLoader extends Loader implements ILoader {
  private readonly sources = new Map<string, string>();

  set(name: string, source: string): void {
    this.sources.set(posix.normalize(name), source);
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

type Filter = (...values: unknown[]) => unknown;

/**
 * Jinja of data models by way of nunjucks, with the methods that the compiler asks of its native module. Nothing is
 * escaped, since it renders YAML and SQL; undefined values print nothing.
 */
export class JinjaEngine {
  private readonly loader = new TemplateLoader();
  private readonly environment = new Environment(this.loader, { autoescape: false });

  constructor(filters: Readonly<Record<string, Filter>> = {}) {
    this.environment.addFilter('tojson', (value: unknown) => JSON.stringify(value));
    this.environment.addFilter('items', (value: object) => Object.entries(value));
    for (const [name, filter] of Object.entries(filters)) this.environment.addFilter(name, filter);
  }

  /** Makes a template known by its path: others import it by a path relative to theirs. */
  loadTemplate(name: string, source: string): void {
    this.loader.set(name, source);
  }

  /**
   * The template as text.
   *
   * @param compileContext what templates know as `COMPILE_CONTEXT`.
   * @param globals functions and variables by their names.
   * @throws TemplateError with the file and the line.
   */
  async renderTemplate(name: string, compileContext: unknown, globals: object | null): Promise<string> {
    try {
      return this.environment.render(name, { ...globals, COMPILE_CONTEXT: compileContext });
    } catch (error) {
      throw templateError(error, name);
    }
  }
}
