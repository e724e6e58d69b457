import { AppError } from '@plinth/errors';

/** 503: nobody can take the request right now; it was not started. */
export const unavailable = (message = 'The service is not available right now'): AppError =>
  new AppError('service.unavailable', message, { retryAfterSeconds: 1 });

/** 504: the reply did not come in time; whether the work was done is unknown. */
export const deadlineExceeded = (): AppError =>
  new AppError('service.deadline_exceeded', 'The service did not answer in time');
