import { AppError, type ErrorCode, type ErrorDetail } from '@plinth/errors';

/** Problems that one refusal names. */
const MAX_NAMED = 100;

const codes = { invalid: 'import.invalid', refused: 'import.refused', conflict: 'import.conflict' } as const;

/** Everything that is wrong with an archive; what is not understood comes before what is not allowed. */
export class ImportProblems {
  private readonly found: Record<keyof typeof codes, ErrorDetail[]> = { invalid: [], refused: [], conflict: [] };

  add(kind: keyof typeof codes, file: string, message: string, line?: number): void {
    this.found[kind].push({ path: line === undefined ? file : `${file}:${line}`, message });
  }

  /** @throws AppError `import.invalid` (400), `import.refused` (403), `import.conflict` (409) */
  refuseAny(): void {
    const { invalid, refused, conflict } = this.found;
    const kind = (['invalid', 'refused', 'conflict'] as const).find((each) => this.found[each].length > 0);
    if (kind) throw refusal(codes[kind], [...invalid, ...refused, ...conflict]);
  }
}

function refusal(code: ErrorCode, problems: readonly ErrorDetail[]): AppError {
  const [first, ...rest] = problems;
  const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`;
  const details = problems.slice(0, MAX_NAMED);
  return new AppError(code, `${first?.path ?? ''} ${first?.message ?? ''}${more}`, { details });
}
