/** What the edge may answer to any request before it is one of an operation. */
const EDGE_STATUSES = [400, 404, 405, 408, 413, 414, 415, 417, 421, 431];

const codeOf = (text) => {
  try {
    const { code, scimType } = JSON.parse(text);
    return code ?? scimType;
  } catch {
    return undefined;
  }
};

/** What is wrong with the reply to a request; undefined when nothing is. */
export function verdict(contract, operation, request, reply) {
  if (!reply) return undefined;
  if (reply.failure === 'TIMEOUT') return { kind: 'hang' };
  if (reply.failure) return { kind: `no reply: ${reply.failure}` };
  const { status, headers, text } = reply;
  const found = { status, code: codeOf(text), reply: text.slice(0, 300) };
  if (status >= 500) return isAllowedFailure(status, headers) ? undefined : { ...found, kind: 'server error' };
  if (!request.isOfOperation) return undefined;
  if (!operation.responses[status])
    return EDGE_STATUSES.includes(status) ? undefined : { ...found, kind: 'undocumented status' };
  const problem = contract.problem(operation, String(status), headers['content-type'], text);
  return problem && { ...found, kind: `undocumented reply: ${problem}` };
}

/** What the platform does not support, and what it is too busy for and says when to come again. */
const isAllowedFailure = (status, headers) =>
  status === 501 || (status === 503 && headers['retry-after'] !== undefined);
