import { Inject, Injectable } from '@nestjs/common';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { byId, inMemoryList, keysetList } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import type { RegionConfig } from './regions.config';

const keyset = { name: 'regions', filters: {}, positionOf: byId };

@Injectable()
export class RegionsService {
  constructor(@Inject(CONFIG) private readonly config: Pick<RegionConfig, 'regions'>) {}

  async list(query: QueryOf<'listRegions'>): Promise<ReplyOf<'listRegions'>> {
    const rows = this.config.regions.map((region) => ({ ...region, title: region.title ?? region.name }));
    return { ...(await keysetList(query, inMemoryList(rows, keyset))), data: rows };
  }

  /** @throws AppError `deployment.unknown_region` (400). */
  requireRegion(name: string): void {
    if (this.config.regions.some((region) => region.name === name)) return;
    const message = 'is not the name of a region';
    throw new AppError('deployment.unknown_region', `/body/region ${message}`, {
      details: [{ path: '/body/region', message }],
    });
  }
}
