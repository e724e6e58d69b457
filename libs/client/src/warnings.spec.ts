import { warningsOf } from './warnings';

const of = (header?: string) =>
  warningsOf(new Response(null, { headers: header === undefined ? {} : { warnings: header } }));

describe(warningsOf.name, () => {
  it.each([undefined, '', 'not a list', '"never ended'])('finds nothing in %j', (header) =>
    expect(of(header)).toEqual([]),
  );

  it('reads what the platform warns of', () => {
    expect(
      of(
        '"/body/releaseChanel";code=unknown_property;meant="releaseChannel", "/body/a\\"b, \\\\c";code=other;more="x;y"',
      ),
    ).toEqual([
      { path: '/body/releaseChanel', code: 'unknown_property', meant: 'releaseChannel' },
      { path: '/body/a"b, \\c', code: 'other', meant: undefined },
    ]);
  });
});
