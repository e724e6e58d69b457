import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ValidationService } from './validation.service';

@Controller()
export class ValidationController implements Operations<'workspace', 'Content Checks'> {
  constructor(private readonly validation: ValidationService) {}

  @Operation('validateWorkspace')
  validateWorkspace({ principal, path, query }: Call<'validateWorkspace'>) {
    return this.validation.validate(principal, path.deploymentId, query);
  }

  @Operation('findBrokenContent')
  findBrokenContent({ principal, path, body }: Call<'findBrokenContent'>) {
    return this.validation.findBroken(principal, path.deploymentId, body);
  }
}
