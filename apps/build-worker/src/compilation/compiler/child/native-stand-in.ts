import { JinjaEngine, TemplateError } from '@plinth/jinja';
import { type Problems } from '@plinth/model-process';

/** Jinja in which a template that fails renders as nothing, so that the other files are still checked. */
class CheckedJinja extends JinjaEngine {
  constructor(private readonly problems: Problems) {
    super();
  }

  override async renderTemplate(name: string, compileContext: unknown, globals: object | null): Promise<string> {
    try {
      return await super.renderTemplate(name, compileContext, globals);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      this.problems.add(`Template error: ${error.message}`, error.fileName, error.line);
      return '';
    }
  }
}

/** What the compiler asks of `@cubejs-backend/native`, where that module has no binary for the machine. */
export class NativeStandIn {
  constructor(private readonly problems: Problems) {}

  newJinjaEngine(): JinjaEngine {
    return new CheckedJinja(this.problems);
  }

  async loadPythonContext(fileName: string): Promise<object> {
    this.problems.add('Python data models need the native module, which is not installed', fileName);
    return { __type: 'PythonCtx', filters: {}, variables: {}, functions: {} };
  }
}
