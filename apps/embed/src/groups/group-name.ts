import { invalidRequest } from '@plinth/errors';

/** Whether it is a name that built-in groups have. */
export const isReservedGroupName = (name: string): boolean => /^system:/i.test(name.trim());

/** The name as it is kept. @throws AppError `request.invalid` (400) for one that is reserved. */
export function groupName(name: string): string {
  if (isReservedGroupName(name)) throw invalidRequest('/body/name', 'must not begin with system:');
  return name.trim();
}
