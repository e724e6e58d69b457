/** Something about a request that the platform took all the same. */
export interface Warning {
  /** JSON pointer into the request, for example `/body/releaseChanel`. */
  path: string;
  /** What it is about: `unknown_property`, and others in later versions. */
  code: string;
  /** The property that is likely meant, where there is one. */
  meant: string | undefined;
}

const member = /"((?:[^"\\]|\\.)*)"((?:;[a-z]+=(?:"(?:[^"\\]|\\.)*"|[^\s,;"]+))*)/g;
const parameter = /;([a-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]+))/g;

const plain = (text = ''): string => text.replace(/\\(.)/g, '$1');

/** What the platform warns of in the `Warnings` header of a reply: properties of the body that look misspelt. */
export const warningsOf = ({ headers }: { headers: Pick<Headers, 'get'> }): Warning[] =>
  [...(headers.get('warnings') ?? '').matchAll(member)].map(([, path, rest = '']) => {
    const named = [...rest.matchAll(parameter)].map(([, name, text, token]) => [name, token ?? plain(text)]);
    const { code = '', meant } = Object.fromEntries(named) as Record<string, string | undefined>;
    return { path: plain(path), code, meant };
  });
