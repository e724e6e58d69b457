import { AppError } from '@plinth/errors';

/** Whether a request asks for something rather than changing it. */
export const isReading = ({ method }: { method: string }): boolean => method === 'GET' || method === 'HEAD';

/** A known path with a method that it does not have; `allowed` becomes the `Allow` header (RFC 9110, 15.5.6). */
export class MethodNotAllowedError extends AppError {
  readonly allowed: readonly string[];

  /** @param methods those of the path; HEAD goes with GET. */
  constructor(method: string, methods: readonly string[]) {
    const allowed = methods.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each]));
    super('request.method_not_allowed', `${method} is not possible here; possible: ${allowed.join(', ')}`);
    this.allowed = allowed;
  }
}
