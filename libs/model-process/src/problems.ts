/** What is wrong with a data model; file and line where they are known. */
export interface ModelProblem {
  message: string;
  fileName?: string;
  line?: number;
}

/** Beyond these, problems are left out and messages cut off. */
export interface ProblemLimits {
  problems: number;
  messageLength: number;
}

const FRAME_LINE = /^\s*> (\d+) \|/m;
const COLOUR = /\x1b\[[0-9;]*m/g;

/** Collects what is wrong with a model, each thing once, with the place in the sources where it can be found out. */
export class Problems {
  private readonly found = new Map<string, ModelProblem>();

  constructor(
    private readonly root: string,
    private readonly files: readonly { path: string; content: string }[],
    private readonly limits: ProblemLimits,
  ) {}

  /** The compiler says some things twice, once with less of a place. */
  get all(): ModelProblem[] {
    const errors = [...this.found.values()];
    return errors
      .filter((error) => !errors.some((other) => isMorePrecise(other, error)))
      .slice(0, this.limits.problems);
  }

  /** `fileName` is relative to the model's root. */
  add(message: string, fileName?: string, line?: number): void {
    const clean = shortened(message.replace(COLOUR, '').trim(), this.limits.messageLength);
    const place = fileName === undefined ? this.placeOfCube(clean) : { fileName, line };
    const error: ModelProblem = { message: clean };
    if (place?.fileName !== undefined) error.fileName = this.root + place.fileName;
    if (place?.line !== undefined) error.line = place.line;
    this.found.set(JSON.stringify(error), error);
  }

  /** An error that the compiler formatted: a code frame in it gives the line and is left out of the message. */
  addReported({ message, plainMessage }: { message: string; plainMessage?: string }, fileName?: string): void {
    const line = FRAME_LINE.exec(message.replace(COLOUR, ''))?.[1];
    this.add(plainMessage ?? message, fileName, line ? Number(line) : undefined);
  }

  /** An exception from the model's own code or about it; the stack knows the place if a model file is on it. */
  addThrown(error: unknown, fileName?: string): void {
    const message = messageOf(error);
    const place = this.placeInStack(error, fileName);
    this.add(message, place?.fileName ?? fileName, place?.line);
  }

  private placeInStack(error: unknown, wanted?: string): { fileName: string; line: number } | undefined {
    const stack = typeof error === 'object' && error !== null && 'stack' in error ? String(error.stack) : '';
    const names = wanted === undefined ? this.files.map(({ path }) => path) : [wanted];
    for (const row of stack.split('\n')) {
      for (const fileName of names) {
        // A model's file stands alone in a frame, never as the end of a longer path.
        const at = row.search(new RegExp(`(?:^|[\\s(])${escape(fileName)}:\\d+`));
        const line = at < 0 ? undefined : row.slice(at).match(/:(\d+)/)?.[1];
        if (line) return { fileName, line: Number(line) };
      }
    }
    return undefined;
  }

  /** What the compiler says about a cube begins with its name; the definition is then found in the text. */
  private placeOfCube(message: string): { fileName: string; line: number } | undefined {
    const name = /^(\w+) cube: |^(\w+)\.\w+ cannot be resolved/.exec(message)?.slice(1).find(Boolean);
    if (name) return this.definitionsOf(name)[0];
    const duplicate = /^Found duplicate (?:cube|view) name '(\w+)'/.exec(message)?.[1];
    return duplicate ? this.definitionsOf(duplicate).at(-1) : undefined;
  }

  private definitionsOf(cube: string): { fileName: string; line: number }[] {
    const inYaml = new RegExp(`^ {0,4}-? *name: *['"]?${cube}['"]?\\s*$`);
    const inScript = new RegExp(`\\b(?:cube|view)\\(\\s*['"\`]${cube}['"\`]`);
    return this.files.flatMap(({ path, content }) => {
      const definition = path.endsWith('.js') ? inScript : inYaml;
      return content
        .split('\n')
        .flatMap((text, index) => (definition.test(text) ? [{ fileName: path, line: index + 1 }] : []));
    });
  }
}

function shortened(message: string, length: number): string {
  return message.length > length ? `${message.slice(0, length - 1)}…` : message;
}

function isMorePrecise(a: ModelProblem, b: ModelProblem): boolean {
  if (a.message !== b.message) return false;
  if (b.fileName === undefined) return a.fileName !== undefined;
  return a.fileName === b.fileName && a.line !== undefined && b.line === undefined;
}

function messageOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return String(message);
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
