/** Other names for the same things. */
const kindNames = {
  groups: 'user-groups',
  Groups: 'user-groups',
  Users: 'users',
  'user-attribute-values': 'users',
  'user-oauth-tokens': 'oauth-integrations',
};
const KEPT_PER_KIND = 40;

export const kindOf = (segment) => kindNames[segment] ?? segment;

/** What exists: ids and names by kind, as replies brought them, so that requests reach what earlier ones made. */
export class World {
  #pools = new Map();
  #kept = new Set();
  #touched = new Set();
  /** Things that a reply said were made, and nobody asked to delete: `kind id` to the path that reads it. */
  created = new Map();

  /** Things that no request may be about: what the run itself lives on. */
  keep(kind, ...values) {
    for (const value of values) this.#kept.add(`${kind} ${value}`);
    const pool = this.#pools.get(kind) ?? [];
    this.#pools.set(
      kind,
      pool.filter((value) => !this.isKept(kind, value)),
    );
  }

  /** Whether a request may have changed it: lists show things before their makers know of them. */
  wasTouched(kind, value) {
    return this.#touched.has(`${kind} ${value}`);
  }

  add(kind, value) {
    if (value === undefined || value === null || this.#kept.has(`${kind} ${value}`)) return;
    const pool = this.#pools.get(kind) ?? [];
    if (pool.includes(String(value))) return;
    this.#pools.set(kind, [...pool, String(value)].slice(-KEPT_PER_KIND));
  }

  pick(kind, index) {
    const pool = this.#pools.get(kind) ?? [];
    return pool[index % pool.length];
  }

  isKept(kind, value) {
    return this.#kept.has(`${kind} ${value}`);
  }

  /** Remembers what a successful reply tells; `path` is the operation's, without parameters filled in. */
  learn({ method, path }, target, body) {
    const kind = kindOf(path.split('/').at(-1));
    const items = [body?.items, body?.Resources, body?.data].find(Array.isArray) ?? [];
    for (const item of items) {
      this.add(kind, item.id);
      if (kind === 'branches') this.add('branch-names', item.name);
      if (kind === 'files') this.add('paths', item.path?.replace(/^\//, ''));
    }
    if (method !== 'POST' || path.endsWith('}')) return;
    this.add(kind, body?.id);
    if (body?.branchName) this.add('branch-names', body.branchName);
    if (kind === 'start') this.add('uploads', body?.transaction?.id);
    if (body?.id !== undefined && isReadable(path)) {
      this.created.set(`${kind} ${body.id}`, `${target.split('?')[0].replace(/\/$/, '')}/${body.id}`);
    }
  }

  /** Forgets what a request may have deleted, whether it was answered or not. */
  forget(method, target, sent) {
    const segments = target.split('?')[0].split('/').filter(Boolean);
    const named = segments.map((id, index) => `${kindOf(segments[index - 1])} ${id}`);
    if (target.includes('/bulk')) for (const [id] of sent.matchAll(/\d+/g)) named.push(`users ${id}`);
    const deletes = method === 'DELETE' || target.includes('/bulk');
    for (const each of named) {
      if (method !== 'GET') this.#touched.add(each);
      if (deletes) this.created.delete(each);
    }
  }
}

/** Collections whose things can be read one by one. */
const isReadable = (path) =>
  /\/(deployments|user-groups|roles|api-keys|oauth-integrations|oidc-token-configs|Users|Groups)$/.test(path);
