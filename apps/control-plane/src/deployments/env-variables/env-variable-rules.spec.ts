import type { AppError } from '@plinth/errors';
import { checkVariables, mask, maskedVariable } from './env-variable-rules';

const problemsOf = (variables: { name: string; value: string }[], stored: string[] = []): string[] => {
  try {
    checkVariables(variables, new Set(stored));
  } catch (error) {
    return ((error as AppError).details ?? []).map(({ path }) => path);
  }
  return [];
};

describe(checkVariables.name, () => {
  it.each(['', '1A', 'A-B', 'A B', 'Ä', 'A=B', 'A\0', 'x'.repeat(256)])('refuses the new name %j', (name) => {
    expect(problemsOf([{ name, value: 'v' }])).toEqual(['/body/env_variables/0/name']);
  });

  it('refuses the mask as a value, so that a read that is written back destroys nothing', () => {
    expect(problemsOf([{ name: 'DB_PASS', value: mask }])).toEqual(['/body/env_variables/0/value']);
  });

  it('refuses a name that is given twice and names every problem', () => {
    const variables = [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
      { name: 'B', value: 'x\0' },
    ];
    expect(problemsOf(variables)).toEqual(['/body/env_variables/1/name', '/body/env_variables/2/value']);
  });

  it('lets a stored name of an old form be written again', () => {
    expect(problemsOf([{ name: 'old-name', value: 'v' }], ['old-name'])).toEqual([]);
  });
});

describe(maskedVariable.name, () => {
  it.each(['DB_PASS', 'my_secret', 'ApiToken', 'CUBE_KEY', 'GCP_CREDENTIALS'])('hides the value of %s', (name) => {
    expect(maskedVariable({ name, value: 'hunter2' }).value).toBe(mask);
  });

  it('shows other values', () => {
    expect(maskedVariable({ name: 'CUBEJS_DB_TYPE', value: 'postgres' }).value).toBe('postgres');
  });
});
