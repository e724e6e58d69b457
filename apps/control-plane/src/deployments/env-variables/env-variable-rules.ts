import { AppError } from '@plinth/errors';

/** What a read shows in place of a value that must not be seen. */
export const mask = '[ENCRYPTED]';

const tellingName = /PASS|SECRET|TOKEN|KEY|CREDENTIAL/i;
const posixName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Longest name and value, in characters. */
const maximumNameLength = 255;
const maximumValueLength = 65_536;

export interface EnvVariable {
  name: string;
  value: string;
}

/** Whether the variable's value is hidden from every read, judged by its name. */
const isSecretName = (name: string): boolean => tellingName.test(name);

export const maskedVariable = ({ name, value }: EnvVariable): EnvVariable => ({
  name,
  value: isSecretName(name) ? mask : value,
});

/**
 * Checks variables that are about to be written; all problems are named at once.
 * A name that is stored already may be written again as it is, even when it would not be accepted today.
 *
 * @throws AppError `env_variable.invalid` (400).
 */
export function checkVariables(variables: readonly EnvVariable[], storedNames: ReadonlySet<string>): void {
  const seen = new Set<string>();
  const details = variables.flatMap(({ name, value }, index) => {
    const problems: { path: string; message: string }[] = [];
    const at = `/body/env_variables/${index}`;
    if (!storedNames.has(name) && (!posixName.test(name) || name.length > maximumNameLength)) {
      problems.push({
        path: `${at}/name`,
        message: 'takes letters, digits and underscores, not starting with a digit',
      });
    }
    if (seen.has(name)) problems.push({ path: `${at}/name`, message: 'is named twice' });
    if (value === mask)
      problems.push({ path: `${at}/value`, message: 'is the mask; leave out what should not change' });
    if (value.length > maximumValueLength) problems.push({ path: `${at}/value`, message: 'is too long' });
    if (value.includes('\0')) problems.push({ path: `${at}/value`, message: 'holds a null character' });
    seen.add(name);
    return problems;
  });
  const [first] = details;
  if (first) throw new AppError('env_variable.invalid', `${first.path} ${first.message}`, { details });
}
