/** Areas of the side bar and the tags in them. A tag that stands in none is shown last, under a heading of its own. */
export const areas: Readonly<Record<string, readonly string[]>> = {
  Deployments: ['Deployments', 'Deployment Creation', 'Environments', 'Env Variables', 'Regions'],
  'Data models': ['Data Model', 'Data Model Uploads', 'GitHub', 'GitHub Connection', 'Git Remotes', 'dbt Sync'],
  Content: [
    'Workspace',
    'Folders',
    'Workbooks',
    'Reports',
    'Report Data',
    'Content as Code',
    'Content Checks',
    'Dashboard Exports',
    'Notifications',
    'App Theme',
  ],
  Embedding: ['Embed', 'Dashboard Embed Access', 'Embed Tenants'],
  Agents: ['Agents', 'AI Provider', 'Agent Skills', 'Chats', 'MCP'],
  People: ['Users', 'Users Admin', 'Sessions', 'User Groups', 'User Attributes', 'User Attribute Values'],
  'Rights and credentials': [
    'Roles',
    'Resource Policies',
    'API Keys',
    'OAuth Integrations',
    'User OAuth Tokens',
    'OIDC Token Configs',
    'Workload Tokens',
  ],
  Account: ['Tenant Settings', 'Usage Analytics', 'Audit Logs', 'OpenAPI Spec'],
  'SCIM provisioning': ['SCIM Tokens', 'SCIM Settings', 'SCIM Requests', 'SCIM Discovery', 'SCIM Users', 'SCIM Groups'],
};

export interface TagGroup {
  name: string;
  tags: readonly string[];
}

/** The areas that have something to show, in order. */
export function tagGroups(tags: readonly string[]): TagGroup[] {
  const placed = new Set(Object.values(areas).flat());
  const groups = Object.entries(areas).map(([name, members]) => ({
    name,
    tags: members.filter((tag) => tags.includes(tag)),
  }));
  return [...groups, { name: 'More', tags: tags.filter((tag) => !placed.has(tag)) }].filter(
    (group) => group.tags.length,
  );
}
