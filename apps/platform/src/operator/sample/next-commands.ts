/** What to type next, as the README has it: the token, and queries at the address of the deployment. */
export function nextCommands(api: { url: string; id: number; deploymentUrl: string; key: string }): string {
  const { url, id, deploymentUrl, key } = api;
  return [
    '',
    '# A token for its data, then a query:',
    `DATA=${deploymentUrl}`,
    `TOKEN=$(curl -sS -X POST ${url}/api/v1/deployments/${id}/token -H "Authorization: Bearer ${key}" |` +
      ` sed 's/.*"cubeApiToken":"\\([^"]*\\)".*/\\1/')`,
    `curl -sS $DATA/cubejs-api/v1/load -H "Authorization: $TOKEN" -H 'Content-Type: application/json' -d '{"query":` +
      ` {"measures": ["sales.revenue"], "dimensions": ["sales.products_category"]}}'`,
    '',
  ].join('\n');
}
