import type { AccessDescription, CredentialKind } from '@plinth/contract';

const credentialNames: Readonly<Record<CredentialKind, string>> = {
  'api-key': 'API key',
  'access-token': 'access token',
  'mcp-token': 'MCP token',
  'embed-session': 'embed session',
  'scim-token': 'SCIM token',
  'deployment-token': 'token of the deployment (`X-Cube-Auth-Token`)',
};

const permissionNotes: Readonly<Record<string, string>> = {
  admin: 'administrators of the account',
  self: 'anybody with a licence tier',
  'signed-in': 'any valid credential',
};

const scopeNotes: Readonly<Record<AccessDescription['scope'], string>> = {
  deployment: 'A credential that is limited to deployments reaches those of them that the path names.',
  account: 'A credential that is limited to deployments does not reach it.',
  any: 'A credential that is limited to deployments sees what belongs to them.',
};

/** Who may call an operation, in Markdown. */
export function accessNote({ permission, scope, credentials }: AccessDescription): string {
  if (permission === 'public') return '**Permission:** none, anybody may call it.';
  const needed = permissionNotes[permission] ?? `\`${permission}\``;
  const kinds = credentials.map((kind) => credentialNames[kind]).join(', ');
  return `**Permission:** ${needed}. **Credentials:** ${kinds}. ${scopeNotes[scope]}`;
}
