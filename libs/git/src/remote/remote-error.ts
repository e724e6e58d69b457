/** A remote repository could not be used. The message is a sentence without credentials, fit for the user. */
export class RemoteError extends Error {
  override readonly name: string = 'RemoteError';

  constructor(
    message: string,
    /** What git and the server said, without credentials; for logs, since it may hold paths of this machine. */
    readonly output = '',
  ) {
    super(message);
  }
}

/** The server refuses the credential, or wants one. */
export class RemoteAuthenticationError extends RemoteError {
  override readonly name = 'RemoteAuthenticationError';
}

/** No repository answers at the address, or not in time. */
export class RemoteUnreachableError extends RemoteError {
  override readonly name = 'RemoteUnreachableError';
}

/** The remote reference is not where the caller expected it, or the server refuses the change; nothing was changed. */
export class RemoteRejectedError extends RemoteError {
  override readonly name = 'RemoteRejectedError';

  constructor(
    message: string,
    /** Whether the reference has moved, so that fetching and trying again helps. */
    readonly moved: boolean,
    output = '',
  ) {
    super(message, output);
  }
}

/** More bytes than allowed; nothing of them is kept. */
export class RemoteTooLargeError extends RemoteError {
  override readonly name = 'RemoteTooLargeError';
}

/** The remote repository holds objects that git's own checks refuse; nothing of them is kept. */
export class RemoteContentError extends RemoteError {
  override readonly name = 'RemoteContentError';
}

const FAILURES: readonly [RegExp, (output: string) => RemoteError][] = [
  [
    /Authentication failed|could not read (Username|Password)|Permission denied \(|returned error: 40[13]\b|Access denied/i,
    (output) => new RemoteAuthenticationError('The git server does not accept the credentials.', output),
  ],
  [
    /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/,
    (output) =>
      new RemoteUnreachableError('The SSH host key of the git server has changed since the first contact.', output),
  ],
  [
    /fsck error|hasDotgit|error in object|invalid index-pack output|bad pack|index-pack (failed|died)/i,
    (output) => new RemoteContentError('The remote repository holds objects that git refuses as malformed.', output),
  ],
  [
    /couldn't find remote ref/i,
    (output) => new RemoteRejectedError('The branch does not exist in the remote repository.', true, output),
  ],
  [
    /not found|does not appear to be a git repository|does not exist|returned error: 404\b/i,
    (output) =>
      new RemoteUnreachableError('There is no such repository, or the credentials give no access to it.', output),
  ],
  [
    /unable to update url base from redirection|returned error: 3\d\d\b/i,
    (output) => new RemoteUnreachableError('The address redirects elsewhere; use the final one.', output),
  ],
  [
    /transport '\w+' not allowed/,
    (output) => new RemoteUnreachableError('The address needs a protocol that is not allowed.', output),
  ],
];

/** The error that git's messages mean. */
export function remoteErrorFrom(output: string): RemoteError {
  const failure = FAILURES.find(([pattern]) => pattern.test(output));
  return failure ? failure[1](output) : new RemoteUnreachableError('The git server could not be reached.', output);
}
