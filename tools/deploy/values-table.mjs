import { parse } from 'yaml';

const differing = 'by service';

/** Every value of the chart by its path, with its default as JSON. `services.*` stands for a value that all have. */
export function valuesOf(text) {
  const { services, ...rest } = parse(text);
  const all = Object.values(services);
  const defaultOf = (key) => {
    const defaults = new Set(all.map((service) => JSON.stringify(service[key])));
    return defaults.size === 1 ? [...defaults][0] : differing;
  };
  const own = Object.entries(services).flatMap(([name, service]) =>
    Object.keys(service).map((key) =>
      all.every((other) => key in other)
        ? [`services.*.${key}`, defaultOf(key)]
        : [`services.${name}.${key}`, JSON.stringify(service[key])],
    ),
  );
  return new Map([...flatten(rest), ...own]);
}

const flatten = (node, path = '') =>
  Object.entries(node).flatMap(([key, value]) => {
    const here = path === '' ? key : `${path}.${key}`;
    const isGroup = typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0;
    return isGroup ? flatten(value, here) : [[here, JSON.stringify(value)]];
  });

/** The rows `| \`path\` | \`default\` | meaning |` of a Markdown table. */
export const documentedValues = (markdown) =>
  new Map([...markdown.matchAll(/^\| `([^`]+)` +\| `?([^`|]*?)`? +\| \S/gm)].map(([, path, value]) => [path, value]));
