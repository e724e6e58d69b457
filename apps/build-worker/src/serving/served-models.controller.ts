import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ServedModelsService } from './served-models.service';

@Controller()
export class ServedModelsController implements Operations<'build-worker', 'Served Models'> {
  constructor(private readonly models: ServedModelsService) {}

  @Operation('describeServedModel')
  describeServedModel({ principal, body }: Call<'describeServedModel'>) {
    return this.models.describe(principal, body);
  }

  @Operation('readServedModel')
  readServedModel({ principal, path, body }: Call<'readServedModel'>) {
    return this.models.read(principal, path.deploymentId, body);
  }
}
