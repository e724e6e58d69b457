import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { UserAttributeValuesService } from './user-attribute-values.service';

@Controller()
export class UserAttributeValuesController implements Operations<'control-plane', 'User Attribute Values'> {
  constructor(private readonly values: UserAttributeValuesService) {}

  @Operation('getUserAttributeValues')
  getUserAttributeValues({ principal, path }: Call<'getUserAttributeValues'>) {
    return this.values.list(principal, path.userId);
  }

  @Operation('upsertUserAttributeValue')
  upsertUserAttributeValue({ principal, body }: Call<'upsertUserAttributeValue'>) {
    return this.values.set(principal, body);
  }
}
