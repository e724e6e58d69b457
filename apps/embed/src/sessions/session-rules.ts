import type { BodyOf } from '@plinth/contract';
import { invalidRequest } from '@plinth/errors';
import { isReservedGroupName } from '../groups';

export type SessionRequest = BodyOf<'generateSession'>;
type Field = keyof SessionRequest;

/** What is said of embed users, and is not the host application's to say of users of the account. */
const ofEmbedUsers: readonly Field[] = [
  'userProfile',
  'groups',
  'groupDefinitions',
  'tenantGroups',
  'tenantGroupDefinitions',
  'userAttributes',
  'userAttributeDefinitions',
  'roles',
  'securityContext',
];

/** What belongs to the catalogue that an embed tenant has for its creators. */
const ofCreators: readonly Field[] = ['tenantGroups', 'tenantGroupDefinitions', 'userAttributeDefinitions'];

/**
 * Refuses what does not go together, before anything is looked up.
 *
 * @throws AppError `request.invalid` (400)
 */
export function requireSound(request: SessionRequest): void {
  const { externalId, internalId, creatorMode, embedTenantName } = request;
  if ((externalId == null) === (internalId == null)) {
    throw invalidRequest('/body', 'takes exactly one of externalId and internalId');
  }
  if (internalId != null) refuse(request, ofEmbedUsers, 'is for embed users, not for users of the account');
  if (internalId != null && creatorMode) throw invalidRequest('/body/creatorMode', 'is for embed users');
  if (!creatorMode || embedTenantName == null) {
    refuse(request, ofCreators, 'takes creatorMode and an embedTenantName');
  }
  if (embedTenantName == null) refuse(request, ['embedTenantProfile'], 'takes an embedTenantName');
  requireSoundDefinitions(request);
}

function refuse(request: SessionRequest, fields: readonly Field[], message: string): void {
  const given = fields.find((field) => request[field] != null);
  if (given) throw invalidRequest(`/body/${given}`, message);
}

function requireSoundDefinitions({
  tenantGroupDefinitions,
  userAttributeDefinitions,
  userAttributes,
}: SessionRequest): void {
  // Groups that differ in case alone are one.
  requireDistinct(
    'tenantGroupDefinitions',
    namesOf(tenantGroupDefinitions).map((name) => name.toLowerCase()),
  );
  requireDistinct('userAttributeDefinitions', namesOf(userAttributeDefinitions));
  requireDistinct('userAttributes', namesOf(userAttributes));
  const reserved = namesOf(tenantGroupDefinitions).findIndex(isReservedGroupName);
  if (reserved >= 0) {
    throw invalidRequest(`/body/tenantGroupDefinitions/${reserved}/name`, 'must not begin with system:');
  }
}

const namesOf = (list: readonly { name: string }[] | null | undefined): string[] =>
  (list ?? []).map(({ name }) => name.trim());

function requireDistinct(field: Field, names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw invalidRequest(`/body/${field}`, `names ${repeated} more than once`);
}
