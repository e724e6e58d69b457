import { Injectable } from '@nestjs/common';
import { ManifestError } from '@plinth/dbt';
import type { DataModel } from '../../data-models';
import { ManifestStore } from '../start/manifest-store';
import type { ClaimedSync } from '../syncs/dbt-syncs.repository';
import { SyncFailure } from '../syncs/sync-outcome';
import type { LoadedManifest } from './loaded-manifest';

/** The manifest that came with the start of a run. */
@Injectable()
export class ManifestSource {
  constructor(private readonly manifests: ManifestStore) {}

  /** @throws SyncFailure when it is gone, or none */
  async load(model: DataModel, { manifestOid }: ClaimedSync): Promise<LoadedManifest> {
    if (manifestOid === null || !(await this.manifests.isKept(model.git, manifestOid))) {
      throw new SyncFailure('The manifest is not kept any more: start again');
    }
    try {
      return { manifest: await this.manifests.read(model, manifestOid) };
    } catch (error) {
      throw error instanceof ManifestError ? new SyncFailure(error.message) : error;
    }
  }
}
