/** A git command or child process failed. `output` is for logs: it may hold paths of the server. */
export class GitError extends Error {
  override readonly name: string = 'GitError';

  constructor(
    readonly subcommand: string,
    message: string,
    readonly output = '',
  ) {
    super(`git ${subcommand}: ${message}`);
  }
}

/** A reference is not at the commit that the caller built on; nothing was changed. */
export class RefMovedError extends Error {
  override readonly name = 'RefMovedError';

  constructor(
    readonly ref: string,
    readonly expected: string | null,
    readonly actual: string | null,
  ) {
    super(`${ref} is at ${actual ?? 'no commit'}, expected ${expected ?? 'no commit'}`);
  }
}

/** A reference cannot exist beside another one, as with `a` and `a/b`; nothing was changed. */
export class RefNameConflictError extends Error {
  override readonly name = 'RefNameConflictError';

  constructor(
    readonly ref: string,
    readonly existing: string,
  ) {
    super(`${ref} cannot be created while ${existing} exists`);
  }
}

/** No object of that id is stored, or it has another type than the caller needs. */
export class ObjectNotFoundError extends Error {
  override readonly name = 'ObjectNotFoundError';

  constructor(
    readonly oid: string,
    readonly wanted: string,
  ) {
    super(`No ${wanted} ${oid}`);
  }
}

/** A change names a file that the tree does not hold. */
export class PathNotFoundError extends Error {
  override readonly name = 'PathNotFoundError';

  constructor(readonly path: string) {
    super(`${path} does not exist`);
  }
}

/** A rename aims at a path that is taken. */
export class PathExistsError extends Error {
  override readonly name = 'PathExistsError';

  constructor(readonly path: string) {
    super(`${path} already exists`);
  }
}

/** A file stands where a directory is needed, or the reverse. */
export class PathObstructedError extends Error {
  override readonly name = 'PathObstructedError';

  constructor(
    readonly path: string,
    readonly obstacle: string,
  ) {
    super(
      path === obstacle
        ? `${path} is a directory, so it cannot be used as a file`
        : `${obstacle} is a file, so ${path} cannot be stored below it`,
    );
  }
}
