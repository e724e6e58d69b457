import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { RegionsService } from './regions.service';

@Controller()
export class RegionsController implements Operations<'control-plane', 'Regions'> {
  constructor(private readonly regions: RegionsService) {}

  @Operation('listRegions')
  listRegions({ query }: Call<'listRegions'>) {
    return this.regions.list(query);
  }
}
