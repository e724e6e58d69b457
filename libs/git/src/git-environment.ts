/** How git is found and started. */
export interface GitSettings {
  /** The executable; default `git`. */
  binary?: string;
  /** PATH of git's children; default `/usr/local/bin:/usr/bin:/bin`. Nothing else of this process's environment is passed on. */
  path?: string;
}

/** The whole environment of a git child: no user or system configuration, no prompts, stable messages. */
export function gitEnvironment(settings: GitSettings = {}): Record<string, string> {
  return {
    PATH: settings.path ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    LC_ALL: 'C',
  };
}

/**
 * Configuration that every command gets. References are made durable as well as objects (git's default leaves them to the
 * page cache), and a storage volume may belong to another user than the process.
 */
export const GIT_CONFIG: readonly string[] = [
  'core.fsync=committed,loose-object,reference',
  'safe.directory=*',
  'core.quotePath=false',
  'gc.auto=0',
  'merge.conflictStyle=merge',
];

/** {@link GIT_CONFIG} as arguments that come before the subcommand. */
export function configArguments(): string[] {
  return GIT_CONFIG.flatMap((setting) => ['-c', setting]);
}
