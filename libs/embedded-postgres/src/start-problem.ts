/** PostgreSQL cannot be started. The message is meant for the operator and names what to change. */
export class EmbeddedPostgresError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedPostgresError';
  }
}

interface Circumstances {
  folder: string;
  userName: string;
  port?: number;
}

const sentences: readonly (readonly [RegExp, (circumstances: Circumstances) => string])[] = [
  [
    /No space left on device|ENOSPC|EDQUOT|Disk quota exceeded/,
    ({ folder }) => `No space is left on the disk that holds ${folder}. Free some and start again.`,
  ],
  [/Read-only file system|EROFS/, ({ folder }) => `${folder} lies on a read-only file system.`],
  [
    /Address already in use|EADDRINUSE|could not create any TCP\/IP sockets/,
    ({ port }) => `Port ${port} on 127.0.0.1 is taken by another program. Stop it or choose another port.`,
  ],
  [
    /database files are incompatible|was initialized by PostgreSQL version/,
    ({ folder }) => `${folder} was made by another major version of PostgreSQL. Dump it there and restore it here.`,
  ],
  [
    /Permission denied|EACCES|EPERM|has wrong ownership|has invalid permissions/,
    ({ folder, userName }) =>
      `The user "${userName}" may not use ${folder}. Give the folder to that user or choose another data folder.`,
  ],
  [
    /error while loading shared libraries|ENOENT.*native/,
    () => 'The PostgreSQL binaries are incomplete. Install the packages again with their install scripts enabled.',
  ],
];

/** Turns an error of the file system or the output of a PostgreSQL program into a sentence for the operator. */
export function explainProblem(problem: unknown, circumstances: Circumstances): EmbeddedPostgresError {
  if (problem instanceof EmbeddedPostgresError) return problem;
  const text = problem instanceof Error ? problem.message : String(problem);
  const known = sentences.find(([pattern]) => pattern.test(text));
  const message = known
    ? known[1](circumstances)
    : `PostgreSQL did not start in ${circumstances.folder}: ${lastLines(text)}`;
  return new EmbeddedPostgresError(message, { cause: problem });
}

const lastLines = (text: string): string => text.trim().split('\n').slice(-3).join(' ') || 'it gave no reason';
