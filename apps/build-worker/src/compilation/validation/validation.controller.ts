import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ValidationService } from './validation.service';

type ValidationOperations = Pick<Operations<'build-worker', 'Data Model'>, 'validateDataModel'>;

@Controller()
export class ValidationController implements ValidationOperations {
  constructor(private readonly validation: ValidationService) {}

  @Operation('validateDataModel')
  validateDataModel({ principal, path, query }: Call<'validateDataModel'>) {
    return this.validation.validate(principal, path.deploymentId, query);
  }
}
