import { readFileSync } from 'node:fs';
import { z } from 'zod';
import bundled from './catalogue.json';

const releaseChannels = ['latest', 'release'] as const;
export type ReleaseChannel = (typeof releaseChannels)[number];

/** A version of the Cube engine in one channel. */
export interface Release {
  releaseChannel: ReleaseChannel;
  /** Semantic version without a prefix. */
  version: string;
}

const semver = z.string().regex(/^\d+\.\d+\.\d+$/, 'takes versions of the form 1.2.3');
const catalogueForm = z.object({
  image: z.string().regex(/^[\w./-]+$/, 'takes an image name such as cubejs/cube'),
  channels: z.object({ latest: z.array(semver).min(1), release: z.array(semver).min(1) }),
});

/** The engine versions that deployments may run, newest first in each channel. */
export class VersionCatalogue {
  private constructor(
    private readonly image: string,
    private readonly channels: Readonly<Record<ReleaseChannel, readonly string[]>>,
  ) {}

  /**
   * The catalogue that is shipped, or the operator's own file of the same form.
   *
   * @throws Error naming what is wrong with the file.
   */
  static load(file?: string): VersionCatalogue {
    const content: unknown = file ? JSON.parse(readFileSync(file, 'utf8')) : bundled;
    const parsed = catalogueForm.safeParse(content);
    if (!parsed.success) throw new Error(`The version catalogue is not usable: ${z.prettifyError(parsed.error)}`);
    const channels = { ...parsed.data.channels };
    for (const channel of releaseChannels) channels[channel] = [...channels[channel]].sort(newestFirst);
    return new VersionCatalogue(parsed.data.image, channels);
  }

  head(releaseChannel: ReleaseChannel): Release {
    return { releaseChannel, version: this.channels[releaseChannel][0] as string };
  }

  isHead({ releaseChannel, version }: Release): boolean {
    return this.head(releaseChannel).version === version;
  }

  /** The newest version of the channel that differs in its patch number only; the release itself when there is none. */
  newestPatch({ releaseChannel, version }: Release): Release {
    const minor = version.slice(0, version.lastIndexOf('.') + 1);
    const newest = this.channels[releaseChannel].find((candidate) => candidate.startsWith(minor));
    return { releaseChannel, version: newest && newestFirst(newest, version) < 0 ? newest : version };
  }

  /** Image reference by which clients know a version, for example `cubejs/cube:v1.7.43`. */
  reference(version: string): string {
    return `${this.image}:v${version}`;
  }

  get imageName(): string {
    return this.image;
  }

  /** The version meant by `1.7.20`, `v1.7.20` or a full image reference; undefined for anything else. */
  parse(notation: string): string | undefined {
    const [, image, version] = /^(?:(.+):)?v?(\d+\.\d+\.\d+)$/.exec(notation) ?? [];
    return version !== undefined && (image === undefined || image === this.image) ? version : undefined;
  }

  /**
   * What a deployment may switch to: the head of each channel and what its tenant ran before, newest first.
   * `before` may name versions that the catalogue has dropped since; they stay possible.
   */
  choices(before: readonly Release[]): Release[] {
    const known = new Map<string, Release>();
    for (const release of [...releaseChannels.map((channel) => this.head(channel)), ...before]) {
      known.set(`${release.releaseChannel}:${release.version}`, release);
    }
    return [...known.values()].sort(
      (left, right) =>
        newestFirst(left.version, right.version) || left.releaseChannel.localeCompare(right.releaseChannel),
    );
  }
}

function newestFirst(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split('.').map(Number)) as [number[], number[]];
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? 0 : (b[at] as number) - (a[at] as number);
}
