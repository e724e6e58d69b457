import { Injectable } from '@nestjs/common';
import type { Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { VersionCatalogue, type Release, type ReleaseChannel } from './version-catalogue';
import { VersionUsesRepository } from './version-uses.repository';

/** The version that a deployment runs, and whether it stays when the channel moves on. */
export interface InstalledRelease extends Release {
  isVersionHeld: boolean;
}

/** What a client asks to change; null and absent both mean no wish. */
export interface ReleaseWish {
  releaseChannel?: ReleaseChannel | null;
  releaseChannelVersion?: string | null;
  releaseChannelVersionHold?: boolean | null;
}

/** Decides which version a deployment runs. */
@Injectable()
export class ReleasesService {
  constructor(
    readonly catalogue: VersionCatalogue,
    private readonly uses: VersionUsesRepository,
  ) {}

  /** What the tenant's deployments may switch to, newest first. */
  async choices(tx: Transaction): Promise<Release[]> {
    return this.catalogue.choices(await this.uses.list(tx));
  }

  /** What a new deployment runs: the newest version of the channel `latest`. */
  async install(tx: Transaction, tenantId: number): Promise<InstalledRelease> {
    const release = this.catalogue.head('latest');
    await this.uses.record(tx, tenantId, release);
    return { ...release, isVersionHeld: false };
  }

  /**
   * The release after a change of settings. A version other than the newest of its channel is held from then on, unless
   * the client says otherwise; one that is not held takes newer patches with every change.
   *
   * @throws AppError `deployment.unknown_version` (400) for a version that is not listed for the channel.
   */
  async change(
    tx: Transaction,
    tenantId: number,
    current: InstalledRelease,
    wish: ReleaseWish,
  ): Promise<InstalledRelease> {
    const release = await this.target(tx, current, wish);
    const pins = Boolean(wish.releaseChannelVersion) && !this.catalogue.isHead(release);
    const isVersionHeld = wish.releaseChannelVersionHold ?? (pins || current.isVersionHeld);
    const followed = isVersionHeld || wish.releaseChannelVersion ? release : this.catalogue.newestPatch(release);
    await this.uses.record(tx, tenantId, followed);
    return { ...followed, isVersionHeld };
  }

  private async target(tx: Transaction, current: Release, wish: ReleaseWish): Promise<Release> {
    const releaseChannel = wish.releaseChannel ?? current.releaseChannel;
    const notation = wish.releaseChannelVersion ?? undefined;
    if (notation !== undefined) return this.listed(tx, releaseChannel, notation);
    if (wish.releaseChannel) return this.catalogue.head(releaseChannel);
    return { releaseChannel, version: current.version };
  }

  private async listed(tx: Transaction, releaseChannel: ReleaseChannel, notation: string): Promise<Release> {
    const version = this.catalogue.parse(notation);
    const release = (await this.choices(tx)).find(
      (choice) => choice.releaseChannel === releaseChannel && choice.version === version,
    );
    if (release) return release;
    const message = `is not a version listed for the channel ${releaseChannel}`;
    throw new AppError('deployment.unknown_version', `/body/releaseChannelVersion ${message}`, {
      details: [{ path: '/body/releaseChannelVersion', message }],
    });
  }
}
