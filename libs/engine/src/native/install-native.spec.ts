import { installNative, type NativeModule } from './install-native';

type Call = (...values: unknown[]) => unknown;
type Installed = NativeModule &
  Record<'buildSqlAndParams' | 'getCubestoreResult' | 'isFallbackBuild', Call> & {
    ResultWrapper: new (rows: object[]) => NativeModule['ResultWrapper']['prototype'];
    NativeInstance: new () => {
      loadPythonContext: Call;
      newJinjaEngine(options?: object): { renderTemplate: Call; loadTemplate: Call };
    };
  };

const native: Installed = jest.requireActual('@cubejs-backend/native');

describe('the stand-in', () => {
  it('yields to a binary that is there', () => {
    const withBinary = { loadNative: () => ({}), ResultWrapper: native.ResultWrapper };
    expect(installNative(withBinary)).toBe('binary');
    expect(Object.keys(withBinary)).toEqual(['loadNative', 'ResultWrapper']);
  });

  describe('where there is none', () => {
    beforeAll(() => expect(installNative(native)).toBe('stand-in'));

    it.each([
      ['The Tesseract planner', () => native.buildSqlAndParams({})],
      ['Cube Store', () => native.getCubestoreResult({})],
      ['A data model in Python', () => new native.NativeInstance().loadPythonContext('a.py', '')],
    ])('%s fails with a sentence that says so', (what, call) => {
      expect(call).toThrow(`${what} needs the native module of Cube, which is not installed`);
    });

    it('hands rows on as they are', () => {
      const rows = [{ a: 1 }];
      expect(new native.ResultWrapper(rows).getRawData()).toEqual([rows]);
      expect(native.isFallbackBuild()).toBe(true);
    });

    it('renders templates with the filters of the model', async () => {
      const engine = new native.NativeInstance().newJinjaEngine({ filters: { loud: (text: string) => `${text}!` } });
      engine.loadTemplate('a.yml', "{{ 'x' | loud }}");
      expect(await engine.renderTemplate('a.yml', {}, null)).toBe('x!');
    });
  });
});
