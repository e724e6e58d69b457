import type { BodyOf } from '@plinth/contract';
import { DEFAULT_OPTIONS, type ConversionOptions } from '@plinth/dbt';
import type { SourceSettings } from './dbt-source.entity';

const DEFAULT_MARTS_FOLDER = 'marts';

/** What a project has that says nothing else. */
export const DEFAULT_SETTINGS: SourceSettings = {
  username: 'git',
  branch: null,
  projectPath: '.',
  targetName: 'dev',
  targetSchema: 'public',
  targetDatabase: null,
  adapter: null,
  variables: [],
  options: {
    ...DEFAULT_OPTIONS,
    keySuffixes: [...DEFAULT_OPTIONS.keySuffixes],
    keyNames: [...DEFAULT_OPTIONS.keyNames],
    selector: null,
    catalogTypes: false,
    onlyMarts: false,
    martsFolder: DEFAULT_MARTS_FOLDER,
  },
};

/** What a client has set, with the defaults for the rest. */
export function settingsOf({ url: _url, token: _token, options, ...given }: BodyOf<'putDbtSource'>): SourceSettings {
  return { ...DEFAULT_SETTINGS, ...given, options: { ...DEFAULT_SETTINGS.options, ...options } };
}

/** As the conversion takes them. */
export function conversionOptionsOf({ options }: SourceSettings): ConversionOptions {
  const martsFolder = options.onlyMarts ? (options.martsFolder ?? DEFAULT_MARTS_FOLDER) : null;
  return { ...DEFAULT_OPTIONS, ...options, martsFolder };
}
