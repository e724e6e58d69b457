/** The compiler reads its settings from the environment, by way of what it has kept of it, also once the process is sealed. */
export function setVariables(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
}
