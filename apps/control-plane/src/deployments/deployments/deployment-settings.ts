import type { BodyOf } from '@plinth/contract';
import { invalidRequest } from '@plinth/errors';
import { InvalidPathError, isValidBranchName, normaliseFolder } from '@plinth/git';
import type { Deployment } from './deployment.entity';

type Changes = NonNullable<BodyOf<'updateDeployment'>>;

/** Settings that are not decided together with the version. */
export type PlainSettings = Partial<Omit<Deployment, 'releaseChannel' | 'version' | 'isVersionHeld'>>;

const CONTROL_CHARACTER = /\p{Cc}/u;
const HOST_NAME = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The one spelling of a name: without blanks around it, in Unicode NFC. */
export function normaliseName(name: string): string {
  const normal = name.normalize('NFC').trim();
  if (CONTROL_CHARACTER.test(normal)) throw invalidRequest('/body/name', 'holds control characters');
  if (normal === '') throw invalidRequest('/body/name', 'is blank');
  return normal;
}

/**
 * The settings that the client changes. Null clears a setting that may be empty and leaves any other as it is.
 *
 * @throws AppError `request.invalid` (400).
 */
export function changedSettings(current: Deployment, changes: Changes): PlainSettings {
  refuseNullCharacters(changes, '/body');
  return { ...changedKeptSettings(changes), ...changedClearableSettings(current, changes) };
}

/** Settings that always have a value. */
function changedKeptSettings(changes: Changes): PlainSettings {
  const { name, cloudProvider, region, template, deployMode } = changes;
  const { deployBranchName, deployBranchReadOnly, deployBranchMergeAllowed, isChatTokenAllowed } = changes;
  return withoutAbsent({
    name: name ? normaliseName(name) : undefined,
    cloudProvider,
    region,
    template,
    deployMode,
    deployBranchName: deployBranchName ? checkedBranch(deployBranchName) : undefined,
    deployBranchReadOnly,
    deployBranchMergeAllowed,
    isChatTokenAllowed,
  });
}

function changedClearableSettings({ templateVariables: stored }: Deployment, changes: Changes): PlainSettings {
  const { templateVariables, deployProjectRoot, customDomain, ...others } = changes;
  const { creationMethod, defaultLaunchpadViewGroup, launchpadTabs, cspsConfig } = others;
  return {
    ...(creationMethod !== undefined && { creationMethod }),
    ...(defaultLaunchpadViewGroup !== undefined && { defaultLaunchpadViewGroup }),
    ...(launchpadTabs !== undefined && { launchpadTabs }),
    ...(cspsConfig !== undefined && { cspsConfig }),
    ...(templateVariables !== undefined && {
      templateVariables: templateVariables === null ? {} : { ...stored, ...templateVariables },
    }),
    ...(deployProjectRoot !== undefined && { deployProjectRoot: checkedRoot(deployProjectRoot ?? '') }),
    ...(customDomain !== undefined && { customDomain: customDomain ? checkedHost(customDomain) : null }),
  };
}

type Present<T> = { [Key in keyof T]?: NonNullable<T[Key]> };

/** The entries that have a value. */
const withoutAbsent = <T extends object>(settings: T): Present<T> =>
  Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined && value !== null),
  ) as Present<T>;

function checkedBranch(name: string): string {
  if (!isValidBranchName(name)) throw invalidRequest('/body/deployBranchName', 'is not a name for a branch');
  return name;
}

function checkedRoot(path: string): string {
  try {
    return normaliseFolder(path);
  } catch (error) {
    throw error instanceof InvalidPathError ? invalidRequest('/body/deployProjectRoot', error.message) : error;
  }
}

function checkedHost(name: string): string {
  const host = name.trim().toLowerCase();
  if (!HOST_NAME.test(host)) throw invalidRequest('/body/customDomain', 'is not a host name');
  return host;
}

/** PostgreSQL stores no null character, neither in text nor in JSON. */
export function refuseNullCharacters(value: unknown, path: string): void {
  if (typeof value === 'string' && value.includes('\0')) throw invalidRequest(path, 'holds a null character');
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    refuseNullCharacters(key, path);
    refuseNullCharacters(item, `${path}/${key}`);
  }
}
